import type { Decision } from '#libs/ledger/decision.js';
import type { Ledger } from '#libs/ledger/ledger.js';
import type { Gate, JournalEntry, Settlement } from './ports.js';
import { leftUnits, skusOf } from './settle-claims.js';

/** Younger claims are left to those who wait for them. */
const SETTLE_AFTER_MS = 1000;
/** Past every not-after and the second that the stream's own clock may be off. */
const DROP_AFTER_MS = 4000;
const AT_ONCE = 500;

export interface SweepReport {
  settled: number;
  admitted: number;
  dropped: number;
  remaining: number;
  oldestMs: number;
}

/**
 * Goes through the journals of all shards once. What the ledger knows is settled, what is promised is admitted, and a
 * claim that nobody carried any further is dropped: its caller was never answered, and a retry starts anew.
 */
export async function sweepJournal(gate: Gate, ledger: Ledger, shards: number): Promise<SweepReport> {
  const report: SweepReport = { settled: 0, admitted: 0, dropped: 0, remaining: 0, oldestMs: 0 };
  for (let shard = 0; shard < shards; shard += 1) {
    report.admitted += await admitPromises(gate, ledger, shard);
    for (const skuId of await gate.openSkus(shard)) await sweepSku(gate, ledger, shard, skuId, report);
  }
  return report;
}

/** Settles what the ledger has decided of one sku, however young. */
export async function settleKnown(
  gate: Gate,
  ledger: Pick<Ledger, 'decisionsRead'>,
  shard: number,
  skuId: string,
): Promise<number> {
  return settle(gate, shard, await decidedClaims(gate, ledger, { shard, skuId, leastAgeMs: 0 }));
}

/** Claims of a sku, so old at least, that the ledger has decided: how each is to be settled. */
export async function decidedClaims(
  gate: Pick<Gate, 'undecided'>,
  ledger: Pick<Ledger, 'decisionsRead'>,
  { shard, skuId, leastAgeMs }: { shard: number; skuId: string; leastAgeMs: number },
): Promise<Settlement[]> {
  const entries = await gate.undecided(shard, skuId, leastAgeMs);
  const known = await decisionsOf(
    ledger,
    entries.map((entry) => entry.orderId),
  );
  return entries.flatMap((entry) => settlementOf(entry, known.get(entry.orderId)) ?? []);
}

async function sweepSku(gate: Gate, ledger: Ledger, shard: number, skuId: string, report: SweepReport): Promise<void> {
  const entries = await gate.undecided(shard, skuId, SETTLE_AFTER_MS);
  if (entries.length === 0) return;
  const known = await decisionsOf(
    ledger,
    entries.map((entry) => entry.orderId),
  );
  const decided: Settlement[] = [];
  const stale: Settlement[] = [];
  for (const entry of entries) {
    const settlement = settlementOf(entry, known.get(entry.orderId));
    if (settlement) decided.push(settlement);
    else if (entry.ageMs > DROP_AFTER_MS)
      stale.push({ orderId: entry.orderId, skuIds: [skuId], again: true, stamp: entry.stamp });
    else {
      report.remaining += 1;
      report.oldestMs = Math.max(report.oldestMs, entry.ageMs);
    }
  }
  report.settled += await settle(gate, shard, decided);
  report.dropped += await settle(gate, shard, stale);
}

/** Every promise older than a second is kept: admission decides it, or says what was decided. */
export async function admitPromises(
  gate: Pick<Gate, 'promises' | 'settle'>,
  ledger: Pick<Ledger, 'claimsAdmit'>,
  shard: number,
): Promise<number> {
  const claims = await gate.promises(shard, SETTLE_AFTER_MS);
  for (let at = 0; at < claims.length; at += AT_ONCE) {
    const batch = claims.slice(at, at + AT_ONCE);
    const decisions = await ledger.claimsAdmit(
      batch.map((claim) => ({ ...claim, lines: [...claim.lines], record: true })),
    );
    await settle(
      gate,
      shard,
      batch.flatMap((claim, i) => {
        const decision = decisions[i];
        return decision ? [{ orderId: claim.orderId, skuIds: skusOf(claim.lines), again: leftUnits(decision) }] : [];
      }),
    );
  }
  return claims.length;
}

function settlementOf(entry: JournalEntry, decision: Decision | undefined): Settlement | undefined {
  return decision && { orderId: entry.orderId, skuIds: [entry.skuId], again: leftUnits(decision) };
}

async function decisionsOf(ledger: Pick<Ledger, 'decisionsRead'>, orderIds: string[]): Promise<Map<string, Decision>> {
  const decisions = new Map<string, Decision>();
  for (let at = 0; at < orderIds.length; at += AT_ONCE) {
    for (const decision of await ledger.decisionsRead(orderIds.slice(at, at + AT_ONCE)))
      decisions.set(decision.orderId, decision);
  }
  return decisions;
}

export async function settle(
  gate: Pick<Gate, 'settle'>,
  shard: number,
  settlements: readonly Settlement[],
): Promise<number> {
  let settled = 0;
  for (let at = 0; at < settlements.length; at += AT_ONCE)
    settled += await gate.settle(shard, settlements.slice(at, at + AT_ONCE));
  return settled;
}
