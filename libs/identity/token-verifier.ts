import { errors, type JWTPayload, type JWTVerifyGetKey, type JWTVerifyOptions, jwtVerify } from 'jose';
import { Slots } from '#libs/lane/slots.js';
import { Fault } from '#libs/refusal/fault.js';
import { type ClaimProblem, type Principal, principalOf } from './principal.js';
import { TokenKeys } from './token-keys.js';

/** A longer Authorization header is no token of ours. */
const headerMaxLength = 4_096;
/** What the clocks of issuer and verifier may differ by. */
const clockToleranceSeconds = 5;
/** Signatures looked at at once: more would only stand in each other's way. */
const checksAtOnce = 16;
/** Who waits for that, and how long: a crowd that comes with new tokens passes in it, a flood of invented ones does not. */
const checksWaiting = 10_000;
const checkWaitMs = 2_000;
const bearer = /^Bearer +([A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+)$/i;

export interface TokenVerifierOptions {
  /** The `iss` that tokens must have. */
  issuer: string;
  /** The `aud` that tokens must have, alone or among others. */
  audience: string;
  /** JWS algorithms that are believed; all of them asymmetric. */
  algorithms: readonly string[];
  /** A http or https URL, or the path of a file, of a JSON Web Key Set. */
  keys: string;
  /** How many verified tokens are remembered. Beyond it the oldest are verified again. */
  cacheMax: number;
  /** Told when the keys cannot be read. */
  onTrouble?: (error: unknown) => void;
  /** Milliseconds since 1970. */
  now?: () => number;
}

/** Knows who calls by the text of the header `authorization`. */
export interface TokenVerifier {
  /**
   * At once when the token was verified before and has not ended, else a promise; calls with the same token share one
   * verification. Throws or rejects with a Fault: TOKEN_MISSING, TOKEN_EXPIRED, TOKEN_INVALID with what is wrong,
   * UNAVAILABLE when the keys of the issuer could not be read yet, and BUSY when too many signatures wait to be checked.
   */
  verify(authorization: string | undefined): Principal | Promise<Principal>;
}

type Verified = Principal & { readonly endsAtMs: number };

/** Verifies JSON Web Tokens by the keys of one issuer. A signature costs 0.2 ms, so each token is verified once. */
export function createTokenVerifier(options: TokenVerifierOptions): TokenVerifier {
  return new CachingVerifier(options);
}

class CachingVerifier implements TokenVerifier {
  readonly #rules: JWTVerifyOptions;
  readonly #cacheMax: number;
  readonly #now: () => number;
  readonly #keys: TokenKeys;
  readonly #verified = new Map<string, Verified>();
  readonly #verifying = new Map<string, Promise<Principal>>();
  readonly #checks = new Slots(checksAtOnce, checksWaiting, 'check of a token');
  /** How often keys went. */
  #losses = 0;

  constructor({
    issuer,
    audience,
    algorithms,
    keys: source,
    cacheMax,
    onTrouble,
    now = Date.now,
  }: TokenVerifierOptions) {
    this.#rules = {
      ...{ issuer, audience, algorithms: [...algorithms] },
      ...{ requiredClaims: ['exp', 'sub'], clockTolerance: clockToleranceSeconds },
    };
    this.#cacheMax = cacheMax;
    this.#now = now;
    this.#keys = new TokenKeys({ source, now, onRemoved: () => this.#forget(), ...(onTrouble && { onTrouble }) });
  }

  verify(authorization: string | undefined): Principal | Promise<Principal> {
    if (authorization === undefined || authorization === '') {
      throw new Fault('TOKEN_MISSING', 'Say who calls: authorization: Bearer TOKEN');
    }
    this.#keys.refreshIfOld();
    const known = this.#verified.get(authorization);
    if (known !== undefined && this.#now() < known.endsAtMs) return known;
    const token = authorization.length > headerMaxLength ? undefined : bearer.exec(authorization)?.[1];
    if (token === undefined) throw invalid('FORM');
    const underWay = this.#verifying.get(authorization) ?? this.#verifyOnce(authorization, token);
    this.#verifying.set(authorization, underWay);
    return underWay;
  }

  async #verifyOnce(authorization: string, token: string): Promise<Principal> {
    const before = this.#losses;
    try {
      const principal = await this.#read(token);
      // Its key may have been one of those that went meanwhile.
      if (before === this.#losses) this.#remember(authorization, principal);
      return principal;
    } finally {
      this.#verifying.delete(authorization);
    }
  }

  async #read(token: string): Promise<Verified> {
    const payload = await this.#checked(token).catch((error: unknown) => {
      throw faultOfToken(error);
    });
    const principal = principalOf(payload);
    if (typeof principal === 'string') throw invalid(principal);
    return Object.freeze({ ...principal, endsAtMs: ((payload.exp ?? 0) + clockToleranceSeconds) * 1_000 });
  }

  /** What stands in the token, once its signature is found right. What no key fits waits for no check. */
  async #checked(token: string): Promise<JWTPayload> {
    let isTaken = false;
    const keyInTurn: JWTVerifyGetKey = async (header, jws) => {
      const key = await this.#keys.keyOf(header, jws);
      await this.#checks.take(checkWaitMs);
      isTaken = true;
      return key;
    };
    try {
      return (await jwtVerify(token, keyInTurn, { ...this.#rules, currentDate: new Date(this.#now()) })).payload;
    } finally {
      if (isTaken) this.#checks.give();
    }
  }

  #remember(authorization: string, principal: Verified): void {
    this.#verified.delete(authorization);
    for (const oldest of this.#verified.keys()) {
      if (this.#verified.size < this.#cacheMax) break;
      this.#verified.delete(oldest);
    }
    this.#verified.set(authorization, principal);
  }

  #forget(): void {
    this.#losses += 1;
    this.#verified.clear();
  }
}

/** What is wrong with a token, in words; the code goes with the fault for programs. */
const problems = {
  FORM: 'it is no bearer token that can be read',
  ALGORITHM: 'its algorithm is not one of those used here',
  KEY: 'its key is not known',
  SIGNATURE: 'its signature is not right',
  ISSUER: 'it is of another issuer',
  AUDIENCE: 'it is for another audience',
  EXPIRY: 'it does not say when it ends',
  NOT_YET: 'its time has not begun',
  SUBJECT: 'its sub is not 1 to 128 printable ASCII characters',
  ROLES: 'its roles are no list of names, or give more than one role',
  STORES: 'its stores are no list of ids',
} as const satisfies Record<ClaimProblem, string> & Record<string, string>;
type Problem = keyof typeof problems;

function invalid(problem: Problem, cause?: unknown): Fault {
  return new Fault('TOKEN_INVALID', `The token is not believed: ${problems[problem]}`, {
    metadata: { problem },
    cause,
  });
}

function faultOfToken(error: unknown): Fault {
  if (error instanceof Fault) return error;
  if (error instanceof errors.JWTExpired) return new Fault('TOKEN_EXPIRED', 'The time of the token is over');
  if (error instanceof errors.JWTClaimValidationFailed) return invalid(problemOfClaim[error.claim] ?? 'FORM', error);
  if (error instanceof errors.JOSEAlgNotAllowed) return invalid('ALGORITHM', error);
  if (error instanceof errors.JWKSNoMatchingKey) return invalid('KEY', error);
  if (error instanceof errors.JWSSignatureVerificationFailed) return invalid('SIGNATURE', error);
  return invalid('FORM', error);
}

const problemOfClaim: Readonly<Record<string, Problem>> = {
  ...{ iss: 'ISSUER', aud: 'AUDIENCE', exp: 'EXPIRY', nbf: 'NOT_YET', sub: 'SUBJECT' },
};
