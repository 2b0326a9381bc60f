import { median } from '../../bench/frame/paired-runs.js';

/** What several runs of the same work did per second. */
export interface Repeated {
  perSecond: number;
  lowest: number;
  highest: number;
  runs: number;
}

/** How much work is done to measure. */
export interface Effort {
  runs: number;
  /** Claims of one run through the ledger alone. */
  ledgerClaims: number;
  /** Claims of one run through the order service. */
  consumerClaims: number;
  /** Reservations of one run through the whole path. */
  pathRequests: number;
}

export const efforts = {
  full: { runs: 5, ledgerClaims: 15_000, consumerClaims: 10_000, pathRequests: 6_000 },
  quick: { runs: 3, ledgerClaims: 5_000, consumerClaims: 4_000, pathRequests: 2_500 },
} as const satisfies Record<string, Effort>;

/** The median of so many runs; `run` returns what one did per second, and is given its number from 1. */
export async function repeat(
  name: string,
  runs: number,
  report: (line: string) => void,
  run: (number: number) => Promise<number>,
): Promise<Repeated> {
  const rates: number[] = [];
  for (let number = 1; number <= runs; number += 1) {
    report(`${name}: run ${number} of ${runs}${rates.length > 0 ? `, so far ${Math.round(median(rates))}/s` : ''}`);
    rates.push(await run(number));
  }
  return { perSecond: median(rates), lowest: Math.min(...rates), highest: Math.max(...rates), runs };
}
