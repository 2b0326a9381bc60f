import { setTimeout as pause } from 'node:timers/promises';
import { Fault, faultOf } from '#libs/refusal/fault.js';
import type { FeedOptions, Join, Listener, Told } from './feed.js';

const pauseMaxMs = 2_000;
/** A source that stood so long did not break because it was opened again too soon. */
const steadyAfterMs = 5_000;

/** What passes by itself. Before the first word only an absence is waited out: whoever asks shall hear of the rest. */
const passing: ReadonlySet<string> = new Set(['UNAVAILABLE', 'TOO_LATE', 'BUSY', 'RATE_LIMITED', 'CANCELLED']);

/** Tells each state once, and its last word last. Ends when `left` aborts. */
export type Source = (left: AbortSignal) => AsyncIterable<Told>;

interface Feed {
  readonly listeners: Set<Listener>;
  readonly left: AbortController;
  latest: Told | undefined;
}

/**
 * Sources that any number may listen to. The first listener of a key opens its source and the last one closes it; those
 * between share it, and hear at once what was told last.
 *
 * A source that breaks off is opened again behind the backs of its listeners, who hear nothing twice. When it stays away,
 * or says no, they are sent away: each comes back by itself, and hears why.
 */
export class SharedFeeds {
  readonly #feeds = new Map<string, Feed>();
  readonly #options: Required<FeedOptions>;

  constructor({ awayMaxMs = 15_000, firstMaxMs = 2_000, pauseMs = 100 }: FeedOptions = {}) {
    this.#options = { awayMaxMs, firstMaxMs, pauseMs };
  }

  /** How to listen to a source. Whoever has the key may hear all that the source tells. */
  of(key: string, source: Source): Join {
    return (listener) => this.#join(key, source, listener);
  }

  /** How many sources are open. */
  get size(): number {
    return this.#feeds.size;
  }

  #join(key: string, source: Source, listener: Listener): () => void {
    let feed = this.#feeds.get(key);
    if (feed === undefined) {
      feed = { listeners: new Set(), left: new AbortController(), latest: undefined };
      this.#feeds.set(key, feed);
      void this.#run(key, feed, source);
    }
    const { listeners, left, latest } = feed;
    listeners.add(listener);
    if (latest !== undefined) listener.heard(latest);
    return () => {
      if (!listeners.delete(listener) || listeners.size > 0) return;
      this.#forget(key, left);
    };
  }

  async #run(key: string, feed: Feed, source: Source): Promise<void> {
    let awaySinceMs = performance.now();
    for (let tries = 0; !feed.left.signal.aborted; tries += 1) {
      const openedAtMs = performance.now();
      let fault = new Fault('UNAVAILABLE', 'What is listened to broke off');
      try {
        for await (const told of source(feed.left.signal)) {
          awaySinceMs = performance.now();
          tell(feed, told);
          if (told.isLast) return this.#end(key, feed, undefined);
        }
      } catch (thrown) {
        fault = faultOf(thrown);
      }
      if (feed.left.signal.aborted) return;
      const nowMs = performance.now();
      if (nowMs - openedAtMs > steadyAfterMs) {
        tries = 0;
        awaySinceMs = nowMs;
      }
      if (!this.#isWorthATry(fault, feed, nowMs - awaySinceMs)) return this.#end(key, feed, fault);
      await this.#pauseBefore(tries, fault, feed.left.signal);
    }
  }

  #isWorthATry({ reason }: Fault, { latest }: Feed, awayMs: number): boolean {
    if (latest === undefined) return reason === 'UNAVAILABLE' && awayMs < this.#options.firstMaxMs;
    return passing.has(reason) && awayMs < this.#options.awayMaxMs;
  }

  /** At random between half and all of it: the sources that a dead gateway took with it do not all come back at once. */
  async #pauseBefore(tries: number, { reason, retryAfterMs = 0 }: Fault, left: AbortSignal): Promise<void> {
    const told = reason === 'RATE_LIMITED' ? retryAfterMs : 0;
    const longestMs = Math.max(told, Math.min(pauseMaxMs, this.#options.pauseMs * 2 ** Math.min(tries, 10)));
    await pause(longestMs * (0.5 + Math.random() / 2), undefined, { signal: left }).catch(() => undefined);
  }

  #end(key: string, feed: Feed, fault: Fault | undefined): void {
    this.#forget(key, feed.left);
    for (const listener of [...feed.listeners]) listener.ended(fault);
  }

  /** Whoever comes from now on opens the source anew. */
  #forget(key: string, left: AbortController): void {
    if (this.#feeds.get(key)?.left === left) this.#feeds.delete(key);
    left.abort();
  }
}

function tell(feed: Feed, told: Told): void {
  if (feed.latest?.id === told.id) return;
  feed.latest = told;
  for (const listener of [...feed.listeners]) listener.heard(told);
}
