/** How long an issued id may be used. */
export const issuedForMs = 30 * 60 * 1_000;

/** Whom and what an id is for. */
export interface IssuedFor {
  userId: string;
  storeId: string;
  skuId: string;
}

export interface IssuedId {
  requestId: string;
  /** Milliseconds since 1970; from then on it is not taken. */
  expiresAtMs: number;
}

/** The signature of a text, as printable ASCII without dots or spaces. */
export type Sign = (text: string) => string;

const version = 'hf1';
const shape = /^hf1\.([1-9][0-9]{0,14})\.([\w-]{1,64})\.([\w-]{1,128})$/;

/**
 * A request id that only the holder of the secret can make: `hf1.<expiry>.<nonce>.<mac>`. Whom it is for stands in the
 * signature alone. `nonce` makes two ids for the same differ; it is of the letters of base64url, at most 64.
 */
export function issue(
  issuedFor: IssuedFor,
  { nonce, nowMs, sign }: { nonce: string; nowMs: number; sign: Sign },
): IssuedId {
  const expiresAtMs = nowMs + issuedForMs;
  const mac = sign(signedText(issuedFor, String(expiresAtMs), nonce));
  return { requestId: `${version}.${expiresAtMs}.${nonce}.${mac}`, expiresAtMs };
}

/** Whether an id was issued for just this and is not over. `verifies` compares in constant time. */
export function isIssuedFor(
  requestId: string,
  issuedFor: IssuedFor,
  { nowMs, verifies }: { nowMs: number; verifies: (text: string, mac: string) => boolean },
): boolean {
  const [, expiry, nonce, mac] = shape.exec(requestId) ?? [];
  if (expiry === undefined || nonce === undefined || mac === undefined) return false;
  return verifies(signedText(issuedFor, expiry, nonce), mac) && nowMs < Number(expiry);
}

// Each part with its length in front, so that no two different ones make the same text. Ids are ASCII.
function signedText({ userId, storeId, skuId }: IssuedFor, expiry: string, nonce: string): string {
  return [version, userId, storeId, skuId, expiry, nonce].map((part) => `${part.length}:${part}`).join('');
}
