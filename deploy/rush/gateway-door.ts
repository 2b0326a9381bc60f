import {
  connectHoldfast,
  type Fault,
  type HoldfastClient,
  type OrderOutcome,
  type Refusal,
  type ReserveOutcome,
  type Waiting,
} from '#libs/client/index.js';
import { faultOf } from '#libs/refusal/fault.js';
import type { Door, Doors } from './door.js';
import type { Reply } from './reply.js';

/** Through the gateways, as another team's service goes: places in line and promises are followed by the client's own means. */
export function gatewayDoors(gateways: string): Doors {
  const client = connectHoldfast(gateways);
  return {
    of: (token) => gatewayDoor(client, token),
    warmUp: async () => undefined,
    close: () => client.close(),
  };
}

function gatewayDoor(client: HoldfastClient, token: string): Door {
  return {
    async order({ storeId, lines }, requestId, ear) {
      // The client asks for the token before each try.
      const user = client.withToken(() => {
        ear.sent();
        return token;
      });
      const onWait = (waiting: Waiting): void => ear.waits(replyOfWaiting(waiting));
      return user.reserve({ storeId, lines, requestId }, { onWait }).then(replyOf, replyOfThrown);
    },
    follow: (orderId, deadlineMs) =>
      client
        .withToken(token)
        .waitForOrder(orderId, { deadlineMs })
        .then(replyOfOrder, () => undefined),
  };
}

function replyOf(outcome: ReserveOutcome): Reply {
  switch (outcome.kind) {
    case 'HELD':
      return { kind: 'HELD', orderId: outcome.order.orderId };
    case 'REFUSED':
      return refused(outcome.reason, outcome.refusal);
    case 'QUEUED':
      return { kind: 'QUEUED', peopleAhead: outcome.peopleAhead, waitMs: outcome.retryAfterMs };
    case 'UNDECIDED':
      return again(outcome.fault);
    default:
      return outcome;
  }
}

function replyOfOrder(outcome: OrderOutcome): Reply | undefined {
  if (outcome.kind === 'UNDECIDED' || outcome.kind === 'PENDING') return undefined;
  if (outcome.kind === 'REFUSED') return refused(outcome.reason, outcome.refusal);
  return { kind: 'HELD', orderId: outcome.order.orderId };
}

function replyOfWaiting(waiting: Waiting): Reply {
  if (waiting.why !== 'QUEUED') return again(waiting.fault);
  return { kind: 'QUEUED', peopleAhead: waiting.peopleAhead, waitMs: waiting.waitMs };
}

function replyOfThrown(thrown: unknown): Reply {
  const { reason, message } = faultOf(thrown);
  return { kind: 'ERROR', why: `${reason} ${message}` };
}

function refused(reason: string, facts: Refusal | undefined): Reply {
  const { nextReleaseAt, opensAt } = facts ?? {};
  return { kind: 'REFUSED', refusal: { reason, ...(nextReleaseAt && { nextReleaseAt }), ...(opensAt && { opensAt }) } };
}

function again({ reason, retryAfterMs, metadata }: Fault): Reply {
  const wait = retryAfterMs === undefined ? {} : { waitMs: retryAfterMs };
  if (reason !== 'RATE_LIMITED') return { kind: 'AGAIN', why: reason, ...wait };
  const { limit = 'UNNAMED' } = metadata;
  return { kind: 'AGAIN', why: `${reason} ${limit}`, limit, ...wait };
}
