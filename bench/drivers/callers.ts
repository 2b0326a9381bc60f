import { latenciesOf } from './open-loop.js';

/** What so many callers came to. */
export interface CallersResult {
  durationMs: number;
  /** Calls that resolved with true. */
  held: number;
  /** Of those. */
  p50Ms: number;
  p99Ms: number;
}

/** `calls` calls from so many callers in this process, each making its next one when it has its answer. Rejects as the first call does. */
export async function runCallers(
  callers: number,
  calls: number,
  call: (n: number) => Promise<boolean>,
): Promise<CallersResult> {
  const latencies: number[] = [];
  let next = 0;
  const callInTurn = async (): Promise<void> => {
    while (next < calls) {
      const calledAt = performance.now();
      if (await call(next++)) latencies.push(performance.now() - calledAt);
    }
  };
  const begun = performance.now();
  await Promise.all(Array.from({ length: callers }, callInTurn));
  const durationMs = performance.now() - begun;
  const { servedP50Ms: p50Ms, servedP99Ms: p99Ms } = latenciesOf(latencies);
  return { durationMs, held: latencies.length, p50Ms, p99Ms };
}
