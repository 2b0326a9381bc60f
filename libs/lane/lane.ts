import { Fault } from '#libs/refusal/fault.js';
import { type Scope, tracing } from '#libs/tracing/tracing.js';
import { BatchQueue, type BatchQueueOptions } from './batch-queue.js';

export interface LaneOptions<Item, Result> extends BatchQueueOptions<Item> {
  /** Names the lane in faults. */
  name: string;
  /** Handles a batch and answers in its order. When it rejects, every item of the batch is rejected with the same error. */
  run: (batch: Item[]) => Promise<Result[]>;
  /** Runs that may be in flight together (1). */
  turns?: number;
}

interface Waiter<Item, Result> {
  item: Item;
  /** The trace that it is part of, if there is one. */
  scope: Scope | undefined;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/**
 * Natural batching. An item that finds the lane idle goes alone, at the end of the current tick; whatever arrives while a
 * run is in flight goes together in the next. No timers: batches grow with the load and with nothing else.
 */
export class Lane<Item, Result> {
  readonly #run: (batch: Item[]) => Promise<Result[]>;
  readonly #turns: number;
  readonly #queue: BatchQueue<Waiter<Item, Result>>;
  // One fault for all who find the lane full: refusing must be cheapest when it happens most.
  readonly #full: Fault;
  #running = 0;
  #turnIsDue = false;
  #drained: (() => void)[] = [];

  constructor(options: LaneOptions<Item, Result>) {
    const { name, run, turns = 1, weigh, keyOf, droppedIf, ...limits } = options;
    this.#run = run;
    this.#turns = turns;
    this.#full = new Fault('BUSY', `Too many items wait for ${name}`, { metadata: { lane: name } });
    this.#queue = new BatchQueue({
      ...limits,
      ...(weigh && { weigh: (waiter: Waiter<Item, Result>) => weigh(waiter.item) }),
      ...(keyOf && { keyOf: (waiter: Waiter<Item, Result>) => keyOf(waiter.item) }),
      ...(droppedIf && { droppedIf: (waiter: Waiter<Item, Result>) => droppedIf(waiter.item) }),
    });
  }

  /** Items that wait for a turn; those of runs in flight are not among them. */
  get waiting(): number {
    return this.#queue.waiting;
  }

  /** Resolves with the item's result. Rejects with Fault BUSY when the lane is full, or with what dropped the item or failed its run. */
  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#queue.push({ item, scope: tracing?.scope, resolve, reject })) this.#schedule();
      else reject(this.#full);
    });
  }

  /** Resolves at the first moment at which nothing waits and nothing runs. Stop adding first. */
  drain(): Promise<void> {
    if (this.#isIdle()) return Promise.resolve();
    return new Promise((resolve) => this.#drained.push(resolve));
  }

  #isIdle(): boolean {
    return this.#running === 0 && this.#queue.waiting === 0;
  }

  #schedule(): void {
    if (this.#turnIsDue || this.#running >= this.#turns) return;
    if (this.#queue.waiting > 0) {
      this.#turnIsDue = true;
      setImmediate(this.#takeTurn);
    } else if (this.#running === 0 && this.#drained.length > 0) {
      for (const resolve of this.#drained.splice(0)) resolve();
    }
  }

  readonly #takeTurn = async (): Promise<void> => {
    this.#turnIsDue = false;
    const batch = this.#queue.take(drop);
    if (batch.length === 0) return this.#schedule();
    this.#running += 1;
    this.#schedule();
    try {
      const results = await this.#runTraced(batch);
      if (results.length !== batch.length) throw new Error(`${results.length} results for a batch of ${batch.length}`);
      for (const [i, waiter] of batch.entries()) waiter.resolve(results[i] as Result);
    } catch (error) {
      for (const waiter of batch) waiter.reject(error);
    }
    this.#running -= 1;
    this.#schedule();
  };

  #runTraced(batch: readonly Waiter<Item, Result>[]): Promise<Result[]> {
    const items = batch.map((waiter) => waiter.item);
    if (tracing === undefined) return this.#run(items);
    return tracing.batch(
      batch.map((waiter) => waiter.scope),
      () => this.#run(items),
    );
  }
}

function drop(waiter: { reject: (error: unknown) => void }, fault: Fault): void {
  waiter.reject(fault);
}
