import { canonicalLines, linesHash, type OrderLine, pairKey } from '#libs/contracts/order-lines.js';
import { refuseMalformed } from './lines.js';
import type { OnSoldOut } from './waitlist-terms.js';

/** An order the ledger shall decide about. */
export interface ClaimToAdmit {
  /** Computed from store, user and request id. */
  orderId: string;
  storeId: string;
  userId: string;
  requestId: string;
  /** 1..100 */
  lines: readonly OrderLine[];
  /** Past it, by the ledger's clock, the claim has no effect any more. Only for claims that do not come from the stream. */
  notAfter?: Date;
  /** Whether a refusal leaves a row, so that the id is answered the same for ever. */
  record: boolean;
  /** What becomes of it when too few units are free; absent: what the sku says. */
  onSoldOut?: OnSoldOut;
  /** Staff who book it for the user; absent: the user does. */
  staff?: BookedBy;
}

/** Staff who book for a person. It is no part of what a request id stands for: the first try decides. */
export interface BookedBy {
  /** Their user id. */
  by: string;
  /** Why it passes over what one person may have; it does not wait then. 1..500 characters. Absent: it does not. */
  forceReason?: string;
}

/** A batch as the function claims_admit takes it. */
export interface ClaimsBatch {
  /** Parameters of the function, in their order. */
  values: unknown[];
  /** The canonical lines of each claim. */
  lines: OrderLine[][];
}

/**
 * Turns claims into the dense arrays of claims_admit: skus, pairs of sku and attendee, and orders once each, sorted by
 * their bytes, and claims and lines that point into them. Throws Fault INVALID_REQUEST when one of the claims is not well formed.
 */
export function claimsBatch(claims: readonly ClaimToAdmit[]): ClaimsBatch {
  for (const claim of claims) refuseMalformed(claim);
  const lines = claims.map((claim) => canonicalLines(claim.lines));
  const allLines = lines.flat();
  const skus = indexOf(allLines.map((line) => line.skuId));
  const pairs = indexOf(allLines.map(pairKey));
  const orders = indexOf(claims.map((claim) => claim.orderId));
  const claimOfOrder = new Map(claims.map((claim) => [claim.orderId, claim]));
  const byOrder = [...orders.keys()].flatMap((orderId) => claimOfOrder.get(orderId) ?? []);
  const pairSkus: number[] = [];
  const pairAttendees: string[] = [];
  for (const key of pairs.keys()) {
    const space = key.indexOf(' ');
    pairSkus.push(placeIn(skus, key.slice(0, space)));
    pairAttendees.push(key.slice(space + 1));
  }
  const values = [
    [...skus.keys()],
    pairSkus,
    pairAttendees,
    byOrder.map((claim) => claim.orderId),
    byOrder.map((claim) => claim.storeId),
    byOrder.map((claim) => claim.userId),
    byOrder.map((claim) => claim.requestId),
    claims.map((claim) => placeIn(orders, claim.orderId)),
    lines.map(linesHash),
    claims.map((claim) => claim.notAfter ?? null),
    claims.map((claim) => claim.record),
    lines.map((own) => own.length),
    allLines.map((line) => placeIn(pairs, pairKey(line))),
    allLines.map((line) => line.quantity),
    claims.map((claim) => claim.onSoldOut ?? null),
    claims.some(({ staff }) => staff) ? claims.map(({ staff }) => staff && staffRow(staff)) : null,
  ];
  return { values, lines };
}

function staffRow({ by, forceReason: reason }: BookedBy): string {
  return JSON.stringify({ by, ...(reason !== undefined && { reason }) });
}

/** Each different word with its place, from 1, in the order of their bytes: ids are ASCII, so UTF-16 sorts alike. */
function indexOf(words: readonly string[]): Map<string, number> {
  return new Map([...new Set(words)].sort().map((word, place) => [word, place + 1]));
}

function placeIn(index: ReadonlyMap<string, number>, word: string): number {
  const place = index.get(word);
  if (place === undefined) throw new RangeError(`${word} is not in the index`);
  return place;
}
