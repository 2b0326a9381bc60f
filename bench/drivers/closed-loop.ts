import { isServed, latenciesOf, type Stretch } from './open-loop.js';
import type { ClosedPlan } from './stream-driver.js';
import type { ItemEnded } from './stream-load.js';

export interface ClosedLoop {
  /** Hears how each item ended. */
  end: ItemEnded;
  /** Resolves when all have ended. */
  run(): Promise<Stretch>;
  /** Sends no more; those in flight end. */
  stop(): void;
}

/** A closed loop: so many items in flight, the next as soon as one has ended; those that ended in one tick are followed together. */
export function closedLoop(
  { inFlight, warmUp, items }: ClosedPlan,
  send: (from: number, to: number) => void,
): ClosedLoop {
  let total = warmUp + items;
  const sentAt = new Float64Array(total);
  const served: number[] = [];
  const outcomes: Record<string, number> = {};
  let [next, ended, begun, flushIsDue] = [0, 0, 0, false];
  let whenAllEnded: () => void = () => {};

  const flush = (): void => {
    flushIsDue = false;
    const from = next;
    next = Math.min(total, ended + inFlight);
    sentAt.fill(performance.now(), from, next);
    if (next > from) send(from, next);
  };
  const end: ItemEnded = (item, outcome) => {
    ended += 1;
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    if (ended === warmUp) begun = performance.now();
    if (ended > warmUp && isServed(outcome)) served.push(performance.now() - (sentAt[item] ?? 0));
    if (ended === total) whenAllEnded();
    if (flushIsDue) return;
    flushIsDue = true;
    setImmediate(flush);
  };
  const run = async (): Promise<Stretch> => {
    begun = performance.now();
    const done = new Promise<void>((resolve) => {
      whenAllEnded = resolve;
    });
    flush();
    await done;
    const toMs = performance.now() - begun;
    const latencies = latenciesOf(served);
    return { fromMs: 0, toMs, sent: total - warmUp, served: served.length, outcomes, ...latencies, lastAnswerMs: toMs };
  };
  const stop = (): void => {
    total = next;
    if (ended === total) whenAllEnded();
  };
  return { end, run, stop };
}
