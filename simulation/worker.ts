// A thread that runs the schedules it is given.
import { parentPort } from 'node:worker_threads';
import { type Job, search } from './search.js';

// Refusals are thrown by the million here, and nobody reads where.
Error.stackTraceLimit = 0;

parentPort?.on('message', (job: Job) => parentPort?.postMessage(search(job)));
