/** Something that does not fit. */
export interface Finding {
  kind: string;
  skuId: string;
  orderId: string;
  /** The figures, as JSON. */
  detail: string;
  /** What apply does about it; empty: a person has to. */
  remedy: string;
  mended: boolean;
}

/** What a plan that is applied did away with, and what it leaves to a person; what mended itself is in neither. */
export function partsOfPlan(findings: readonly Finding[]): { repaired: Finding[]; left: Finding[] } {
  const open = findings.filter(({ mended }) => !mended);
  return { repaired: open.filter(({ remedy }) => remedy !== ''), left: open.filter(({ remedy }) => remedy === '') };
}

/** What one look found. */
export interface Plan {
  planId: number;
  /** open, applied, stale or clean. */
  state: string;
  madeAt?: Date | undefined;
  madeBy: string;
  skus: number;
  orders: number;
  /** At most the first 1000; none in lists. */
  findings: Finding[];
  findingsCount: number;
  mended: number;
  appliedAt?: Date | undefined;
  appliedBy: string;
}
