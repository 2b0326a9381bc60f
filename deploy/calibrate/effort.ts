/** How much work is done to measure. */
export interface Effort {
  /** Of each kind, after one to warm up. */
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
