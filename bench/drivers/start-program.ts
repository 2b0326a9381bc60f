import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { nodeFlags } from '#libs/runtime/node-flags.js';

/** A process that serves. */
export interface Program {
  /** What it told when it served: `host:port`, or a base URL. */
  address: string;
  pid: number | undefined;
  stop(): Promise<void>;
}

/** Starts a program, as services are started, that tells its parent its address once it serves. */
export async function startProgram(program: URL, args: string[] = []): Promise<Program> {
  const child = fork(fileURLToPath(program), args, {
    execArgv: [...nodeFlags],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const gone = once(child, 'exit');
  const address = await Promise.race([
    once(child, 'message').then(([message]) => String(message)),
    gone.then(([code]) => {
      throw new Error(`${program.pathname} ended with ${code} before it served`);
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
