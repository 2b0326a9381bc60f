const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** Before each attempt, since the one before: the schedule that Standard Webhooks 1.0 gives. */
const waitsMs: readonly number[] = [
  0,
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
];

const longestMs = 24 * hour;
/** Of a wait, up and down: endpoints that failed together do not come back together. */
const jitter = 0.1;

/**
 * How long to wait after `failed` attempts; undefined: it is not tried any more. `random` is 0..1. An endpoint that named a
 * time (`retryAfterMs`) is not asked earlier, but after a day at the latest.
 */
export function nextAttemptInMs(failed: number, random: number, retryAfterMs = 0): number | undefined {
  const wait = waitsMs[failed];
  if (wait === undefined) return undefined;
  const jittered = wait * (1 - jitter + 2 * jitter * random);
  return Math.round(Math.max(jittered, Math.min(retryAfterMs, longestMs)));
}

/** A `Retry-After` in milliseconds from now: seconds or a date. Undefined when it is neither, or over. */
export function retryAfterMs(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined;
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * second : Date.parse(header) - now.getTime();
  return ms > 0 ? ms : undefined;
}
