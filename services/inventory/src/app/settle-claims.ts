import { Lane } from '#libs/lane/lane.js';
import type { Decision } from '#libs/ledger/decision.js';
import type { Logger } from '#libs/runtime/logger.js';
import type { Placement } from './placement.js';
import type { Gate, Settlement } from './ports.js';

/** Told to the gate in batches, one lane a shard. What gets lost here is found by the sweep. */
export class SettleClaims {
  private readonly lanes: Lane<Settlement, void>[];

  constructor(gate: Gate, shards: number, logger: Logger) {
    this.lanes = Array.from(
      { length: shards },
      (_, shard) =>
        new Lane<Settlement, void>({
          name: `settle-${shard}`,
          run: async (settlements) => {
            await gate.settle(shard, settlements).catch((error: unknown) => {
              logger.debug({ err: error, claims: settlements.length }, 'claims were not settled, the sweep will');
            });
            return settlements.map(() => undefined);
          },
        }),
    );
  }

  add(placement: Placement, decision: Decision): void {
    const { claim, shard } = placement;
    const settlement = { orderId: claim.orderId, skuIds: skusOf(claim.lines), again: leftUnits(decision) };
    this.lanes[shard]?.add(settlement).catch(() => undefined);
  }

  async drain(): Promise<void> {
    await Promise.all(this.lanes.map((lane) => lane.drain()));
  }
}

/** Whether the decision took nothing that the gate should still count as gone. */
export function leftUnits(decision: Decision): boolean {
  if (decision.kind === 'FAULT') return true;
  // Who waits came when too few were free.
  if (decision.kind === 'ORDER' || decision.kind === 'WAITLISTED') return false;
  const { reason } = decision.refusal;
  return reason !== 'NOT_ENOUGH' && reason !== 'ALL_HELD' && reason !== 'SOLD_OUT';
}

/** The distinct skus that lines name. */
export function skusOf(lines: Placement['claim']['lines']): string[] {
  const [only] = lines;
  return lines.length === 1 && only ? [only.skuId] : [...new Set(lines.map((line) => line.skuId))];
}
