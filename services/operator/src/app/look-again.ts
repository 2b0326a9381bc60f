import { setTimeout as pause } from 'node:timers/promises';
import { type Fault, faultOf } from '#libs/refusal/fault.js';

export interface LookAgainOptions {
  everyMs: number;
  /** Ends it, also while it waits. */
  stop: AbortSignal;
}

/** What there is to see now, or why it could not be seen. */
export type Look<Seen> = { seen: Seen } | { fault: Fault };

/** Looks again and again until it is stopped. A first look that fails is thrown, a later one is a look as any other. */
export async function* lookAgain<Seen>(
  look: () => Promise<Seen>,
  { everyMs, stop }: LookAgainOptions,
): AsyncGenerator<Look<Seen>> {
  const stopped = new Promise<undefined>((resolve) => stop.addEventListener('abort', () => resolve(undefined)));
  for (let isFirst = true; !stop.aborted; isFirst = false) {
    const next = look().then(
      (seen): Look<Seen> => ({ seen }),
      (error): Look<Seen> => ({ fault: faultOf(error) }),
    );
    const result = await Promise.race([next, stopped]);
    if (result === undefined) return;
    if (isFirst && 'fault' in result) throw result.fault;
    yield result;
    await pause(everyMs, undefined, { signal: stop }).catch(() => undefined);
  }
}
