import type { LedgerOrder } from '#libs/ledger/rows.js';
import { Fault } from '#libs/refusal/fault.js';
import { isFinal } from '../domain/order-state.js';
import { Nudge } from './nudge.js';

/** All watched orders are read so often, whatever was heard. */
const readAllEveryMs = 1_000;
const idsPerRead = 500;

export interface WatchOptions {
  /** One order, if the user may see it; else Fault ORDER_NOT_FOUND. */
  readonly getOrder: (orderId: string, userId: string | undefined) => Promise<LedgerOrder>;
  readonly ordersRead: (orderIds: string[]) => Promise<LedgerOrder[]>;
  readonly maxWatchers: number;
  /** Begins to hear of changes that other processes made, and gives how to stop: only while somebody watches. */
  readonly listen: (changed: (orderId: string) => void) => () => void;
  readonly failed: (error: unknown) => void;
}

interface Watcher {
  latest?: LedgerOrder;
  wake?: () => void;
}

/**
 * Follows orders for all who watch: what was heard to have changed is read together, one read at a time, and everything
 * once a second. A slow watcher gets the newest state and misses those between.
 */
export class OrderWatch {
  readonly #options: WatchOptions;
  readonly #closing: AbortSignal;
  readonly #watchers = new Map<string, Set<Watcher>>();
  readonly #changed = new Set<string>();
  readonly #nudge = new Nudge();
  #count = 0;
  #stopListening: (() => void) | undefined;

  constructor(options: WatchOptions, closing: AbortSignal) {
    this.#options = options;
    this.#closing = closing;
  }

  /** A hint that these orders changed; losing it costs at most a second. */
  changed(orderIds: Iterable<string>): void {
    for (const orderId of orderIds) if (this.#watchers.has(orderId)) this.#changed.add(orderId);
    if (this.#changed.size > 0) this.#nudge.give();
  }

  /**
   * The order now and after each change, until its state is final or the caller goes away. Faults: ORDER_NOT_FOUND, BUSY
   * when too many watch already, UNAVAILABLE when this process closes.
   */
  async *follow(orderId: string, userId: string | undefined, gone: AbortSignal): AsyncGenerator<LedgerOrder> {
    const watcher = this.#add(orderId);
    const wake = (): void => watcher.wake?.();
    gone.addEventListener('abort', wake);
    try {
      let order: LedgerOrder | undefined = await this.#options.getOrder(orderId, userId);
      while (order) {
        yield order;
        if (isFinal(order.state)) return;
        order = await this.#newer(watcher, order.version, gone);
      }
    } finally {
      gone.removeEventListener('abort', wake);
      this.#remove(orderId, watcher);
    }
  }

  /** Feeds the watchers until the process closes. */
  async run(): Promise<void> {
    let allReadAtMs = performance.now();
    while (!this.#closing.aborted) {
      const untilAllMs = allReadAtMs + readAllEveryMs - performance.now();
      if (untilAllMs > 0) await this.#nudge.wait(untilAllMs, this.#closing);
      const readAll = performance.now() >= allReadAtMs + readAllEveryMs;
      if (readAll) allReadAtMs = performance.now();
      const orderIds = [...(readAll ? this.#watchers.keys() : this.#changed)];
      this.#changed.clear();
      await this.#read(orderIds).catch(this.#options.failed);
    }
    for (const watcher of [...this.#watchers.values()].flatMap((set) => [...set])) watcher.wake?.();
  }

  async #read(orderIds: readonly string[]): Promise<void> {
    for (let from = 0; from < orderIds.length; from += idsPerRead) {
      for (const order of await this.#options.ordersRead(orderIds.slice(from, from + idsPerRead))) {
        for (const watcher of this.#watchers.get(order.orderId) ?? []) {
          watcher.latest = order;
          watcher.wake?.();
        }
      }
    }
  }

  /** The next state after `version`; undefined when the caller is gone. */
  async #newer(watcher: Watcher, version: number, gone: AbortSignal): Promise<LedgerOrder | undefined> {
    while (!gone.aborted) {
      if (watcher.latest && watcher.latest.version > version) return watcher.latest;
      if (this.#closing.aborted) throw new Fault('UNAVAILABLE', 'this process closes; watch again');
      await new Promise<void>((resolve) => {
        watcher.wake = resolve;
      });
    }
    return undefined;
  }

  #add(orderId: string): Watcher {
    if (this.#count >= this.#options.maxWatchers) throw new Fault('BUSY', 'too many orders are watched here');
    this.#count += 1;
    this.#stopListening ??= this.#options.listen((changed) => this.changed([changed]));
    const watcher: Watcher = {};
    const others = this.#watchers.get(orderId);
    if (others) others.add(watcher);
    else this.#watchers.set(orderId, new Set([watcher]));
    return watcher;
  }

  #remove(orderId: string, watcher: Watcher): void {
    this.#count -= 1;
    const others = this.#watchers.get(orderId);
    others?.delete(watcher);
    if (others?.size === 0) this.#watchers.delete(orderId);
    if (this.#count > 0) return;
    this.#stopListening?.();
    this.#stopListening = undefined;
  }
}
