import type { LedgerFacts } from './ledger-facts.js';
import type { Scenario, ScenarioLine } from './scenario.js';

/** What is left when a run has ended. */
export interface Remainder {
  /** Whether these lines, refused at `refusedAt`, could still be had by that user. */
  wouldFit(lines: ScenarioLine[], userId: string, refusedAt: Date): boolean;
}

/**
 * Free units only shrink until some come back, so a no that was true when it was given stays true; where units came
 * back after it, what is free now proves nothing and the no is believed.
 */
export function remainderOf(scenario: Scenario, ledger: LedgerFacts): Remainder {
  const skus = new Map(ledger.skus.map((sku) => [sku.skuId, sku]));
  const terms = new Map(scenario.skus.map((sku) => [sku.skuId, sku]));
  const taken = new Map(ledger.attendees.map((one) => [pair(one.skuId, one.attendeeId), one.units]));

  const unitsAreThere = (skuId: string, quantity: number, refusedAt: Date): boolean => {
    const sku = skus.get(skuId);
    if (!sku || (sku.returnedAt && sku.returnedAt >= refusedAt)) return false;
    return quantity <= sku.free && quantity <= (terms.get(skuId)?.maxPerOrder ?? 0);
  };
  const limitAllows = (line: ScenarioLine, userId: string, quantity: number): boolean => {
    const has = taken.get(pair(line.skuId, line.attendeeId ?? userId)) ?? 0;
    return has + quantity <= (terms.get(line.skuId)?.perUserLimit ?? 0);
  };
  return {
    wouldFit: (lines, userId, refusedAt) => {
      const bySku = totals(lines, (line) => line.skuId);
      const byPair = totals(lines, (line) => pair(line.skuId, line.attendeeId ?? userId));
      return lines.every(
        (line) => unitsAreThere(line.skuId, bySku(line), refusedAt) && limitAllows(line, userId, byPair(line)),
      );
    },
  };
}

/** Sums the quantities of lines with one key; the function returned gives a line's sum. */
function totals(lines: ScenarioLine[], keyOf: (line: ScenarioLine) => string): (line: ScenarioLine) => number {
  const sums = new Map<string, number>();
  for (const line of lines) sums.set(keyOf(line), (sums.get(keyOf(line)) ?? 0) + line.quantity);
  return (line) => sums.get(keyOf(line)) ?? 0;
}

/** Ids hold no spaces, so a space keeps the two apart. */
function pair(skuId: string, attendeeId: string): string {
  return `${skuId} ${attendeeId}`;
}
