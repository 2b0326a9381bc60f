import { Fault } from '#libs/refusal/fault.js';
import { type Patience, pause, undecidedOrThrow, waitAfterFault } from './insist.js';
import type { CallAs, Voice } from './voice.js';

/** How a thing is followed. */
export interface Following<Item> {
  /** Opens one stream of the thing as it is now and after each change. */
  open(options: CallAs): AsyncIterable<Item>;
  /** Whether `item` tells anything that `told` did not: a stream that is opened again begins with what was told already. */
  isNews(item: Item, told: Item): boolean;
  isFinal(item: Item): boolean;
}

/** What a follower may choose. */
export type Watching = Pick<Patience, 'signal' | 'onWait'>;

/** A stream is opened anew after an hour. */
const STREAM_MAX_MS = 3_600_000;

/**
 * A thing now and after each change, until nothing can change any more; a slow reader misses states between, never the last one. A
 * stream that breaks is opened again, as often as it takes, no sooner than the peer said: each begins with the thing as it is, so what
 * happened meanwhile is told. Rejects with the Fault that no repetition mends, and with CANCELLED when the signal aborts.
 */
export async function* follow<Item>(
  voice: Voice,
  { open, isNews, isFinal }: Following<Item>,
  { signal, onWait }: Watching,
): AsyncGenerator<Item> {
  let told: Item | undefined;
  for (let setbacks = 0; ; setbacks += 1) {
    let fault = new Fault('UNAVAILABLE', 'The stream ended without a word');
    let heard = false;
    try {
      const options = await voice.options({ deadlineMs: STREAM_MAX_MS, ...(signal && { signal }) });
      for await (const item of open(options)) {
        heard = true;
        setbacks = 0;
        if (told !== undefined && !isNews(item, told)) continue;
        told = item;
        yield item;
        if (isFinal(item)) return;
      }
      // Whatever breaks a stream is an error: one that ends has nothing more to tell, also of a state that only newer gateways know.
      if (heard) return;
    } catch (thrown) {
      // The stream has outlived the token that it was opened with: the next one is opened with what is the token then.
      fault = heard && thrown instanceof Fault && thrown.reason === 'TOKEN_EXPIRED' ? thrown : undecidedOrThrow(thrown);
    }
    const waiting = waitAfterFault(fault, setbacks);
    onWait?.(waiting);
    await pause(waiting.waitMs, signal);
  }
}
