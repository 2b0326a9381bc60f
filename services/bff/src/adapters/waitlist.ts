import type { FastifyInstance } from 'fastify';
import { type WaitlistEntry, WaitlistState } from '#libs/contracts/gen/holdfast/waitlist/v1/waitlist.js';
import type { Gateway } from './gateway.js';
import { callerOf } from './identity.js';
import { idOf, resource } from './resource.js';
import { entryAnswer, idParams, noQuery } from './schemas.js';

const common = { params: idParams, querystring: noQuery, response: { 200: entryAnswer } } as const;

/** Places in waitlists: read, left, and offers accepted. They are taken by placing an order. */
export function waitlistRoutes(app: FastifyInstance, gateway: Gateway): void {
  resource(app, '/v1/waitlist/:id', {
    GET: {
      forUser: true,
      schema: common,
      async handler(request, reply) {
        return reply.send(givenEntry(await gateway.getWaitlistEntry(callerOf(request), idOf(request))));
      },
    },
    DELETE: {
      forUser: true,
      schema: common,
      async handler(request, reply) {
        const leave = { entryId: idOf(request), requestId: request.id, reason: '' };
        return reply.send(givenEntry(await gateway.leaveWaitlist(callerOf(request), leave)));
      },
    },
  });
  resource(app, '/v1/waitlist/:id(^[^:]+)::accept', {
    POST: {
      forUser: true,
      schema: common,
      async handler(request, reply) {
        const accept = { entryId: idOf(request), requestId: request.id };
        return reply.send(givenEntry(await gateway.acceptOffer(callerOf(request), accept)));
      },
    },
  });
}

/** Where a place in a waitlist is read. */
export function pathOfEntry(entryId: string): string {
  return `/v1/waitlist/${entryId}`;
}

// A state that only newer peers know has no name here.
export function entryStateName(state: WaitlistState): string {
  return (WaitlistState[state] ?? 'WAITLIST_STATE_UNKNOWN').slice('WAITLIST_STATE_'.length);
}

function givenEntry(entry: WaitlistEntry | undefined) {
  if (entry === undefined) throw new Error('the gateway gave no entry');
  return entryJson(entry);
}

/** An entry as apps read it. */
export function entryJson(entry: WaitlistEntry) {
  return {
    entry_id: entry.entryId,
    store_id: entry.storeId,
    sku_id: entry.skuId,
    user_id: entry.userId,
    quantity: entry.quantity,
    state: entryStateName(entry.state),
    people_ahead: entry.state === WaitlistState.WAITLIST_STATE_WAITING ? entry.peopleAhead : undefined,
    order_id: entry.orderId || undefined,
    joined_at: entry.joinedAt?.toISOString(),
    offer_expires_at: entry.offerExpiresAt?.toISOString(),
    barred_reason: entry.barredReason || undefined,
    estimated_seconds: entry.estimatedSeconds,
  };
}
