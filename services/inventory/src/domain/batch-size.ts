/** A batch that failed after so long was too large for the ledger as it is now. */
const TOO_LONG_MS = 750;
/** Callers wait for 3 s and have lost a good part of them then: there is no time to find the size in small steps. */
const SHRINKS_TO = 1 / 4;
/** For so long after that, batches stay as small: trying larger ones would cost others their time. */
const STAYS_SMALL_MS = 5000;

/** How many orders go into one batch: a quarter after one that took too long, and after a while more again. */
export class BatchSize {
  private size: number;
  private growsFromMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly most: number) {
    this.size = most;
  }

  get now(): number {
    return this.size;
  }

  went(nowMs: number): void {
    if (nowMs >= this.growsFromMs) this.size = Math.min(this.most, Math.ceil(this.size * 1.5));
  }

  /** A batch of `orders` failed after `tookMs`. One that failed sooner says nothing about its size. */
  failed(orders: number, tookMs: number, nowMs: number): void {
    if (tookMs < TOO_LONG_MS) return;
    this.size = Math.max(1, Math.floor(Math.min(this.size, orders) * SHRINKS_TO));
    this.growsFromMs = nowMs + STAYS_SMALL_MS;
  }
}
