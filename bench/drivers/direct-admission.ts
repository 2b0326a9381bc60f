import type { Claim } from '#libs/contracts/gen/holdfast/event/v1/claim.js';
import { Lifecycle } from '#libs/runtime/lifecycle.js';
import { createLogger } from '#libs/runtime/logger.js';
import { createMetrics } from '#libs/runtime/metrics.js';
import { openLedgerParts } from '../../services/inventory/src/adapters/open-ledger.js';
import { AdmitDirectly } from '../../services/inventory/src/app/admit-directly.js';
import { type Outcome, Placement, type Claim as PlacementClaim } from '../../services/inventory/src/app/placement.js';
import { readConfig } from '../../services/inventory/src/config.js';

const patienceMs = 10_000;

/** Inventory's way past gate and stream, with its default settings, in this process. */
export interface DirectAdmission {
  /** Resolves when the order is held; rejects with whatever else it was told. */
  sell(claim: Claim): Promise<boolean>;
  /** Resolves when it has a place in line; rejects likewise. */
  join(claim: Claim): Promise<boolean>;
  close(): Promise<unknown>;
}

/** Opens it on a ledger. */
export function openDirectAdmission(databaseUrl: string): DirectAdmission {
  const logger = createLogger('bench', 'warn');
  const life = new Lifecycle(logger);
  const config = readConfig({ DATABASE_URL: databaseUrl });
  const { directLedger: ledger } = openLedgerParts(config, life, createMetrics());
  const lane = new AdmitDirectly({
    ...{ ledger, logger, turns: config.directTurns },
    onDecided: (placement, decision) => placement.decided(decision),
  });
  life.closer('admission', () => lane.drain());
  const ask = async (attempt: PlacementClaim, wanted: Outcome['kind']): Promise<boolean> => {
    const outcome = await new Promise<Outcome>((resolve) => lane.add(placementOf(attempt, resolve)));
    if (outcome.kind !== wanted) throw new Error(`an order was told ${JSON.stringify(outcome)}`);
    return true;
  };
  return {
    sell: ({ onSoldOut: _, ...claim }) => ask(claim, 'HELD'),
    join: (claim) => ask({ ...claim, onSoldOut: 'JOIN_WAITLIST' }, 'WAITLISTED'),
    close: () => life.close(),
  };
}

function placementOf(claim: PlacementClaim, respond: (outcome: Outcome) => void): Placement {
  const notAfter = new Date(Date.now() + patienceMs);
  const answerByMs = performance.now() + patienceMs;
  return new Placement({ claim, shard: 0, notAfter, answerByMs, firstForMs: undefined }, respond);
}
