import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { Fault } from '#libs/refusal/fault.js';
import { type IssuedFor, type IssuedId, isIssuedFor, issue } from '../domain/issued-request-id.js';

const nonceBytes = 16;

/** Request ids that are good for one user and sku. The first secret signs, all verify, so that a secret can be changed. */
export class IssuedRequestIds {
  readonly #secrets: readonly string[];

  constructor(secrets: readonly string[]) {
    this.#secrets = secrets;
  }

  /** A new id. Throws Fault REQUEST_IDS_NOT_ISSUED when this gateway has no secret. */
  create(issuedFor: IssuedFor, nowMs = Date.now()): IssuedId {
    const [secret] = this.#secrets;
    if (secret === undefined) throw new Fault('REQUEST_IDS_NOT_ISSUED', 'This gateway has no secret to sign them with');
    const nonce = randomBytes(nonceBytes).toString('base64url');
    return issue(issuedFor, { nonce, nowMs, sign: (text) => macOf(text, secret) });
  }

  /**
   * Whether an order of the user may bear this id: it was issued for them and for the one sku that the order names, and is
   * not over. Without a secret nothing was ever issued.
   */
  mayUse(requestId: string, order: { userId: string; storeId: string; skuIds: readonly string[] }, nowMs = Date.now()) {
    const { userId, storeId, skuIds } = order;
    const [skuId] = skuIds;
    if (skuId === undefined || skuIds.some((other) => other !== skuId)) return false;
    return isIssuedFor(requestId, { userId, storeId, skuId }, { nowMs, verifies: this.#verifies });
  }

  readonly #verifies = (text: string, mac: string): boolean => {
    // Every secret is tried, whichever fits: how long it takes says nothing.
    return this.#secrets.map((secret) => isSame(mac, macOf(text, secret))).includes(true);
  };
}

/** What whoever uses an id that they may not use is told. One for all. */
export const requestIdNotIssued = new Fault(
  'REQUEST_ID_NOT_ISSUED',
  'This request id was not issued for this user and sku, or it is over: ask for one that is issued for this sku',
);

function macOf(text: string, secret: string): string {
  return createHmac('sha256', secret).update(text).digest('base64url');
}

function isSame(one: string, other: string): boolean {
  const a = Buffer.from(one);
  const b = Buffer.from(other);
  return a.length === b.length && timingSafeEqual(a, b);
}
