import type { LedgerFacts, SkuFacts } from './ledger-facts.js';
import { type LineFacts, lineFactsOf, overtakingAllowed, type RateLimit } from './line-facts.js';
import type { Outcome } from './outcome.js';
import { remainderOf } from './remainder.js';
import type { Scenario } from './scenario.js';

/** The counts of a run. What each means is said in `npm run rush -- --help`. */
export interface Counts {
  requests: number;
  held: number;
  refused: number;
  pending: number;
  errors: number;
  orders: number;
  duplicates: number;
  oversold: number;
  lost: number;
  undecided: number;
  false_refusals: number;
  conserved: boolean;
  success_rate: number;
}

/** The judgement: `failures` are sentences, one for each law or promise that was broken; none means all is well. */
export interface Verdict {
  counts: Counts;
  line: LineFacts;
  failures: string[];
}

export interface Evidence {
  scenario: Scenario;
  outcomes: Outcome[];
  ledger: LedgerFacts;
  /** Claims still in the journal five seconds after the end. */
  undecided: number;
  /** What held for each sku. Absent: no limit that anybody could meet. */
  limit?: RateLimit | undefined;
}

/** Refusals that say nothing about how many units there are. */
const NOT_ABOUT_UNITS = new Set(['NOT_ON_SALE', 'PAUSED', 'SALE_CANCELLED']);

/** Judges a run by what people were told and what the ledger holds. Pure. */
export function judge(evidence: Evidence): Verdict {
  const { scenario, outcomes, ledger, limit } = evidence;
  const line = lineFactsOf(scenario, outcomes, limit);
  const told = (answer: string): number => outcomes.filter((outcome) => outcome.answer === answer).length;
  const errors = told('ERROR');
  const counts: Counts = {
    requests: outcomes.length,
    held: heldIds(outcomes).size,
    refused: told('REFUSED'),
    pending: told('PENDING'),
    errors,
    orders: ledger.orders.filter((order) => order.state !== 'REFUSED').length,
    duplicates: duplicates(evidence),
    oversold: sum(ledger.skus, (sku) => Math.max(0, sku.heldByLines + sku.soldByLines - sku.capacity)),
    lost: lost(evidence),
    undecided: evidence.undecided,
    false_refusals: falseRefusals(evidence),
    conserved: ledger.skus.length === scenario.skus.length && ledger.skus.every(isConserved),
    success_rate: outcomes.length === 0 ? 1 : (outcomes.length - errors - line.queued_at_end) / outcomes.length,
  };
  return { counts, line, failures: [...failures(counts, evidence), ...lineFailures(line, limit)] };
}

function failures(counts: Counts, evidence: Evidence): string[] {
  const contradicted = evidence.outcomes.filter(isContradicted).length;
  const unexplained = unexplainedOrders(evidence);
  const checks: [boolean, string][] = [
    [counts.oversold > 0, `${counts.oversold} units were sold that do not exist`],
    [counts.duplicates > 0, `${counts.duplicates} people have more than the limit, or two orders for one key`],
    [counts.lost > 0, `${counts.lost} promised orders have no row`],
    [counts.undecided > 0, `${counts.undecided} claims are still undecided`],
    [counts.false_refusals > 0, `${counts.false_refusals} people were refused what is still free`],
    [!counts.conserved, 'units do not add up: capacity is not free + reserved + held + sold, or not what orders say'],
    [counts.errors > 0, `${counts.errors} requests ended in an error`],
    [contradicted > 0, `${contradicted} requests were told both yes and no, or got two order ids`],
    [unexplained > 0, `${unexplained} orders exist that nobody was told of and no error explains`],
  ];
  return [...checks.filter(([broken]) => broken).map(([, sentence]) => sentence), ...unsold(evidence)];
}

function lineFailures(line: LineFacts, limit: RateLimit | undefined): string[] {
  const allowed = limit === undefined ? Number.POSITIVE_INFINITY : overtakingAllowed(limit);
  const checks: [boolean, string][] = [
    [line.queued_at_end > 0, `${line.queued_at_end} people waited in vain: they still stood in line at the end`],
    [line.overtaken_max > allowed, `one person was overtaken by ${line.overtaken_max}, at most ${allowed} may`],
    [line.cold_held_up > 0, `${line.cold_held_up} people were held up though their skus were below the limit`],
  ];
  return checks.filter(([broken]) => broken).map(([, sentence]) => sentence);
}

function heldIds(outcomes: Outcome[]): Set<string> {
  return new Set(outcomes.flatMap((outcome) => outcome.heldIds));
}

/** Pairs of sku and attendee above the limit, and keys of one user with two rows. */
function duplicates({ scenario, ledger }: Evidence): number {
  const limits = new Map(scenario.skus.map((sku) => [sku.skuId, sku.perUserLimit]));
  const greedy = ledger.attendees.filter((one) => one.units > (limits.get(one.skuId) ?? 0));
  const keys = new Set(ledger.orders.map((order) => JSON.stringify([order.userId, order.requestId])));
  return greedy.length + (ledger.orders.length - keys.size);
}

/** A yes without a live row, or a promise without any. */
function lost({ outcomes, ledger }: Evidence): number {
  const states = new Map(ledger.orders.map((order) => [order.orderId, order.state]));
  const brokenYes = [...heldIds(outcomes)].filter((id) => (states.get(id) ?? 'REFUSED') === 'REFUSED');
  const promised = new Set(outcomes.flatMap((outcome) => outcome.pendingIds));
  const brokenPromise = [...promised].filter((id) => !states.has(id));
  return new Set([...brokenYes, ...brokenPromise]).size;
}

/** Refused requests that would fit into what is left, by units, by terms and by the limits of their attendees. */
function falseRefusals({ scenario, outcomes, ledger }: Evidence): number {
  const remainder = remainderOf(scenario, ledger);
  return outcomes.filter(
    ({ answer, refusal, refusedAt, lines, userId }) =>
      answer === 'REFUSED' &&
      refusal &&
      refusedAt &&
      !NOT_ABOUT_UNITS.has(refusal.reason) &&
      remainder.wouldFit(lines, userId, refusedAt),
  ).length;
}

function isConserved(sku: SkuFacts): boolean {
  const parts = [sku.free, sku.reserved, sku.held, sku.sold];
  const heldAgrees = sku.held === sku.heldByLines && sku.held === sku.heldByMovements;
  const soldAgrees = sku.sold === sku.soldByLines && sku.sold === sku.soldByMovements;
  return parts.every((part) => part >= 0) && sum(parts, Number) === sku.capacity && heldAgrees && soldAgrees;
}

/** No id is ever told no and born, and one key names one order. */
function isContradicted(outcome: Outcome): boolean {
  const ids = new Set([...outcome.heldIds, ...outcome.pendingIds]);
  return ids.size > 1 || (outcome.refusal !== undefined && outcome.heldIds.length > 0);
}

/** An order that nobody was told of is owed an explanation: its request ended in an error, or is still a promise. */
function unexplainedOrders({ outcomes, ledger }: Evidence): number {
  const held = heldIds(outcomes);
  const open = outcomes.filter((outcome) => outcome.answer === 'ERROR' || outcome.answer === 'PENDING');
  const openKeys = new Set(open.map((outcome) => JSON.stringify([outcome.userId, outcome.key])));
  return ledger.orders.filter(
    (order) =>
      order.state !== 'REFUSED' &&
      !held.has(order.orderId) &&
      !openKeys.has(JSON.stringify([order.userId, order.requestId])),
  ).length;
}

/** Where every order takes one unit, as many are sold as people want or as there are, whichever is less. */
function unsold({ scenario, outcomes, ledger }: Evidence): string[] {
  const single = outcomes.every((outcome) => outcome.lines.length === 1 && outcome.lines[0]?.quantity === 1);
  if (!single) return [];
  return scenario.skus.flatMap(({ skuId, perUserLimit }) => {
    const sku = ledger.skus.find((one) => one.skuId === skuId);
    if (!sku || sku.returnedAt) return [];
    const demand = demandFor(skuId, perUserLimit, outcomes);
    const taken = sku.heldByLines + sku.soldByLines;
    const expected = Math.min(demand, sku.capacity);
    return taken === expected ? [] : [`${skuId}: ${taken} units went, ${demand} were wanted, ${sku.capacity} existed`];
  });
}

function demandFor(skuId: string, perUserLimit: number, outcomes: Outcome[]): number {
  const byAttendee = new Map<string, number>();
  for (const { lines, userId } of outcomes) {
    for (const line of lines) {
      const attendee = line.attendeeId ?? userId;
      if (line.skuId === skuId) byAttendee.set(attendee, (byAttendee.get(attendee) ?? 0) + line.quantity);
    }
  }
  return sum([...byAttendee.values()], (units) => Math.min(units, perUserLimit));
}

function sum<T>(items: T[], amount: (item: T) => number): number {
  return items.reduce((total, item) => total + amount(item), 0);
}
