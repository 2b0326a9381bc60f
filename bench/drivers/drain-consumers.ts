import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { freePort } from '#libs/servers/free-port.js';
import { ServiceProcess } from '../../deploy/local/service-process.js';

const orderProgram = fileURLToPath(new URL('../../services/order/src/main.js', import.meta.url));
const perOrderProgram = fileURLToPath(new URL('../baselines/per-order-consumer.js', import.meta.url));
const readyTimeoutMs = 30_000;

/** A process that drains a queue of claims into a ledger. */
export interface DrainConsumer {
  pid: number;
  stop(): Promise<void>;
}

/** Our order service with its default settings. It makes its streams itself. */
export async function startOrderService(databaseUrl: string, natsUrl: string): Promise<DrainConsumer> {
  const [grpc, admin] = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`];
  const name = 'order-1';
  const env = {
    DATABASE_URL: databaseUrl,
    NATS_URL: natsUrl,
    GRPC_ADDRESS: grpc,
    ADMIN_ADDRESS: admin,
    INSTANCE: name,
    LOG_LEVEL: 'warn',
  };
  const service = new ServiceProcess(
    { service: 'order', index: 0, name, program: orderProgram, grpc, admin, env },
    { onLine: complain, report: complain, onBack: () => {} },
  );
  service.start();
  try {
    await service.ready(readyTimeoutMs);
  } catch (error) {
    await service.stop();
    throw error;
  }
  return { pid: service.pid, stop: () => service.stop() };
}

/** The consumer that takes one order at a time, sixteen times over. */
export async function startPerOrderConsumer(
  databaseUrl: string,
  natsUrl: string,
  stream: string,
): Promise<DrainConsumer> {
  const child = fork(perOrderProgram, [databaseUrl, natsUrl, stream]);
  const gone = once(child, 'exit');
  await Promise.race([
    once(child, 'message'),
    gone.then(([code]) => {
      throw new Error(`the per-order consumer ended with ${code} before it was ready`);
    }),
  ]);
  return {
    pid: child.pid ?? 0,
    stop: async () => {
      child.kill();
      await gone;
    },
  };
}

/** Whatever a service at log level "warn" has to say spoils a measurement. */
function complain(...words: string[]): void {
  process.stderr.write(`${words.join(' ')}\n`);
}
