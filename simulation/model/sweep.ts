import { decisionOf } from '#libs/ledger/decision.js';
import type { LedgerOrder } from '#libs/ledger/rows.js';
import { leftUnits, skusOf } from '../../services/inventory/src/app/settle-claims.js';
import { ask, type Flow } from './flow.js';
import {
  claimsList,
  claimsSettle,
  gatesSync,
  type JournalEntry,
  promisesList,
  type Settlement,
} from './gate-scripts.js';
import type { Mesh } from './mesh.js';

const SETTLE_AFTER_MS = 1000;
const DROP_AFTER_MS = 4000;

/** Goes through the journal once, as sweep-journal.ts does. */
export function* sweep(mesh: Mesh): Flow {
  try {
    yield* admitPromises(mesh);
    for (const skuId of mesh.ledger.skus.keys()) yield* sweepSku(mesh, skuId);
  } catch {
    // The next sweep goes on.
  }
}

function* admitPromises({ ledger, redis, rules }: Mesh): Flow {
  for (const claim of yield* ask('REDIS', () => promisesList(redis, SETTLE_AFTER_MS))) {
    const { orderId, lines } = claim;
    const settlement = { orderId, skuIds: skusOf(lines), again: true };
    if (!rules.has('promise-dropped')) {
      const decision = yield* ask('LEDGER', () => ledger.admit(claim, { record: true }));
      settlement.again = leftUnits(decision);
    }
    yield* ask('REDIS', () => claimsSettle(redis, [settlement]));
  }
}

function* sweepSku({ ledger, redis, rules }: Mesh, skuId: string): Flow {
  const isEager = rules.has('eager-sweep');
  const entries = yield* ask('REDIS', () => claimsList(redis, skuId, isEager ? 0 : SETTLE_AFTER_MS));
  if (entries.length === 0) return;
  const orders = yield* ask('LEDGER', () => ledger.ordersRead(entries.map(({ orderId }) => orderId)));
  const decided = settlementsOf(entries, orders);
  const isDecided = new Set(orders.map(({ orderId }) => orderId));
  const stale = entries.flatMap(({ orderId, stampMs, ageMs }) =>
    isDecided.has(orderId) || (ageMs <= DROP_AFTER_MS && !isEager)
      ? []
      : [{ orderId, skuIds: [skuId], again: true, stampMs }],
  );
  yield* ask('REDIS', () => claimsSettle(redis, decided));
  yield* ask('REDIS', () => claimsSettle(redis, stale));
}

/** What the ledger knows of claims in a journal. */
export function settlementsOf(entries: readonly JournalEntry[], orders: readonly LedgerOrder[]): Settlement[] {
  const known = new Map(orders.map((order) => [order.orderId, decisionOf(order)]));
  return entries.flatMap(({ orderId, skuId }) => {
    const decision = known.get(orderId);
    return decision ? [{ orderId, skuIds: [skuId], again: leftUnits(decision) }] : [];
  });
}

/** Sets the gates from one read of the ledger. */
export function* sync({ ledger, redis, rules }: Mesh): Flow {
  try {
    const { nowMs, skus } = yield* ask('LEDGER', () => ledger.parkedRead([]));
    yield* ask('REDIS', () => gatesSync(redis, nowMs, skus, rules));
  } catch {
    // The next one goes on.
  }
}
