import type { Beginning, Begun, SkuLimit, StoredOutcome } from '../app/ports.js';
import { Numbers, pair, requestKeys } from './request-keys.js';

/** Tokens per second, and as many at once. */
export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

/** How a line is kept. */
export interface LineRules {
  /** Places in one line. */
  readonly mostPlaces: number;
  readonly leastRetryMs: number;
  readonly mostRetryMs: number;
  /** How much later than told one may come back before the next ones stop waiting for them. */
  readonly graceMs: number;
  /** How long the place is kept after that. */
  readonly lapseMs: number;
}

export interface BeginRules {
  /** Of each user, for changes. */
  readonly user: Rate;
  readonly line: LineRules;
  readonly leaseMs: number;
  readonly retentionMs: number;
  /** Names this process among the gateways. */
  readonly instance: string;
  /** How long this process may be without a reply before it goes on without marks. */
  readonly unseenMs: number;
}

/** Outcomes by their number in a mark. */
export const outcomes: readonly StoredOutcome[] = ['HELD', 'PENDING', 'REFUSED', 'OK', 'WAITLISTED'];

export function lineArguments({ mostPlaces, leastRetryMs, mostRetryMs, graceMs, lapseMs }: LineRules): number[] {
  return [mostPlaces, leastRetryMs, mostRetryMs, graceMs, lapseMs];
}

/** A batch of one shard as requests_begin.lua wants it, and its reply as the port wants it. */
export class BeginBatch {
  readonly keys: string[];
  readonly args: (string | number)[];
  readonly #rules: BeginRules;
  readonly #skus = new Numbers<{ storeId: string; skuId: string; sku: SkuLimit }>();

  /** `repliedAt`: when the last reply from this shard was made, by its Redis; 0 when there was none. */
  constructor(
    shard: number,
    batch: readonly Beginning[],
    { rules, repliedAt }: { rules: BeginRules; repliedAt: number },
  ) {
    this.#rules = rules;
    const users = new Numbers<string>();
    const requests: (string | number)[] = [];
    this.keys = [requestKeys.since(shard), requestKeys.gateways(shard)];
    for (const { markId, fingerprint, owner, userId, storeId, skus, knownOnly } of batch) {
      this.keys.push(requestKeys.mark(shard, markId));
      requests.push(fingerprint, owner, userId === '' ? 0 : users.of(userId, userId), knownOnly ? -1 : skus.length);
      if (knownOnly) continue;
      for (const sku of skus) {
        const number = this.#skus.of(pair(storeId, sku.skuId), { storeId, skuId: sku.skuId, sku });
        requests.push(number, sku.onBusy === 'QUEUE' ? 'Q' : 'F');
      }
    }
    for (const userId of users.things) this.keys.push(requestKeys.user(shard, userId));
    this.args = [batch.length, users.things.length, this.#skus.things.length, rules.leaseMs, rules.retentionMs];
    this.args.push(rules.user.perSecond, rules.user.burst, rules.instance, repliedAt, rules.unseenMs);
    this.args.push(...lineArguments(rules.line));
    for (const skuKey of requestKeys.ofSkus(shard, this.#skus.things)) this.keys.push(skuKey);
    for (const { sku } of this.#skus.things) this.args.push(sku.perSecond, sku.burst);
    for (const argument of requests) this.args.push(argument);
  }

  /** One answer per request, in the order of the batch; the reply begins with when it was made. */
  read(reply: readonly unknown[]): Begun[] {
    const answers: Begun[] = [];
    let at = 1;
    const next = (): number => reply[at++] as number;
    while (at < reply.length) {
      const code = next();
      if (code === 1) answers.push({ kind: 'GO', firstForMs: next() });
      else if (code === 2) answers.push({ kind: 'IN_PROGRESS' });
      else if (code === 3) {
        answers.push({
          kind: 'DONE',
          outcome: outcomeOf(next()),
          ageMs: next(),
          answer: Buffer.from(reply[at++] as string, 'base64'),
        });
      } else if (code === 4) answers.push({ kind: 'REUSED' });
      else if (code === 5) {
        const { skuId } = this.#skuOf(next());
        answers.push({ kind: 'QUEUED', skuId, peopleAhead: next(), retryAfterMs: next() });
      } else if (code === 6) answers.push(this.#limited(next(), next()));
      else answers.push({ kind: 'UNKNOWN' });
    }
    return answers;
  }

  #limited(number: number, retryAfterMs: number): Begun {
    if (number === 0) return { kind: 'LIMITED', limit: 'USER', ...this.#rules.user, retryAfterMs };
    const { skuId, perSecond, burst } = this.#skuOf(number);
    return { kind: 'LIMITED', limit: 'STORE_SKU', skuId, perSecond, burst, retryAfterMs };
  }

  #skuOf(number: number): SkuLimit {
    const found = this.#skus.things[number - 1];
    if (found === undefined) throw new Error(`requests_begin answered about sku ${number}`);
    return found.sku;
  }
}

function outcomeOf(number: number): StoredOutcome {
  const outcome = outcomes[number - 1];
  if (outcome === undefined) throw new Error(`a mark has outcome ${number}`);
  return outcome;
}
