import { Fault } from '#libs/refusal/fault.js';
import { Nudge } from '#libs/runtime/nudge.js';

/** All that is watched is read so often, whatever was heard. */
const readAllEveryMs = 1_000;
const idsPerRead = 500;

export interface WatchOptions<Item> {
  /** One, if the user may see it; else a Fault. */
  readonly getOne: (id: string, userId: string | undefined) => Promise<Item>;
  readonly read: (ids: string[]) => Promise<Item[]>;
  readonly idOf: (item: Item) => string;
  readonly isNews: (item: Item, told: Item) => boolean;
  readonly isFinal: (item: Item) => boolean;
  readonly maxWatchers: number;
  /** Begins to hear of changes that other processes made, and gives how to stop: only while somebody watches. */
  readonly listen: (changed: (id: string) => void) => () => void;
  readonly failed: (error: unknown) => void;
}

interface Watcher<Item> {
  latest?: Item;
  wake?: () => void;
}

/**
 * Follows orders, or entries of waitlists, for all who watch: what was heard to have changed is read together, one read at
 * a time, and everything once a second. A slow watcher gets the newest state and misses those between.
 */
export class Watch<Item> {
  readonly #options: WatchOptions<Item>;
  readonly #closing: AbortSignal;
  readonly #watchers = new Map<string, Set<Watcher<Item>>>();
  readonly #changed = new Set<string>();
  readonly #nudge = new Nudge();
  #count = 0;
  #stopListening: (() => void) | undefined;

  constructor(options: WatchOptions<Item>, closing: AbortSignal) {
    this.#options = options;
    this.#closing = closing;
  }

  /** A hint that these changed; losing it costs at most a second. */
  changed(ids: Iterable<string>): void {
    for (const id of ids) if (this.#watchers.has(id)) this.#changed.add(id);
    if (this.#changed.size > 0) this.#nudge.give();
  }

  /**
   * It now and after each change, until its state is final or the caller goes away. Faults: those of getOne, BUSY
   * when too many watch already, UNAVAILABLE when this process closes.
   */
  async *follow(id: string, userId: string | undefined, gone: AbortSignal): AsyncGenerator<Item> {
    const watcher = this.#add(id);
    const wake = (): void => watcher.wake?.();
    gone.addEventListener('abort', wake);
    try {
      let item: Item | undefined = await this.#options.getOne(id, userId);
      while (item) {
        yield item;
        if (this.#options.isFinal(item)) return;
        item = await this.#newer(watcher, item, gone);
      }
    } finally {
      gone.removeEventListener('abort', wake);
      this.#remove(id, watcher);
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
      const ids = [...(readAll ? this.#watchers.keys() : this.#changed)];
      this.#changed.clear();
      await this.#read(ids).catch(this.#options.failed);
    }
    for (const watcher of [...this.#watchers.values()].flatMap((set) => [...set])) watcher.wake?.();
  }

  async #read(ids: readonly string[]): Promise<void> {
    for (let from = 0; from < ids.length; from += idsPerRead) {
      for (const item of await this.#options.read(ids.slice(from, from + idsPerRead))) {
        for (const watcher of this.#watchers.get(this.#options.idOf(item)) ?? []) {
          watcher.latest = item;
          watcher.wake?.();
        }
      }
    }
  }

  /** What is news after what was told; undefined when the caller is gone. */
  async #newer(watcher: Watcher<Item>, told: Item, gone: AbortSignal): Promise<Item | undefined> {
    while (!gone.aborted) {
      if (watcher.latest && this.#options.isNews(watcher.latest, told)) return watcher.latest;
      if (this.#closing.aborted) throw new Fault('UNAVAILABLE', 'this process closes; watch again');
      await new Promise<void>((resolve) => {
        watcher.wake = resolve;
      });
    }
    return undefined;
  }

  #add(id: string): Watcher<Item> {
    if (this.#count >= this.#options.maxWatchers) throw new Fault('BUSY', 'too many are watched here');
    this.#count += 1;
    this.#stopListening ??= this.#options.listen((changed) => this.changed([changed]));
    const watcher: Watcher<Item> = {};
    const others = this.#watchers.get(id);
    if (others) others.add(watcher);
    else this.#watchers.set(id, new Set([watcher]));
    return watcher;
  }

  #remove(id: string, watcher: Watcher<Item>): void {
    this.#count -= 1;
    const others = this.#watchers.get(id);
    others?.delete(watcher);
    if (others?.size === 0) this.#watchers.delete(id);
    if (this.#count > 0) return;
    this.#stopListening?.();
    this.#stopListening = undefined;
  }
}
