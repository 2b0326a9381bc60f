import { setTimeout as sleep } from 'node:timers/promises';
import type { Ledger } from '#libs/ledger/ledger.js';

const rowsAtOnce = 1_000;
const everyMs = 600_000;

/** Takes away deliveries that were over long ago, until `closing`. What fails is tried again at the next look. */
export async function pruneDeliveries(
  {
    ledger,
    keepMs,
    failed,
  }: { ledger: Pick<Ledger, 'webhookPrune'>; keepMs: number; failed: (error: unknown) => void },
  closing: AbortSignal,
): Promise<void> {
  while (!closing.aborted) {
    const gone = await ledger.webhookPrune(keepMs, rowsAtOnce).catch((error: unknown) => {
      failed(error);
      return 0;
    });
    if (gone < rowsAtOnce) await sleep(everyMs, undefined, { signal: closing }).catch(() => undefined);
  }
}
