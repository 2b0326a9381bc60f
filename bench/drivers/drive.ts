import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { DriveJob, DriveResult } from './grpc-driver.js';
import type { HttpJob } from './http-driver.js';
import type { StreamJob, StreamResult } from './stream-driver.js';

/** Runs unary calls in a closed loop, in a fresh driver process. Rejects when that ends without a result. */
export function drive(job: DriveJob): Promise<DriveResult> {
  return runDriver('grpc-driver', job);
}

/** As drive, but over streams, in an open loop or a closed one. */
export function driveStreams(job: StreamJob): Promise<StreamResult> {
  return runDriver('stream-driver', job);
}

/** Orders over HTTP at given times, in a fresh driver process. */
export function driveHttpOpen(job: HttpJob): Promise<StreamResult> {
  return runDriver('http-driver', job);
}

function runDriver<Job extends object, Result>(name: string, job: Job): Promise<Result> {
  return new Promise((resolve, reject) => {
    // Profiling, when somebody wants it, is of the services; the driver would profile itself into being slow.
    const child = fork(fileURLToPath(new URL(`./${name}.js`, import.meta.url)), {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: { ...process.env, NODE_OPTIONS: '' },
    });
    child.once('message', (result) => resolve(result as Result));
    child.once('error', reject);
    child.once('exit', (code, signal) => reject(new Error(`the driver ended with ${signal ?? code} and no result`)));
    child.send(job);
  });
}
