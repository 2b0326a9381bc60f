import type { OrderLine } from '#libs/contracts/order-lines.js';
import type { LedgerOrder, Sku } from './rows.js';
import type { SkuToPut } from './sku-violations.js';
import { claimOf, only, type TestLedger } from './test-ledger.js';
import type { EntryState, EntryWord } from './waitlist-rows.js';

/** A sku that is sold out and lets people wait, with its orders: one unit each, of holder-0, holder-1 … */
export async function waitingSku(
  db: TestLedger,
  parts: Partial<SkuToPut>,
): Promise<Sku & { holders: [LedgerOrder, ...LedgerOrder[]] }> {
  const sku = await db.sku({ onSoldOut: 'JOIN_WAITLIST', ...parts });
  const decisions = await db.ledger.claimsAdmit(
    Array.from({ length: sku.capacity }, (_, n) => claimOf(`holder-${n}`, sku.skuId)),
  );
  const [first, ...others] = decisions.flatMap((decision) => (decision.kind === 'ORDER' ? [decision.order] : []));
  if (!first || others.length + 1 < sku.capacity) throw new Error('the sku is not sold out');
  return { ...sku, holders: [first, ...others] };
}

/** The place of a claim that must get one. */
export async function joined(
  db: TestLedger,
  userId: string,
  wanted: string | readonly OrderLine[],
): Promise<EntryWord> {
  const decision = await db.admit(claimOf(userId, wanted));
  if (decision.kind !== 'WAITLISTED') throw new Error(`no place: ${JSON.stringify(decision)}`);
  return decision.entry;
}

/** The order that an entry was offered. */
export async function offerOf(db: TestLedger, entryId: string): Promise<LedgerOrder> {
  const { orderId } = await db.ledger.waitlistEntryGet({ entryId });
  return only(await db.ledger.ordersRead(orderId ? [orderId] : []));
}

/** Where entries are, in their order. */
export function statesOf(db: TestLedger, entries: readonly EntryWord[]): Promise<EntryState[]> {
  return Promise.all(entries.map(async ({ entryId }) => (await db.ledger.waitlistEntryGet({ entryId })).state));
}
