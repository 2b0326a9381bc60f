import { groupBy } from './group-by.js';

/** A batch ends at so many lines or so many bytes, whichever comes first. */
export const maxBatchLines = 500;
export const maxBatchBytes = 256 * 1024;

/** What splitting needs to know of a claim. */
export interface SkuLines {
  readonly lines: readonly { readonly skuId: string }[];
}

/** What a claim takes of a batch, in lines: a long claim counts for the lines that would fit into its bytes. */
export function claimWeight(lines: number, bytes: number): number {
  return Math.max(lines, (bytes * maxBatchLines) / maxBatchBytes);
}

/** Two halves in the order of arrival; of a single item the second is empty. */
export function halves<Item>(items: readonly Item[]): [Item[], Item[]] {
  const middle = Math.ceil(items.length / 2);
  return [items.slice(0, middle), items.slice(middle)];
}

/** The skus a claim names, each once, in the order in which admission locks them. */
export function skusOf(claim: SkuLines): string[] {
  return [...new Set(claim.lines.map((line) => line.skuId))].sort();
}

/**
 * Claims that lock the same skus together, those with the fewest skus first: a sku that is locked by someone else is
 * then known by name before claims that need it among others are tried.
 */
export function groupBySkus<Claim extends SkuLines>(claims: readonly Claim[]): { skuIds: string[]; claims: Claim[] }[] {
  return [...groupBy(claims, (claim) => skusOf(claim).join('\n'))]
    .map(([key, group]) => ({ skuIds: key.split('\n'), claims: group }))
    .sort((a, b) => a.skuIds.length - b.skuIds.length);
}
