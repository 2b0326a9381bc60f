import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';

/** So long a snapshot should take: a long one keeps the versions of hot rows from being cleared away. */
const SNAPSHOT_MS = { least: 50, most: 200 };
/** Rest by what the work took, so that whoever sells meanwhile keeps most of the machine. */
const REST_FOR_WORK = 2;
const MOST_REST_MS = 1_000;

/** How much a look takes at once, by how long the last pieces took, and how long it rests in between. */
export class Pace {
  #size: number;

  constructor(
    private readonly bounds: { readonly first: number; readonly most: number },
    private readonly signal: AbortSignal,
  ) {
    this.#size = bounds.first;
  }

  /** How many to take next. */
  get size(): number {
    return this.#size;
  }

  /** Does a piece of work, then rests. Rejects with the signal's reason once it is aborted. */
  async work<Result>(piece: () => Promise<Result>): Promise<Result> {
    this.signal.throwIfAborted();
    const begun = performance.now();
    const result = await piece();
    const tookMs = performance.now() - begun;
    if (tookMs > SNAPSHOT_MS.most) this.#size = Math.max(1, Math.floor(this.#size / 2));
    else if (tookMs < SNAPSHOT_MS.least) this.#size = Math.min(this.bounds.most, this.#size * 2);
    await pause(Math.min(MOST_REST_MS, tookMs * REST_FOR_WORK));
    return result;
  }
}

/** Waits, and rejects with the signal's reason when it is aborted meanwhile. */
export async function moment(ms: number, signal: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
}
