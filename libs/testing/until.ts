import { setTimeout as pause } from 'node:timers/promises';

/**
 * Asks again and again until `condition` gives something true, and resolves that. One that throws is asked
 * again too; after `timeoutMs` (10 s by default) it rejects with `describe()` and the last error as cause.
 */
export async function until<T>(
  condition: () => T | Promise<T>,
  { timeoutMs = 10_000, describe }: { timeoutMs?: number; describe?: string | (() => string) } = {},
): Promise<NonNullable<T>> {
  const deadline = performance.now() + timeoutMs;
  let cause: unknown;
  for (let wait = 2; ; wait = Math.min(wait * 1.5, 50)) {
    try {
      const value = await condition();
      if (value) return value;
      cause = undefined;
    } catch (error) {
      cause = error;
    }
    if (performance.now() >= deadline) break;
    await pause(wait);
  }
  const what = typeof describe === 'function' ? describe() : (describe ?? condition.toString());
  throw new Error(`not within ${timeoutMs} ms: ${what}`, { cause });
}
