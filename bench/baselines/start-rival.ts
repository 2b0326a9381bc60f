import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { nodeFlags } from '#libs/runtime/node-flags.js';

const programs = {
  'echo-server': new URL('./echo-server.js', import.meta.url),
  'constant-edge': new URL('./constant-edge.js', import.meta.url),
  monolith: new URL('./monolith.js', import.meta.url),
  'unary-edge': new URL('./unary-edge.js', import.meta.url),
  'unary-gateway': new URL('./unary-gateway.js', import.meta.url),
  'unary-inventory': new URL('./unary-inventory.js', import.meta.url),
  'unary-order': new URL('./unary-order.js', import.meta.url),
};

export type RivalProgram = keyof typeof programs;

/** A process of a rival. */
export interface Rival {
  /** What it told when it served: `host:port`, or a base URL. */
  address: string;
  pid: number | undefined;
  stop(): Promise<void>;
}

/** Starts a program of this folder, as services are started, and resolves when it serves. */
export async function startRival(name: RivalProgram, args: string[] = []): Promise<Rival> {
  const child = fork(fileURLToPath(programs[name]), args, {
    execArgv: [...nodeFlags],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const gone = once(child, 'exit');
  const address = await Promise.race([
    once(child, 'message').then(([message]) => String(message)),
    gone.then(([code]) => {
      throw new Error(`${name} ended with ${code} before it served`);
    }),
  ]);
  return {
    address,
    pid: child.pid,
    stop: async () => {
      child.kill();
      await gone;
    },
  };
}
