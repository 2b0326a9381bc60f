import type { RedisClient } from '#libs/redis/redis-client.js';
import { runScript } from '#libs/redis/run-script.js';
import { luaScript } from '#libs/redis/script.js';
import { Fault } from '#libs/refusal/fault.js';
import type { GateInspection } from '../app/reconcile/ports.js';
import type { GateReading } from '../domain/gate-judgement.js';
import { gateKeys } from './redis-gate.js';

const read = luaScript(new URL('../../lua/gates_read.lua', import.meta.url));
const mend = luaScript(new URL('../../lua/gates_mend.lua', import.meta.url));

const GATES_AT_ONCE = 100;
const VALUES_OF_A_GATE = 8;

/** Gates and journals in Redis, for whoever checks them. */
export class RedisGateInspection implements GateInspection {
  constructor(private readonly redis: RedisClient) {}

  async read(shard: number, skuIds: readonly string[]): Promise<GateReading[]> {
    const readings: GateReading[] = [];
    while (readings.length < skuIds.length) {
      const batch = skuIds.slice(readings.length, readings.length + GATES_AT_ONCE);
      const lists = [gateKeys.open(shard), gateKeys.used(shard), gateKeys.closing(shard)];
      const gates = batch.map((skuId) => gateKeys.gate(shard, skuId));
      const values = (await runScript(this.redis, read, [...lists, ...gates], batch)) as (string | number)[];
      // Those that come later are read by the next call: the first one of a call always is.
      for (let at = 0; at < values.length && values[at] !== 'LATER'; at += VALUES_OF_A_GATE) {
        readings.push(toReading(values.slice(at, at + VALUES_OF_A_GATE).map(String)));
      }
    }
    return readings;
  }

  async mend(shard: number, skus: readonly { skuId: string; version: number }[]): Promise<void> {
    for (let at = 0; at < skus.length; at += GATES_AT_ONCE) {
      const batch = skus.slice(at, at + GATES_AT_ONCE);
      const gates = batch.map(({ skuId }) => gateKeys.gate(shard, skuId));
      const values = batch.flatMap(({ skuId, version }) => [skuId, version]);
      await runScript(this.redis, mend, [gateKeys.open(shard), ...gates], values);
    }
  }

  async dropUnreadable(shard: number): Promise<string[]> {
    const wanted = [
      [gateKeys.open(shard), 'set'],
      [gateKeys.used(shard), 'set'],
      [gateKeys.closing(shard), 'zset'],
      [gateKeys.promised(shard), 'hash'],
    ] as const;
    try {
      const kinds = await Promise.all(wanted.map(([key]) => this.redis.type(key)));
      const wrong = wanted.flatMap(([key, kind], place) => (['none', kind].includes(kinds[place] ?? '') ? [] : [key]));
      // Whoever writes into one of them fails until it is gone: nobody puts it right meanwhile.
      if (wrong.length > 0) await this.redis.del(...wrong);
      return wrong;
    } catch (cause) {
      throw new Fault('UNAVAILABLE', 'redis cannot be reached', { cause });
    }
  }
}

function toReading([state, letIn, undecided, version, claims, units, oldest, flags = '']: string[]): GateReading {
  const listed = { open: flags[0] === '1', used: flags[1] === '1', closing: flags[2] === '1' };
  if (state === 'MISSING' || state === 'UNREADABLE') return { state, listed };
  if (state !== 'LOADED') throw new Error(`gates_read answered ${state}`);
  return {
    state,
    listed,
    letIn: Number(letIn),
    undecided: Number(undecided),
    ...(units !== '-1' && { undecidedOfClaims: Number(units) }),
    claims: Number(claims),
    oldestClaimMs: Number(oldest),
    version: Number(version),
  };
}
