import { Fault } from '#libs/refusal/fault.js';
import type { Place, Requests } from './ports.js';

const pollEveryMs = 500;

export interface PlaceWatchersOptions {
  /** Absent: there is no line. */
  requests: Pick<Requests, 'place'> | undefined;
  pollMs?: number;
  /** Watchers over all users (10,000). */
  watchersMax?: number;
  /** Watchers of one user (20). */
  watchersOfUserMax?: number;
}

/** A user's place in the line of a sku. */
export type PlaceAsked = Parameters<Requests['place']>[0];

/** What one watcher has not read yet: the place as it is now, or why it cannot be told. */
interface Watcher {
  readonly asked: PlaceAsked;
  news: Place | Fault | undefined;
  last: Place | undefined;
  wake: (() => void) | undefined;
}

/**
 * Follows places in line. All watchers share one poll: twice a second each place is asked about, together with all others,
 * however many watch it. A watcher that reads slowly misses what was in between and holds nobody up.
 */
export class PlaceWatchers {
  readonly #options: PlaceWatchersOptions;
  readonly #watchers = new Map<string, Set<Watcher>>();
  readonly #ofUser = new Map<string, number>();
  #count = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: PlaceWatchersOptions) {
    this.#options = options;
  }

  /**
   * The place now and after each change, until its turn has come or it is gone. Rejects with UNAVAILABLE while places
   * cannot be asked about, and with BUSY when too many watch. Ends with the signal's reason when that aborts.
   */
  async *watch(asked: PlaceAsked, signal: AbortSignal): AsyncGenerator<Place> {
    const watcher: Watcher = { asked, news: undefined, last: undefined, wake: undefined };
    const onAbort = (): void => watcher.wake?.();
    this.#enter(watcher);
    signal.addEventListener('abort', onAbort);
    try {
      for (;;) {
        if (watcher.news === undefined) await new Promise<void>((resolve) => this.#waitFor(watcher, signal, resolve));
        if (signal.aborted) throw signal.reason;
        const news = takeNews(watcher);
        if (news === undefined) continue;
        if (news instanceof Fault) throw news;
        yield news;
        if (news.state !== 'WAITING') return;
      }
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#leave(watcher);
    }
  }

  get count(): number {
    return this.#count;
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #enter(watcher: Watcher): void {
    const { userId } = watcher.asked;
    const { watchersMax = 10_000, watchersOfUserMax = 20 } = this.#options;
    const ofUser = this.#ofUser.get(userId) ?? 0;
    if (this.#count >= watchersMax || ofUser >= watchersOfUserMax) {
      throw new Fault('BUSY', 'Too many places are watched: ask again with the reservation itself');
    }
    this.#count += 1;
    this.#ofUser.set(userId, ofUser + 1);
    const key = keyOf(watcher.asked);
    const others = this.#watchers.get(key);
    if (others === undefined) this.#watchers.set(key, new Set([watcher]));
    else others.add(watcher);
    void this.#ask(watcher.asked);
    this.#timer ??= this.#pollLater();
  }

  #leave(watcher: Watcher): void {
    const { userId } = watcher.asked;
    this.#count -= 1;
    const ofUser = (this.#ofUser.get(userId) ?? 0) - 1;
    if (ofUser > 0) this.#ofUser.set(userId, ofUser);
    else this.#ofUser.delete(userId);
    const key = keyOf(watcher.asked);
    const watchers = this.#watchers.get(key);
    watchers?.delete(watcher);
    if (watchers?.size === 0) this.#watchers.delete(key);
  }

  #waitFor(watcher: Watcher, signal: AbortSignal, resolve: () => void): void {
    if (signal.aborted) resolve();
    else watcher.wake = resolve;
  }

  #pollLater(): NodeJS.Timeout {
    return setTimeout(() => void this.#poll(), this.#options.pollMs ?? pollEveryMs);
  }

  /** The next poll begins when every place of this one is known. */
  async #poll(): Promise<void> {
    const asked = [...this.#watchers.values()].map(([watcher]) => watcher?.asked);
    await Promise.all(asked.map((one) => one && this.#ask(one)));
    this.#timer = this.#count > 0 ? this.#pollLater() : undefined;
  }

  async #ask(asked: PlaceAsked): Promise<void> {
    const { requests } = this.#options;
    let news: Place | Fault;
    try {
      if (requests === undefined) news = { state: 'GONE', peopleAhead: 0, retryAfterMs: 0 };
      else news = await requests.place(asked);
    } catch (cause) {
      news = new Fault('UNAVAILABLE', 'Places in line cannot be told now', { cause });
    }
    for (const watcher of this.#watchers.get(keyOf(asked)) ?? []) {
      watcher.news = news;
      watcher.wake?.();
      watcher.wake = undefined;
    }
  }
}

/** What is new to the watcher; undefined when it has seen just that. */
function takeNews(watcher: Watcher): Place | Fault | undefined {
  const { news, last } = watcher;
  watcher.news = undefined;
  if (news === undefined || news instanceof Fault) return news;
  const isKnown =
    last?.state === news.state && last.peopleAhead === news.peopleAhead && last.retryAfterMs === news.retryAfterMs;
  watcher.last = news;
  return isKnown ? undefined : news;
}

function keyOf({ userId, storeId, skuId }: PlaceAsked): string {
  return `${userId} ${storeId} ${skuId}`;
}
