import type { Claim } from '#libs/contracts/gen/holdfast/event/v1/claim.js';
import type { RedisClient } from '#libs/redis/redis-client.js';
import { createLogger } from '#libs/runtime/logger.js';
import { createMetrics } from '#libs/runtime/metrics.js';
import { OpossumBreaker } from '../../services/inventory/src/adapters/opossum-breaker.js';
import { gateKeys, RedisGate } from '../../services/inventory/src/adapters/redis-gate.js';
import { PassGate } from '../../services/inventory/src/app/pass-gate.js';
import { Placement } from '../../services/inventory/src/app/placement.js';
import { storeId } from './bench-mesh.js';

const shard = 0;
const resetMs = 2_000;
const patienceMs = 10_000;

/** What a gate says of one sku. */
export interface GateStock {
  letIn: number;
  undecided: number;
  /** In its journal. */
  claims: number;
}

/** Inventory's way through the gate in this process, one shard, on one connection and without anything behind it. */
export class GateAlone {
  readonly gate: RedisGate;
  readonly #passGate: PassGate;

  constructor(private readonly redis: RedisClient) {
    this.gate = new RedisGate(redis);
    const [logger, metrics] = [createLogger('bench', 'warn'), createMetrics()];
    this.#passGate = new PassGate({
      ...{ gate: this.gate, shards: shard + 1 },
      syncGates: { set: async () => 0 },
      openBreaker: (callee, probe) => new OpossumBreaker({ callee, probe, resetMs, metrics, logger }),
    });
  }

  /** Tells the gate of skus that are on sale, so many units each. */
  async load(skuIds: readonly string[], free: number): Promise<void> {
    const counts = { capacity: free, free, overbooked: 0, reserved: 0, held: 0, sold: 0 };
    const terms = { storeId, version: 1, paused: false, perUserLimit: 1, maxPerOrder: 10 };
    await this.gate.sync(
      shard,
      new Date(),
      skuIds.map((skuId) => ({ skuId, ...counts, ...terms })),
    );
  }

  /** Resolves when it is let in, together with whoever else comes meanwhile; rejects with whatever else it was told. */
  async place({ onSoldOut: _, ...claim }: Claim): Promise<boolean> {
    const [notAfter, answerByMs] = [new Date(Date.now() + patienceMs), performance.now() + patienceMs];
    const placement = new Placement({ claim, shard, notAfter, answerByMs, firstForMs: undefined }, () => {});
    const { code } = await this.#passGate.place(placement);
    return letIn(code);
  }

  /** As place, by a script of its own. */
  async placeAlone({ onSoldOut: _, ...claim }: Claim): Promise<boolean> {
    const [verdict] = await this.gate.place(shard, [claim]);
    return letIn(verdict?.code);
  }

  async stockOf(skuId: string): Promise<GateStock> {
    const key = gateKeys.gate(shard, skuId);
    const [letIn, undecided] = await this.redis.hmget(key, 'let_in', 'undecided');
    const fields = await this.redis.hkeys(key);
    const claims = fields.filter((field) => field.startsWith('c:')).length;
    return { letIn: Number(letIn), undecided: Number(undecided), claims };
  }

  async close(): Promise<void> {
    await this.#passGate.drain();
  }
}

function letIn(code: string | undefined): true {
  if (code !== 'IN') throw new Error(`an order was told ${code}`);
  return true;
}
