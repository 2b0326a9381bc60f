import { setTimeout as pause } from 'node:timers/promises';

const tickMs = 5;

/**
 * Sends at an even pace for so long, whatever became of those before, as a crowd does. Resolves when every one has ended,
 * with how many were sent and how long the sending took.
 */
export async function atPace(
  { perSecond, seconds }: { perSecond: number; seconds: number },
  send: (index: number) => Promise<unknown>,
): Promise<{ sent: number; elapsedMs: number }> {
  const startedAt = performance.now();
  const sending: Promise<unknown>[] = [];
  const wanted = Math.round(perSecond * seconds);
  while (sending.length < wanted) {
    const elapsedMs = performance.now() - startedAt;
    const due = Math.min(wanted, 1 + Math.floor((elapsedMs * perSecond) / 1_000));
    while (sending.length < due) sending.push(send(sending.length));
    await pause(tickMs);
  }
  const elapsedMs = performance.now() - startedAt;
  await Promise.all(sending);
  return { sent: wanted, elapsedMs };
}
