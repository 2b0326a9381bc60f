import { readFile } from 'node:fs/promises';
import {
  type CryptoKey,
  createLocalJWKSet,
  errors,
  type FlattenedJWSInput,
  type JSONWebKeySet,
  type JWTHeaderParameters,
} from 'jose';
import { Fault } from '#libs/refusal/fault.js';

const fetchTimeoutMs = 3_000;
const setMaxBytes = 262_144;
/** Keys are read again when they are older, so that one that was taken away is not believed for long. */
const maxAgeMs = 300_000;
/** A token with an unknown key has them read again, at most so often: whoever invents key ids makes no work. */
const readAgainMs = 2_000;

type Find = ReturnType<typeof createLocalJWKSet>;

export interface TokenKeysOptions {
  /** A http or https URL, or the path of a file, of a JSON Web Key Set. */
  source: string;
  /** Milliseconds, monotonic. */
  now?: () => number;
  /** Keys that were there are gone: whatever was believed for their sake must be looked at again. */
  onRemoved?: () => void;
  /** The keys could not be read; those read before hold. */
  onTrouble?: (error: unknown) => void;
}

/** The public keys of an issuer. They are read when they are first needed, and again when a token names one not known. */
export class TokenKeys {
  readonly #options: TokenKeysOptions;
  readonly #now: () => number;
  #find: Find | undefined;
  #known = new Set<string>();
  /** When they were last read, or last tried to be. */
  #triedAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;

  constructor(options: TokenKeysOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /**
   * The key of a token; jose's errors when there is none. Fault UNAVAILABLE while no keys could be read at all.
   */
  readonly keyOf = async (header: JWTHeaderParameters, token: FlattenedJWSInput): Promise<CryptoKey> => {
    if (this.#find === undefined) await this.#readAgain();
    try {
      return await this.#finder()(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || !(await this.#readAgain())) throw error;
      return this.#finder()(header, token);
    }
  };

  /** Has the keys read again in the background when they are old. */
  refreshIfOld(): void {
    if (this.#now() - this.#triedAt > maxAgeMs) void this.#readAgain();
  }

  #finder(): Find {
    if (this.#find === undefined) throw new Fault('UNAVAILABLE', 'The keys by which tokens are checked cannot be read');
    return this.#find;
  }

  /** Whether they were read just now, by this call or one that was under way. */
  async #readAgain(): Promise<boolean> {
    if (this.#reading === undefined) {
      if (this.#now() - this.#triedAt < readAgainMs) return false;
      this.#triedAt = this.#now();
      this.#reading = this.#read().finally(() => {
        this.#reading = undefined;
      });
    }
    await this.#reading;
    return true;
  }

  async #read(): Promise<void> {
    try {
      const text = /^https?:/.test(this.#options.source)
        ? await fetchText(this.#options.source)
        : await readFile(this.#options.source, 'utf8');
      const set = JSON.parse(text) as JSONWebKeySet;
      const find = createLocalJWKSet(set);
      const known = new Set(set.keys.map((key) => JSON.stringify(key)));
      const isAnyGone = [...this.#known].some((key) => !known.has(key));
      this.#find = find;
      this.#known = known;
      if (isAnyGone) this.#options.onRemoved?.();
    } catch (error) {
      this.#options.onTrouble?.(error);
    }
  }
}

async function fetchText(url: string): Promise<string> {
  const signal = AbortSignal.timeout(fetchTimeoutMs);
  const response = await fetch(url, { signal, redirect: 'error', headers: { accept: 'application/json' } });
  if (!response.ok || response.body === null) throw new Error(`${url} answered ${response.status}`);
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body) {
    bytes += part.length;
    if (bytes > setMaxBytes) throw new Error(`${url} gave more than ${setMaxBytes} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
