import type { FastifyInstance } from 'fastify';
import { type WaitlistEntry, WaitlistState } from '#libs/contracts/gen/holdfast/waitlist/v1/waitlist.js';
import { entryAnswer } from './answer-schemas.js';
import type { Gateway } from './gateway.js';
import { callerOf } from './identity.js';
import { idOf, resource } from './resource.js';
import { entryParams, noQuery } from './schemas.js';

const common = { params: entryParams, querystring: noQuery, response: { 200: entryAnswer } } as const;

/** Places in waitlists: read, left, and offers accepted. They are taken by placing an order. */
export function waitlistRoutes(app: FastifyInstance, gateway: Gateway): void {
  resource(app, '/v1/waitlist/:id(^[^:]+$)', {
    GET: {
      forUser: true,
      doc: {
        id: 'getWaitlistEntry',
        tag: 'waitlist',
        summary: 'One place of the caller in a waitlist',
        answers: { 200: 'The entry' },
        reasons: ['WAITLIST_ENTRY_NOT_FOUND'],
      },
      schema: common,
      async handler(request, reply) {
        return reply.send(givenEntry(await gateway.getWaitlistEntry(callerOf(request), idOf(request))));
      },
    },
    DELETE: {
      forUser: true,
      doc: {
        id: 'leaveWaitlist',
        tag: 'waitlist',
        summary: 'Leaves a waitlist, or declines its offer',
        answers: { 200: 'The entry, left' },
        reasons: ['WAITLIST_ENTRY_NOT_FOUND', 'ORDER_STATE'],
      },
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
      doc: {
        id: 'acceptOffer',
        tag: 'waitlist',
        summary: 'Takes the offer of a waitlist where nothing is to be paid',
        answers: { 200: 'The entry, its offer taken' },
        reasons: ['WAITLIST_ENTRY_NOT_FOUND', 'ORDER_STATE'],
      },
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
    estimated_seconds: entry.estimatedSeconds === undefined ? undefined : String(entry.estimatedSeconds),
  };
}
