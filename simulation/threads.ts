import { Worker } from 'node:worker_threads';
import type { Found, Job } from './search.js';

interface Waiting {
  readonly job: Job;
  readonly found: (found: Found) => void;
  readonly failed: (error: Error) => void;
}

/** Threads that share the jobs, first come, first served. */
export class Threads {
  readonly #idle: Worker[];
  readonly #all: readonly Worker[];
  readonly #waiting: Waiting[] = [];

  constructor(readonly count: number) {
    this.#all = Array.from(
      { length: count },
      () => new Worker(new URL('./worker.js', import.meta.url), { resourceLimits: { maxYoungGenerationSizeMb: 64 } }),
    );
    this.#idle = [...this.#all];
  }

  search(job: Job): Promise<Found> {
    return new Promise((found, failed) => {
      this.#waiting.push({ job, found, failed });
      this.#next();
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.map((worker) => worker.terminate()));
  }

  #next(): void {
    const worker = this.#idle.pop();
    if (!worker) return;
    const next = this.#waiting.shift();
    if (!next) {
      this.#idle.push(worker);
      return;
    }
    const end = (act: () => void): void => {
      worker.removeAllListeners();
      this.#idle.push(worker);
      act();
      this.#next();
    };
    worker.once('message', (found: Found) => end(() => next.found(found)));
    worker.once('error', (error: Error) => end(() => next.failed(error)));
    worker.postMessage(next.job);
  }
}
