import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A stand-in in a process of its own, to be killed or frozen. */
export interface ServerProcess {
  readonly address: string;
  readonly pid: number;
  signal(signal: NodeJS.Signals): void;
  /** Resolves when the process is gone. */
  kill(signal: NodeJS.Signals): Promise<void>;
}

/** Starts it, on the given address or on a free port, and resolves when it serves. */
export async function startStandIn(address = '127.0.0.1:0'): Promise<ServerProcess> {
  const program = fileURLToPath(new URL('./stand-in-process.js', import.meta.url));
  const child = spawn(process.execPath, [program, address], { stdio: ['pipe', 'pipe', 'inherit'] });
  const gone = once(child, 'exit');
  const [bound] = await Promise.race([
    once(createInterface(child.stdout), 'line'),
    gone.then(() => Promise.reject(new Error(`no stand-in on ${address}`))),
  ]);
  return {
    address: bound,
    pid: child.pid ?? 0,
    signal: (signal) => void child.kill(signal),
    async kill(signal) {
      child.kill(signal);
      await gone;
    },
  };
}
