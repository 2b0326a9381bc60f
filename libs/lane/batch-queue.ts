import type { Fault } from '#libs/refusal/fault.js';

/** How a queue is cut into batches. */
export interface BatchQueueOptions<Item> {
  /** Items in one batch at most; a function is asked before each batch. */
  maxBatch?: number | (() => number);
  /** Sum of `weigh` over one batch at most (lines, bytes); a heavier item goes alone. */
  maxWeight?: number;
  weigh?: (item: Item) => number;
  /** Items that may wait. */
  maxWaiting?: number;
  /** When not all fit into one batch, keys take turns. Within a key the order of arrival is kept. */
  keyOf?: (item: Item) => string;
  /** Asked when a batch is filled: the fault an item leaves with instead of going on. */
  droppedIf?: (item: Item) => Fault | undefined;
}

/** The items of one key that wait, first in first out. */
interface KeyQueue<Item> {
  items: Item[];
  head: number;
}

/**
 * A bounded queue that is emptied batch by batch. As long as all that waits fits into one batch, taking it is handing over an array;
 * only a longer queue is sorted by key, so that a hot key cannot make a cold one wait.
 */
export class BatchQueue<Item> {
  readonly #options: BatchQueueOptions<Item>;
  readonly #maxBatch: () => number;
  readonly #maxWeight: number;
  readonly #maxWaiting: number;
  #arrived: Item[] = [];
  /** Older than everything in #arrived. Iterates in the order in which keys have their turn. */
  readonly #byKey = new Map<string, KeyQueue<Item>>();
  #waiting = 0;
  #weight = 0;

  constructor(options: BatchQueueOptions<Item>) {
    this.#options = options;
    const { maxBatch = 500 } = options;
    this.#maxBatch = typeof maxBatch === 'number' ? () => maxBatch : maxBatch;
    this.#maxWeight = options.maxWeight ?? Number.POSITIVE_INFINITY;
    this.#maxWaiting = options.maxWaiting ?? 20_000;
  }

  /** Items that wait. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Takes an item in, or answers false because the queue is full. */
  push(item: Item): boolean {
    if (this.#waiting >= this.#maxWaiting) return false;
    this.#waiting += 1;
    this.#weight += this.#options.weigh?.(item) ?? 0;
    this.#arrived.push(item);
    return true;
  }

  /** Takes the next batch out. Empty when nothing waits, or when all that waited was dropped. */
  take(onDropped: (item: Item, fault: Fault) => void): Item[] {
    const maxBatch = this.#maxBatch();
    const fits = this.#waiting <= maxBatch && this.#weight <= this.#maxWeight;
    return fits && this.#byKey.size === 0 ? this.#takeAll(onDropped) : this.#takeInTurns(onDropped, maxBatch);
  }

  /** Drops what would be dropped if its turn came now. For when no turn comes. */
  prune(onDropped: (item: Item, fault: Fault) => void): void {
    this.#arrived = this.#arrived.filter((item) => this.#keeps(item, onDropped));
    for (const [key, queue] of this.#byKey) {
      queue.items = queue.items.slice(queue.head).filter((item) => this.#keeps(item, onDropped));
      queue.head = 0;
      if (queue.items.length === 0) this.#byKey.delete(key);
    }
  }

  #keeps(item: Item, onDropped: (item: Item, fault: Fault) => void): boolean {
    const fault = this.#options.droppedIf?.(item);
    if (fault === undefined) return true;
    this.#waiting -= 1;
    this.#weight -= this.#options.weigh?.(item) ?? 0;
    onDropped(item, fault);
    return false;
  }

  #takeAll(onDropped: (item: Item, fault: Fault) => void): Item[] {
    if (this.#options.droppedIf !== undefined) this.prune(onDropped);
    const batch = this.#arrived;
    this.#arrived = [];
    this.#waiting = 0;
    this.#weight = 0;
    return batch;
  }

  #takeInTurns(onDropped: (item: Item, fault: Fault) => void, maxBatch: number): Item[] {
    this.#sortArrived();
    const batch: Item[] = [];
    let weight = 0;
    // A key that still has items is put back at the end, where this same loop meets it again.
    for (const [key, queue] of this.#byKey) {
      if (batch.length >= maxBatch) break;
      const item = queue.items[queue.head] as Item;
      const kept = this.#keeps(item, onDropped);
      if (kept) {
        const itemWeight = this.#options.weigh?.(item) ?? 0;
        if (batch.length > 0 && weight + itemWeight > this.#maxWeight) break;
        weight += itemWeight;
        this.#weight -= itemWeight;
        this.#waiting -= 1;
        batch.push(item);
      }
      this.#byKey.delete(key);
      if (advance(queue)) this.#byKey.set(key, queue);
    }
    return batch;
  }

  #sortArrived(): void {
    const { keyOf } = this.#options;
    for (const item of this.#arrived) {
      const key = keyOf?.(item) ?? '';
      const queue = this.#byKey.get(key);
      if (queue === undefined) this.#byKey.set(key, { items: [item], head: 0 });
      else queue.items.push(item);
    }
    this.#arrived = [];
  }
}

/** Leaves the head behind and answers whether anything is left. A queue that never empties is cut now and then. */
function advance<Item>(queue: KeyQueue<Item>): boolean {
  queue.head += 1;
  if (queue.head >= 1_000 && queue.head * 2 >= queue.items.length) {
    queue.items = queue.items.slice(queue.head);
    queue.head = 0;
  }
  return queue.head < queue.items.length;
}
