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
    const heard = (act: () => void): void => {
      worker.off('message', found).off('error', failed);
      this.#idle.push(worker);
      act();
      this.#next();
    };
    const found = (answer: Found): void => heard(() => next.found(answer));
    const failed = (error: Error): void => heard(() => next.failed(error));
    worker.on('message', found).on('error', failed);
    worker.postMessage(next.job);
  }
}
