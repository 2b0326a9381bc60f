/** Microseconds of CPU that one request costs in each part of a mesh, and its transactions. */
export interface RequestCost {
  cpuUs: Record<string, number>;
  transactions: number;
}

/** What was measured, of requests that get a unit and of those that come when nothing is left. */
export interface Costs {
  held: RequestCost;
  refused: RequestCost;
  /** Orders a second that one ledger commits for one sku. */
  ledgerOrdersPerSecond: number;
}

/** A surge: so many requests a second, of which so many are for units that there are. */
export interface Surge {
  perSecond: number;
  heldShare: number;
}

/** What a surge needs. */
export interface Need {
  /** Cores of each part, none of them busier than `busyShare`. */
  cores: Record<string, number>;
  allCores: number;
  /** Of Redis, which uses one core each. */
  redisShards: number;
  transactionsPerSecond: number;
  /** Ledgers, each with a Postgres of its own; stores are divided between them. */
  ledgers: number;
}

/** Whoever plans for more has no room for a process that dies, or for a second rush. */
export const busyShare = 0.6;

/** Costs are those of the machine and the load on which they were measured: larger batches cost less, other machines differ. */
export function needOf({ held, refused, ledgerOrdersPerSecond }: Costs, { perSecond, heldShare }: Surge): Need {
  const [heldPerSecond, refusedPerSecond] = [perSecond * heldShare, perSecond * (1 - heldShare)];
  const parts = [...new Set([...Object.keys(held.cpuUs), ...Object.keys(refused.cpuUs)])];
  const cores = Object.fromEntries(
    parts.map((part) => {
      const us = heldPerSecond * (held.cpuUs[part] ?? 0) + refusedPerSecond * (refused.cpuUs[part] ?? 0);
      return [part, us / 1e6 / busyShare];
    }),
  );
  return {
    cores,
    allCores: Object.values(cores).reduce((sum, one) => sum + one, 0),
    redisShards: Math.max(1, Math.ceil(cores.redis ?? 0)),
    transactionsPerSecond: heldPerSecond * held.transactions + refusedPerSecond * refused.transactions,
    ledgers: Math.max(1, Math.ceil(heldPerSecond / (ledgerOrdersPerSecond * busyShare))),
  };
}
