import type { LimitChange, Rate } from '../domain/limit-change.js';
import type { Limits, LimitsSet } from './ports.js';

/** What was set, and what its store says beside it. */
export interface LimitsChanged extends LimitsSet {
  /** What holds where neither sku nor store sets anything; absent when it could not be read. */
  configured?: Rate;
  /** A store without skus may be set up before its skus are, or be a wrong name. */
  hasNoSkus: boolean;
}

/** Sets one, and reads what holds for it now. */
export async function setLimits(limits: Limits, change: LimitChange): Promise<LimitsChanged> {
  const changed = await limits.setLimits(change);
  try {
    const { configured, skus } = await limits.listLimits(change.storeId, '');
    return { ...changed, ...(configured && { configured }), hasNoSkus: skus.length === 0 };
  } catch {
    // The change is made all the same: to tell of a failure would be wrong.
    return { ...changed, hasNoSkus: false };
  }
}
