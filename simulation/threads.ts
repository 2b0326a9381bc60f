import { Worker } from 'node:worker_threads';
import type { Found, Job } from './search.js';

interface Waiting {
  readonly job: Job;
  readonly found: (found: Found) => void;
  readonly failed: (error: Error) => void;
}

/** Threads that share the jobs, first come, first served. When one dies, every job fails that has no answer yet. */
export class Threads {
  readonly #all: readonly Worker[];
  readonly #idle: Worker[];
  readonly #busy = new Map<Worker, Waiting>();
  #waiting: Waiting[] = [];
  #death: Error | undefined;

  /** `script` answers each job that it is sent with what it found. */
  constructor(
    readonly count: number,
    script = new URL('./worker.js', import.meta.url),
  ) {
    this.#all = Array.from({ length: count }, () => this.#start(script));
    this.#idle = [...this.#all];
  }

  search(job: Job): Promise<Found> {
    return new Promise((found, failed) => {
      if (this.#death) return failed(this.#death);
      this.#waiting.push({ job, found, failed });
      this.#next();
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.map((worker) => worker.terminate()));
  }

  #start(script: URL): Worker {
    const worker = new Worker(script, { resourceLimits: { maxYoungGenerationSizeMb: 64 } });
    worker.on('message', (found: Found) => this.#heard(worker, found));
    worker.on('error', (error) => this.#died(error));
    worker.on('exit', (code) => this.#died(new Error(`a thread ended with ${code}`)));
    return worker;
  }

  #next(): void {
    const worker = this.#idle.pop();
    if (!worker) return;
    const next = this.#waiting.shift();
    if (!next) {
      this.#idle.push(worker);
      return;
    }
    this.#busy.set(worker, next);
    worker.postMessage(next.job);
  }

  #heard(worker: Worker, found: Found): void {
    this.#busy.get(worker)?.found(found);
    this.#busy.delete(worker);
    this.#idle.push(worker);
    this.#next();
  }

  #died(error: Error): void {
    this.#death ??= error;
    for (const { failed } of [...this.#busy.values(), ...this.#waiting]) failed(this.#death);
    this.#busy.clear();
    this.#waiting = [];
  }
}
