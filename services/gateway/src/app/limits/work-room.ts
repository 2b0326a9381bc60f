import { Fault } from '#libs/refusal/fault.js';

/** How often those whose time is over are looked for while nobody leaves the room. */
const pruneEveryMs = 50;

export interface WorkRoomOptions {
  /** Reservations at work at once. */
  maxInFlight: number;
  /** When a store's oldest waiter has waited longer, its newcomers are refused. */
  shedAfterMs: number;
  /** How many may wait over all stores (as many as may be at work, at least 1,000). */
  maxWaiting?: number;
  /** Milliseconds that never go back (performance.now). */
  now?: () => number;
}

interface Waiter {
  readonly since: number;
  readonly giveUpAt: number;
  /** Undefined: it has begun. */
  readonly resolve: (refused: Fault | undefined) => void;
}

interface StoreQueue {
  waiters: Waiter[];
  head: number;
}

/**
 * Bounds the work in flight of one process. Whoever finds it full waits, first in first out within a store, and the
 * stores take turns, so that a hot one cannot make a cold one wait. Overload is seen by queue time: a store whose oldest
 * waiter has waited too long gets no more waiters until that one is gone. Nobody who has begun is ever shed.
 *
 * A store may have as many waiters as there are places left: one hot store takes half of them, two take a third each,
 * and there is always a place for a store that has nobody waiting.
 */
export class WorkRoom {
  /** What whoever is refused hears; one for all, because refusing must be cheapest when it happens most. */
  readonly full: Fault;
  readonly #refused: Promise<Fault>;
  readonly #maxInFlight: number;
  readonly #shedAfterMs: number;
  readonly #maxWaiting: number;
  readonly #now: () => number;
  /** Iterates in the order in which stores have their turn. */
  readonly #stores = new Map<string, StoreQueue>();
  #inFlight = 0;
  #waiting = 0;
  #pruning: NodeJS.Timeout | undefined;

  constructor({ maxInFlight, shedAfterMs, maxWaiting, now = () => performance.now() }: WorkRoomOptions) {
    this.#maxInFlight = maxInFlight;
    this.#shedAfterMs = shedAfterMs;
    this.#maxWaiting = maxWaiting ?? Math.max(1_000, maxInFlight);
    this.#now = now;
    this.full = new Fault('RATE_LIMITED', 'Too many reservations are at work', {
      metadata: { limit: 'IN_FLIGHT', remaining: '0', reset_ms: String(shedAfterMs) },
      retryAfterMs: shedAfterMs,
    });
    this.#refused = Promise.resolve(this.full);
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /**
   * Undefined, at once or as what the promise resolves with: begin, and call `leave` when done. Else it resolves with the
   * fault to answer, and nothing has begun. A waiter leaves by itself at `giveUpAt`, an instant of the room's clock.
   */
  enter(storeId: string, giveUpAt = Number.POSITIVE_INFINITY): Promise<Fault | undefined> | undefined {
    if (this.#inFlight < this.#maxInFlight) {
      this.#inFlight += 1;
      return undefined;
    }
    const now = this.#now();
    if (giveUpAt <= now || !this.#hasPlaceFor(storeId, now)) return this.#refused;
    return new Promise((resolve) => this.#wait(storeId, { since: now, giveUpAt, resolve }));
  }

  /** Somebody who had begun is done: the next one's turn. */
  leave(): void {
    const now = this.#now();
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      const mayBegin = next.giveUpAt > now;
      next.resolve(mayBegin ? undefined : this.full);
      if (mayBegin) return;
    }
    this.#inFlight -= 1;
  }

  #hasPlaceFor(storeId: string, now: number): boolean {
    const queue = this.#stores.get(storeId);
    if (queue === undefined) return this.#waiting < this.#maxWaiting;
    for (let oldest = queue.waiters[queue.head]; oldest !== undefined; oldest = queue.waiters[queue.head]) {
      if (oldest.giveUpAt > now) {
        if (now - oldest.since > this.#shedAfterMs) return false;
        break;
      }
      this.#takeHead(storeId, queue);
      oldest.resolve(this.full);
    }
    return queue.waiters.length - queue.head < this.#maxWaiting - this.#waiting;
  }

  #wait(storeId: string, waiter: Waiter): void {
    const queue = this.#stores.get(storeId);
    if (queue === undefined) this.#stores.set(storeId, { waiters: [waiter], head: 0 });
    else queue.waiters.push(waiter);
    this.#waiting += 1;
    this.#pruning ??= setTimeout(this.#prune, pruneEveryMs).unref();
  }

  /** The head of the store whose turn it is, which goes to the end of the round. */
  #next(): Waiter | undefined {
    for (const [storeId, queue] of this.#stores) {
      const waiter = this.#takeHead(storeId, queue);
      if (this.#stores.delete(storeId)) this.#stores.set(storeId, queue);
      return waiter;
    }
    return undefined;
  }

  #takeHead(storeId: string, queue: StoreQueue): Waiter | undefined {
    const waiter = queue.waiters[queue.head];
    queue.head += 1;
    this.#waiting -= 1;
    if (queue.head === queue.waiters.length) this.#stores.delete(storeId);
    else if (queue.head >= 1_000 && queue.head * 2 >= queue.waiters.length) {
      queue.waiters = queue.waiters.slice(queue.head);
      queue.head = 0;
    }
    return waiter;
  }

  /** While everything at work hangs, those who wait still leave in time. */
  readonly #prune = (): void => {
    const now = this.#now();
    for (const [storeId, queue] of this.#stores) {
      const left = queue.waiters.slice(queue.head).filter((waiter) => {
        if (waiter.giveUpAt > now) return true;
        waiter.resolve(this.full);
        this.#waiting -= 1;
        return false;
      });
      queue.waiters = left;
      queue.head = 0;
      if (left.length === 0) this.#stores.delete(storeId);
    }
    this.#pruning = this.#waiting > 0 ? setTimeout(this.#prune, pruneEveryMs).unref() : undefined;
  };
}
