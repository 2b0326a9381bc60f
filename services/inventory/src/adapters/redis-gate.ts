import { Claim as ClaimMessage } from '#libs/contracts/gen/holdfast/event/v1/claim.js';
import type { SkuStock } from '#libs/ledger/rows.js';
import { key } from '#libs/redis/keys.js';
import type { RedisClient } from '#libs/redis/redis-client.js';
import { runScript } from '#libs/redis/run-script.js';
import { luaScript } from '#libs/redis/script.js';
import { Fault } from '#libs/refusal/fault.js';
import type { Claim } from '../app/placement.js';
import type { Gate, GateVerdict, JournalEntry, LoadedGates, Settlement } from '../app/ports.js';
import { saleWindow } from '../domain/terms.js';
import { fromClaimMessage, toClaimMessage } from './messages.js';

const place = luaScript(new URL('../../lua/holds_place.lua', import.meta.url));
const sync = luaScript(new URL('../../lua/gates_sync.lua', import.meta.url));
const settle = luaScript(new URL('../../lua/claims_settle.lua', import.meta.url));
const promise = luaScript(new URL('../../lua/claims_promise.lua', import.meta.url));
const listPromises = luaScript(new URL('../../lua/promises_list.lua', import.meta.url));
const listClaims = luaScript(new URL('../../lua/claims_list.lua', import.meta.url));
const close = luaScript(new URL('../../lua/gates_close.lua', import.meta.url));

const CODES = ['', 'IN', 'UNDECIDED', 'REPUBLISH', 'SHORT', 'NOT_LOADED', 'CLOSED'] as const;
const TAKE_AT_ONCE = 1000;

/** The keys of one shard; all carry its hash tag. */
export const gateKeys = {
  gate: (shard: number, skuId: string): string => key(shard, 'gate', skuId),
  /** Set: skus with undecided claims. */
  open: (shard: number): string => key(shard, 'open'),
  /** Set: skus used since the last sync. */
  used: (shard: number): string => key(shard, 'used'),
  /** Sorted set: loaded skus by the end of their sale. */
  closing: (shard: number): string => key(shard, 'closing'),
  /** Hash: promised claims. */
  promised: (shard: number): string => key(shard, 'promised'),
};

/** Gates and journals in Redis, one script a call, every key of a call in one shard. */
export class RedisGate implements Gate, LoadedGates {
  constructor(private readonly redis: RedisClient) {}

  async place(shard: number, claims: readonly Claim[]): Promise<GateVerdict[]> {
    const gates = new GateNumbers();
    const orders: (string | number)[] = [];
    for (const { orderId, lines } of claims) {
      orders.push(orderId, lines.length);
      for (const line of lines) orders.push(gates.numberOf(line.skuId), line.quantity);
    }
    const reply = (await runScript(
      this.redis,
      place,
      [gateKeys.open(shard), gateKeys.used(shard), gateKeys.promised(shard), ...gates.keys(shard)],
      [gates.skuIds.length, ...gates.skuIds, ...orders],
    )) as number[];
    return claims.map((_, i) => verdictOf(reply[2 * i], gates.skuIds[(reply[2 * i + 1] ?? 0) - 1]));
  }

  async sync(shard: number, now: Date, skus: readonly SkuStock[]): Promise<number> {
    const terms = skus.flatMap((sku) => {
      const { fromMs, untilMs } = saleWindow(sku);
      return [sku.skuId, sku.free, sku.version, fromMs, untilMs];
    });
    return (await runScript(
      this.redis,
      sync,
      [gateKeys.closing(shard), ...skus.map((sku) => gateKeys.gate(shard, sku.skuId))],
      [now.getTime(), ...terms],
    )) as number;
  }

  async settle(shard: number, settlements: readonly Settlement[]): Promise<number> {
    if (settlements.length === 0) return 0;
    const gates = new GateNumbers();
    const entries = settlements.flatMap(({ orderId, skuIds, again, stamp }) =>
      skuIds.flatMap((skuId) => [gates.numberOf(skuId), orderId, again ? 1 : 0, stamp ?? 0]),
    );
    return (await runScript(
      this.redis,
      settle,
      [gateKeys.open(shard), gateKeys.promised(shard), gateKeys.used(shard), ...gates.keys(shard)],
      [gates.skuIds.length, ...gates.skuIds, ...entries],
    )) as number;
  }

  async promise(shard: number, claims: readonly { claim: Claim; notAfter: Date }[]): Promise<void> {
    const entries = claims.flatMap(({ claim, notAfter }) => [
      claim.orderId,
      Buffer.from(ClaimMessage.encode(toClaimMessage(claim, notAfter)).finish()).toString('base64'),
    ]);
    await runScript(this.redis, promise, [gateKeys.promised(shard)], entries);
  }

  async promised(shard: number, orderId: string): Promise<Claim | undefined> {
    const text = await answerOf(this.redis.hget(gateKeys.promised(shard), orderId));
    return text === null ? undefined : decodeClaim(text.slice(text.indexOf(':') + 1));
  }

  async promises(shard: number, leastAgeMs: number): Promise<Claim[]> {
    const claims: Claim[] = [];
    let cursor = '0';
    do {
      const reply = (await runScript(this.redis, listPromises, [gateKeys.promised(shard)], [leastAgeMs, cursor])) as [
        string,
        ...string[],
      ];
      cursor = reply[0];
      for (let at = 1; at < reply.length; at += 3) claims.push(decodeClaim(reply[at + 2] ?? ''));
    } while (cursor !== '0');
    return claims;
  }

  openSkus(shard: number): Promise<string[]> {
    return answerOf(this.redis.smembers(gateKeys.open(shard)));
  }

  async undecided(shard: number, skuId: string, leastAgeMs: number): Promise<JournalEntry[]> {
    const entries: JournalEntry[] = [];
    let cursor = '0';
    do {
      const reply = (await runScript(
        this.redis,
        listClaims,
        [gateKeys.open(shard), gateKeys.gate(shard, skuId)],
        [skuId, leastAgeMs, cursor],
      )) as [string, ...(string | number)[]];
      cursor = reply[0];
      for (let at = 1; at < reply.length; at += 3) {
        entries.push({ orderId: String(reply[at]), skuId, stamp: String(reply[at + 1]), ageMs: Number(reply[at + 2]) });
      }
    } while (cursor !== '0');
    return entries;
  }

  takeUsedSkus(shard: number): Promise<string[]> {
    return answerOf(this.redis.spop(gateKeys.used(shard), TAKE_AT_ONCE));
  }

  async loaded(shard: number, skuIds: readonly string[]): Promise<string[]> {
    const versions = skuIds.map((skuId) => answerOf(this.redis.hexists(gateKeys.gate(shard, skuId), 'version')));
    const found = await Promise.all(versions);
    return skuIds.filter((_, place) => found[place] === 1);
  }

  async close(shard: number): Promise<number> {
    const ended = await answerOf(
      this.redis.zrangebyscore(gateKeys.closing(shard), '-inf', Date.now(), 'LIMIT', 0, TAKE_AT_ONCE),
    );
    if (ended.length === 0) return 0;
    const gates = ended.map((skuId) => gateKeys.gate(shard, skuId));
    return (await runScript(this.redis, close, [gateKeys.closing(shard), ...gates], ended)) as number;
  }
}

/** The answer to a plain command; Fault UNAVAILABLE when Redis does not give one, as with scripts. */
function answerOf<Answer>(command: Promise<Answer>): Promise<Answer> {
  return command.catch((cause: unknown) => {
    throw new Fault('UNAVAILABLE', 'redis cannot be reached', { cause });
  });
}

/** Numbers the distinct skus of a call from 1, in order of appearance. */
class GateNumbers {
  readonly skuIds: string[] = [];
  private readonly numbers = new Map<string, number>();

  numberOf(skuId: string): number {
    let number = this.numbers.get(skuId);
    if (number === undefined) {
      number = this.skuIds.push(skuId);
      this.numbers.set(skuId, number);
    }
    return number;
  }

  keys(shard: number): string[] {
    return this.skuIds.map((skuId) => gateKeys.gate(shard, skuId));
  }
}

function verdictOf(code: number | undefined, skuId: string | undefined): GateVerdict {
  const name = CODES[code ?? 0];
  switch (name) {
    case 'IN':
    case 'UNDECIDED':
    case 'REPUBLISH':
      return { code: name };
    case 'SHORT':
    case 'NOT_LOADED':
    case 'CLOSED':
      if (skuId !== undefined) return { code: name, skuId };
  }
  throw new Error(`holds_place answered ${code} about ${skuId}`);
}

function decodeClaim(base64: string): Claim {
  return fromClaimMessage(ClaimMessage.decode(Buffer.from(base64, 'base64')));
}
