import { setTimeout as sleep } from 'node:timers/promises';
import type { Ledger } from '#libs/ledger/ledger.js';

/** Each is a row for each endpoint of its store, of which there are 20 at most: no call takes long. */
const eventsAtOnce = 200;
const restMs = 250;

export interface AddPorts {
  readonly ledger: Pick<Ledger, 'webhookDeliveriesAdd'>;
  /** Hears of deliveries that were written. */
  readonly added: () => void;
  readonly failed: (error: unknown) => void;
  readonly went: () => void;
}

/** Writes the deliveries of what was told until `closing`. What cannot be written stays due, and is tried again. */
export async function addDeliveries({ ledger, added, failed, went }: AddPorts, closing: AbortSignal): Promise<void> {
  while (!closing.aborted) {
    let events = 0;
    try {
      events = await ledger.webhookDeliveriesAdd(eventsAtOnce);
      if (events > 0) added();
      went();
    } catch (error) {
      failed(error);
    }
    if (events < eventsAtOnce) await sleep(restMs, undefined, { signal: closing }).catch(() => undefined);
  }
}
