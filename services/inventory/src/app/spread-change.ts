import type { PlaceHolds } from './place-holds.js';
import type { SyncGates } from './sync-gates.js';

export interface ChangeHearers {
  placeHolds: Pick<PlaceHolds, 'freed'>;
  syncGates: Pick<SyncGates, 'syncSkus'> | undefined;
}

/**
 * Lets the gates and whoever waits here learn at once what was changed of skus. Never rejects: the ledger decides by the
 * change already, and a gate that was not reached learns it by the next sync, at the latest when it lets in what the
 * ledger refuses.
 */
export async function spreadChange({ placeHolds, syncGates }: ChangeHearers, skuIds: readonly string[]): Promise<void> {
  if (skuIds.length === 0) return;
  await syncGates?.syncSkus(skuIds).catch(() => undefined);
  placeHolds.freed(skuIds);
}
