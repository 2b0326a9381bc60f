import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('./echo-server.js', import.meta.url));

/** A running echo server. */
export interface Echo {
  /** `host:port`. */
  address: string;
  pid: number | undefined;
  stop(): Promise<void>;
}

/** Starts the echo server as a process of its own. */
export async function startEcho(): Promise<Echo> {
  const child = fork(program, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const gone = once(child, 'exit');
  const address = await Promise.race([
    once(child, 'message').then(([message]) => String(message)),
    gone.then(([code]) => {
      throw new Error(`the echo server ended with ${code} before it served`);
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
