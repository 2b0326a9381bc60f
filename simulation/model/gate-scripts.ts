import { saleWindow } from '../../services/inventory/src/domain/terms.js';
import type { Rule } from '../planted.js';
import type { TriedClaim } from './claims.js';
import type { Gate, Redis } from './redis.js';
import type { Stock } from './stock.js';

export type Verdict =
  | { readonly code: 'IN' | 'UNDECIDED' | 'REPUBLISH' }
  | { readonly code: 'SHORT' | 'NOT_LOADED' | 'CLOSED'; readonly skuId: string };

const PUBLISH_AGAIN_MS = 1000;

/** holds_place.lua for one order. */
export function holdsPlace({ keys, nowMs }: Redis, { orderId, lines }: TriedClaim, rules: ReadonlySet<Rule>): Verdict {
  if (keys.promised.has(orderId)) return { code: 'UNDECIDED' };
  for (const { skuId } of lines) {
    const gate = keys.gates.get(skuId);
    if (!gate) return { code: 'NOT_LOADED', skuId };
    const claim = gate.claims.get(orderId);
    if (!claim) continue;
    if (nowMs - claim.stampMs <= PUBLISH_AGAIN_MS) return { code: 'UNDECIDED' };
    for (const line of lines) stampAgain(keys.gates.get(line.skuId), orderId, nowMs);
    return { code: 'REPUBLISH' };
  }
  for (const { skuId, quantity } of lines) {
    const gate = keys.gates.get(skuId) as Gate;
    if (nowMs < gate.openFromMs || nowMs >= gate.openUntilMs) return { code: 'CLOSED', skuId };
    if (gate.letIn + (rules.has('gate-lies') ? 2 : 0) < quantity) return { code: 'SHORT', skuId };
  }
  for (const { skuId, quantity } of lines) {
    const gate = keys.gates.get(skuId) as Gate;
    gate.letIn -= quantity;
    if (rules.has('gate-drops') && gate.version % 2 === 0) continue;
    gate.undecided += quantity;
    gate.claims.set(orderId, { quantity, stampMs: nowMs });
  }
  return { code: 'IN' };
}

function stampAgain(gate: Gate | undefined, orderId: string, stampMs: number): void {
  const claim = gate?.claims.get(orderId);
  if (claim) gate?.claims.set(orderId, { quantity: claim.quantity, stampMs });
}

/** gates_sync.lua. `ledgerMs`: when the stocks were read. */
export function gatesSync(
  { keys, nowMs }: Redis,
  ledgerMs: number,
  stocks: readonly Stock[],
  rules: ReadonlySet<Rule>,
): void {
  const aheadMs = ledgerMs - nowMs;
  for (const stock of stocks) {
    const gate = keys.gates.get(stock.skuId);
    if (gate && gate.version > stock.version && !rules.has('old-word-taken')) continue;
    const undecided = gate?.undecided ?? 0;
    const { fromMs, untilMs } = saleWindow(stock);
    keys.gates.set(stock.skuId, {
      letIn: Math.max(0, stock.free - (rules.has('forget-undecided') ? 0 : undecided)),
      undecided,
      version: stock.version,
      openFromMs: fromMs - aheadMs,
      openUntilMs: untilMs - aheadMs,
      claims: gate?.claims ?? new Map(),
    });
  }
}

export interface Settlement {
  readonly orderId: string;
  readonly skuIds: readonly string[];
  readonly again: boolean;
  /** Only if nobody touched the claim since. */
  readonly stampMs?: number;
}

/** claims_settle.lua. */
export function claimsSettle({ keys }: Redis, settlements: readonly Settlement[]): void {
  for (const { orderId, skuIds, again, stampMs } of settlements) {
    for (const skuId of skuIds) {
      const gate = keys.gates.get(skuId);
      const claim = gate?.claims.get(orderId);
      if (!gate || !claim || (stampMs !== undefined && stampMs !== claim.stampMs)) continue;
      gate.claims.delete(orderId);
      gate.undecided -= claim.quantity;
      if (again) gate.letIn += claim.quantity;
    }
    if (stampMs === undefined) keys.promised.delete(orderId);
  }
}

/** claims_promise.lua. */
export function claimsPromise({ keys, nowMs }: Redis, claim: TriedClaim): void {
  if (!keys.promised.has(claim.orderId)) keys.promised.set(claim.orderId, { stampMs: nowMs, claim });
}

export interface JournalEntry {
  readonly orderId: string;
  readonly skuId: string;
  readonly stampMs: number;
  readonly ageMs: number;
}

/** claims_list.lua, all pages. */
export function claimsList({ keys, nowMs }: Redis, skuId: string, leastAgeMs: number): JournalEntry[] {
  const entries: JournalEntry[] = [];
  for (const [orderId, { stampMs }] of keys.gates.get(skuId)?.claims ?? []) {
    const ageMs = nowMs - stampMs;
    if (ageMs >= leastAgeMs) entries.push({ orderId, skuId, stampMs, ageMs });
  }
  return entries;
}

/** promises_list.lua, all pages. */
export function promisesList({ keys, nowMs }: Redis, leastAgeMs: number): TriedClaim[] {
  return [...keys.promised.values()].filter(({ stampMs }) => nowMs - stampMs >= leastAgeMs).map(({ claim }) => claim);
}
