import { ClaimsPlaced } from '#libs/contracts/gen/holdfast/event/v1/claim.js';
import { claimsSubject } from '#libs/contracts/subjects.js';
import type { Messaging } from '#libs/messaging/messaging.js';
import type { ClaimStream } from '../app/ports.js';
import { toClaimMessage } from './messages.js';

/** After so long without an acknowledgement the batch goes straight to admission. */
const STORE_TIMEOUT_MS = 500;

/** Stores claims in JetStream, one message a batch. */
export function createClaimStream(messaging: Messaging): ClaimStream {
  return {
    async store(shard, claims) {
      const message = { claims: claims.map(({ claim, notAfter }) => toClaimMessage(claim, notAfter)) };
      await messaging.store(claimsSubject(shard), ClaimsPlaced.encode(message).finish(), {
        timeoutMs: STORE_TIMEOUT_MS,
      });
    },
  };
}
