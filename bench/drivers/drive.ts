import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { DriveJob, DriveResult } from './grpc-driver.js';

const program = fileURLToPath(new URL('./grpc-driver.js', import.meta.url));

/** Runs the job in a fresh driver process. Rejects when that ends without a result. */
export function drive(job: DriveJob): Promise<DriveResult> {
  return new Promise((resolve, reject) => {
    // Profiling, when somebody wants it, is of the services; the driver would profile itself into being slow.
    const child = fork(program, {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: { ...process.env, NODE_OPTIONS: '' },
    });
    child.once('message', (result) => resolve(result as DriveResult));
    child.once('error', reject);
    child.once('exit', (code, signal) => reject(new Error(`the driver ended with ${signal ?? code} and no result`)));
    child.send(job);
  });
}
