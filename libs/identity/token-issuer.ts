import { createHash, createPublicKey, type KeyObject, sign } from 'node:crypto';
import type { Role } from './principal.js';

/** Whom a token is for, and for how long. */
export interface TokenWish {
  /** USER when absent. */
  role?: Role;
  /** With STAFF. */
  stores?: readonly string[];
  /** How long it lasts (1 h); negative: it is over already. */
  seconds?: number;
}

export interface TokenIssuer {
  /** A signed token, without the word Bearer. */
  tokenOf(userId: string, wish?: TokenWish): string;
  /** What verifies them: a JSON Web Key Set. */
  readonly keySet: { readonly keys: readonly object[] };
}

export interface TokenIssuerOptions {
  issuer: string;
  audience: string;
  /** An Ed25519 private key. */
  privateKey: KeyObject;
  /** Milliseconds since 1970. */
  now?: () => number;
}

/**
 * Issues tokens with EdDSA, for a mesh on one machine and for tests; elsewhere an identity provider does. Node's own
 * crypto, so that what reads them is checked by something else than itself.
 */
export function createTokenIssuer({ issuer, audience, privateKey, now = Date.now }: TokenIssuerOptions): TokenIssuer {
  const jwk = createPublicKey(privateKey).export({ format: 'jwk' });
  const kid = createHash('sha256').update(String(jwk.x)).digest('base64url').slice(0, 16);
  const header = partOf({ alg: 'EdDSA', typ: 'JWT', kid });
  return {
    keySet: { keys: [{ ...jwk, kid, alg: 'EdDSA', use: 'sig' }] },
    tokenOf(userId, { role = 'USER', stores, seconds = 3_600 } = {}) {
      const iat = Math.floor(now() / 1_000);
      const roles = role === 'USER' ? {} : { roles: [role.toLowerCase()] };
      const claims = {
        iss: issuer,
        aud: audience,
        sub: userId,
        iat,
        exp: iat + seconds,
        ...roles,
        ...(stores && { stores }),
      };
      const signed = `${header}.${partOf(claims)}`;
      return `${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}`;
    },
  };
}

function partOf(json: object): string {
  return Buffer.from(JSON.stringify(json)).toString('base64url');
}
