import { type Fault, faultOf } from '#libs/refusal/fault.js';
import type { ScopeWanted, SwitchChange } from '../domain/switch-change.js';
import { isSameScope, type Scope, type Setting, type Switch, wholeMesh } from '../domain/switches.js';
import type { Gateway } from './ports.js';

type Reach = Pick<Gateway, 'switches' | 'skus' | 'limits'>;

/** A switch as it is now. */
export interface SwitchSet {
  now: Switch;
  /** A store without skus may be set up before its skus are, or be a wrong name. */
  hasNoSkus: boolean;
}

/** Somebody else set the switch after its version was read; nothing was changed. */
export class SwitchChanged extends Error {
  override readonly name = 'SwitchChanged';

  constructor(
    readonly fault: Fault,
    /** As it is now; absent when it cannot be read. */
    readonly now: Switch | undefined,
  ) {
    super(fault.message, { cause: fault });
  }
}

/** Sets a switch over the version that is given, else over the one that is read now. Rejects with SwitchChanged. */
export async function setSwitch(reach: Reach, change: SwitchChange): Promise<SwitchSet> {
  const scope = await findScope(reach, change.scope);
  const { setting, reason, expiresInSeconds } = change;
  const expectedVersion = change.expectedVersion ?? (await current(reach, scope, setting))?.version ?? 0;
  try {
    const now = await reach.switches.setSwitch({ scope, setting, reason, expiresInSeconds, expectedVersion });
    return { now, hasNoSkus: await hasNoSkus(reach, scope) };
  } catch (error) {
    const fault = faultOf(error);
    if (fault.reason !== 'SWITCH_CHANGED') throw fault;
    const now = await current(reach, scope, setting).catch(() => undefined);
    throw new SwitchChanged(fault, now);
  }
}

/** The scope that is meant; the store of a sku is looked up when it is not named. */
export async function findScope({ skus }: Pick<Gateway, 'skus'>, { storeId, skuId }: ScopeWanted): Promise<Scope> {
  if (skuId !== undefined) {
    return { kind: 'sku', storeId: storeId ?? (await skus.getSku(skuId)).sku.storeId, skuId };
  }
  return storeId === undefined ? wholeMesh : { kind: 'store', storeId, skuId: '' };
}

/** Unknown counts as no: the switch is set all the same. */
async function hasNoSkus({ limits }: Reach, { kind, storeId }: Scope): Promise<boolean> {
  if (kind !== 'store') return false;
  return limits.listLimits(storeId, '').then(
    ({ skus }) => skus.length === 0,
    () => false,
  );
}

async function current({ switches }: Reach, scope: Scope, { of }: Setting): Promise<Switch | undefined> {
  const all = await switches.getSwitches();
  return all.find((candidate) => candidate.setting.of === of && isSameScope(candidate.scope, scope));
}
