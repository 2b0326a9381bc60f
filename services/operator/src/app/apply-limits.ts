import { type Fault, faultOf } from '#libs/refusal/fault.js';
import type { LimitChange } from '../domain/limit-change.js';
import type { Limits, LimitsSet } from './ports.js';

/** A change that the gateway refused. */
export interface NotApplied {
  change: LimitChange;
  fault: Fault;
}

/** Sets them one after the other. A refused one stops nothing; rejects when the gateway cannot be reached. */
export async function applyLimits(
  limits: Limits,
  changes: readonly LimitChange[],
): Promise<{ applied: LimitsSet[]; failed: NotApplied[] }> {
  const applied: LimitsSet[] = [];
  const failed: NotApplied[] = [];
  for (const change of changes) {
    try {
      applied.push(await limits.setLimits(change));
    } catch (error) {
      const fault = faultOf(error);
      if (fault.reason === 'UNAVAILABLE' || fault.reason === 'TOO_LATE') throw fault;
      failed.push({ change, fault });
    }
  }
  return { applied, failed };
}
