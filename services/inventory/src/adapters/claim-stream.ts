import { ClaimsPlaced } from '#libs/contracts/gen/holdfast/event/v1/claim.js';
import { claimsSubject, decisionsSubject } from '#libs/contracts/subjects.js';
import type { Messaging } from '#libs/messaging/messaging.js';
import { Fault } from '#libs/refusal/fault.js';
import { encode } from '#libs/rpc/definition.js';
import { withinDeadline } from '#libs/runtime/within-deadline.js';
import type { ClaimStream } from '../app/ports.js';
import { toClaimMessage } from './messages.js';

/** After so long without an acknowledgement the batch goes straight to admission. */
const STORE_TIMEOUT_MS = 300;
/** For whoever decides to come by a message without claims. */
const SIGN_OF_LIFE_MS = 1000;

/** Stores claims in JetStream, one message a batch. */
export function createClaimStream(messaging: Messaging): ClaimStream {
  async function store(shard: number, message: ClaimsPlaced): Promise<void> {
    const bytes = encode(ClaimsPlaced, message);
    await messaging.store(claimsSubject(shard), bytes, { timeoutMs: STORE_TIMEOUT_MS });
  }

  return {
    store: (shard, claims) =>
      store(shard, { claims: claims.map(({ claim, notAfter }) => toClaimMessage(claim, notAfter)) }),

    // Whoever takes a message without claims off the stream says so where decisions are heard.
    async probe(shard) {
      let stop = (): void => undefined;
      const heard = new Promise<void>((resolve) => {
        stop = messaging.subscribe(decisionsSubject(shard), () => resolve());
      });
      try {
        await store(shard, { claims: [] });
        await withinDeadline(heard, SIGN_OF_LIFE_MS, nobodyDecides);
      } finally {
        stop();
      }
    },
  };
}

function nobodyDecides(): Fault {
  return new Fault('UNAVAILABLE', 'the stream takes claims, and nobody decides them');
}
