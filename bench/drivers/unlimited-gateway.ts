import { fileURLToPath } from 'node:url';
import { openLocalIssuer } from '#libs/mesh/local-issuer.js';
import type { MeshFile } from '#libs/mesh/mesh-file.js';
import { freePort } from '#libs/servers/free-port.js';
import { ServiceProcess } from '../../deploy/local/service-process.js';
import { benchSettings } from './bench-mesh.js';

const program = fileURLToPath(new URL('../../services/gateway/src/main.js', import.meta.url));
const readyTimeoutMs = 30_000;

/** A gateway beside a mesh. */
export interface ExtraGateway {
  /** `host:port` */
  address: string;
  pid: number;
  stop(): Promise<void>;
}

/** Starts one more gateway of a running mesh, which keeps marks as the others do and limits nobody. */
export async function startUnlimitedGateway({ services, infra, identity }: MeshFile): Promise<ExtraGateway> {
  const [grpc, admin] = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`];
  const targetOf = (service: string): string => (services[service] ?? []).flatMap((one) => one.grpc ?? []).join(',');
  const name = 'gateway-unlimited';
  const env = {
    ...benchSettings,
    ...openLocalIssuer(identity).settings,
    RATE_LIMITS: 'false',
    GRPC_ADDRESS: grpc,
    ADMIN_ADDRESS: admin,
    INVENTORY_TARGET: targetOf('inventory'),
    ORDER_TARGET: targetOf('order'),
    REDIS_URL: infra.redis?.url ?? '',
    INSTANCE: name,
  };
  const complain = (...words: string[]): void => void process.stderr.write(`${words.join(' ')}\n`);
  const gateway = new ServiceProcess(
    { service: 'gateway', index: 0, name, program, grpc, admin, env },
    { onLine: complain, report: complain, onBack: () => {} },
  );
  gateway.start();
  try {
    await gateway.ready(readyTimeoutMs);
  } catch (error) {
    await gateway.stop();
    throw error;
  }
  return { address: grpc, pid: gateway.pid, stop: () => gateway.stop() };
}
