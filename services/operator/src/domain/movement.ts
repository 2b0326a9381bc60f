import { readDuration, readId } from './typed.js';

/** Units of one sku that a change of an order moved; the differences add up to zero. */
export interface Movement {
  at?: Date | undefined;
  skuId: string;
  orderId: string;
  orderVersion: number;
  /** In capitals, such as EXPIRE. */
  reason: string;
  changedBy: string;
  note: string;
  free: number;
  reserved: number;
  held: number;
  sold: number;
  userId: string;
  /** Orders of waiters that took up what came back. */
  wentTo: string[];
}

/** What became of the holds that were made since an instant. */
export interface HoldStats {
  holds: number;
  paid: number;
  paidIn5: number;
  paidIn10: number;
  paidIn15: number;
  paidIn30: number;
  expired: number;
  cancelled: number;
  open: number;
  vainUnitMinutes: number;
}

/** How long holds are looked back at, when nothing is said. */
const usualSeconds = 86_400;

interface SinceTyped {
  store?: string | undefined;
  sku?: string | undefined;
  since?: string | undefined;
}

/** Whose holds, and since when; or all that is wrong with how it was typed. */
export function readStatsWanted(
  { store, sku, since }: SinceTyped,
  now: Date,
): { storeId: string; skuId: string; since: Date } | { problems: string[] } {
  const problems: string[] = [];
  const storeId = readId('--store', store, problems) ?? '';
  const skuId = readId('--sku', sku, problems) ?? '';
  const seconds = readDuration('--since', since, problems) ?? usualSeconds;
  if ((store === undefined) === (sku === undefined)) problems.push('name a store or a sku: --store ID or --sku ID');
  if (problems.length > 0) return { problems };
  return { storeId, skuId, since: new Date(now.getTime() - seconds * 1_000) };
}

/** Which movements; or all that is wrong with how it was typed. */
export function readMovementsWanted(
  { sku, since, why }: { sku?: string | undefined; since?: string | undefined; why?: string | undefined },
  now: Date,
): { skuId: string; since?: Date; reason?: string } | { problems: string[] } {
  const problems: string[] = [];
  if (sku === undefined) problems.push('--sku is missing: name the sku');
  const skuId = readId('--sku', sku, problems) ?? '';
  const seconds = readDuration('--since', since, problems);
  const reason = why?.toUpperCase().replaceAll('-', '_');
  if (reason !== undefined && !/^[A-Z_]{1,40}$/.test(reason)) {
    problems.push(`--why ${JSON.stringify(why)}: give a change such as expire, cancel, move or promote`);
  }
  if (problems.length > 0) return { problems };
  return {
    skuId,
    ...(seconds !== undefined && { since: new Date(now.getTime() - seconds * 1_000) }),
    ...(reason !== undefined && { reason }),
  };
}
