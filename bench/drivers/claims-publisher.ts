import type { Claim } from '#libs/contracts/gen/holdfast/event/v1/claim.js';
import { connectMessaging } from '#libs/messaging/messaging.js';
import { createLogger } from '#libs/runtime/logger.js';
import { createMetrics } from '#libs/runtime/metrics.js';
import { until } from '#libs/testing/until.js';
import { createClaimStream } from '../../services/inventory/src/adapters/claim-stream.js';
import { OpossumBreaker } from '../../services/inventory/src/adapters/opossum-breaker.js';
import { Placement } from '../../services/inventory/src/app/placement.js';
import { StoreClaims } from '../../services/inventory/src/app/store-claims.js';

const shard = 0;
const resetMs = 2_000;
const patienceMs = 60_000;

/** Inventory's way into the stream in this process, one shard. */
export interface ClaimsPublisher {
  /** Resolves when the stream has it. */
  store(claim: Claim): Promise<boolean>;
  close(): Promise<void>;
}

/** Resolves when it is connected. */
export async function openClaimsPublisher(natsUrl: string): Promise<ClaimsPublisher> {
  const [logger, metrics] = [createLogger('bench', 'warn'), createMetrics()];
  const messaging = connectMessaging({ url: natsUrl, name: 'bench', logger, metrics });
  await until(() => messaging.connected);
  const storeClaims = new StoreClaims({
    ...{ stream: createClaimStream(messaging), shards: shard + 1 },
    openBreaker: (callee, probe) => new OpossumBreaker({ callee, probe, resetMs, metrics, logger }),
  });
  return {
    store: async ({ onSoldOut: _, ...claim }) => {
      const notAfter = claim.notAfter ?? new Date(Date.now() + patienceMs);
      const answerByMs = performance.now() + patienceMs;
      await storeClaims.store(new Placement({ claim, shard, notAfter, answerByMs, firstForMs: undefined }, () => {}));
      return true;
    },
    close: async () => {
      await storeClaims.drain();
      await messaging.close();
    },
  };
}
