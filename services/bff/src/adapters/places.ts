import type { FastifyInstance } from 'fastify';
import {
  PlaceState,
  type WatchPlaceResponse,
} from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import { placeAnswer } from './answer-schemas.js';
import type { Gateway } from './gateway.js';
import { callerOf } from './identity.js';
import { resource } from './resource.js';
import { setRetryAfter } from './retry-after.js';
import { noQuery, placeParams } from './schemas.js';

/** Places in the lines of skus. They are taken, and kept, by placing an order. */
export function placeRoutes(app: FastifyInstance, gateway: Gateway): void {
  resource(app, '/v1/stores/:store/skus/:sku/place', {
    GET: {
      forUser: true,
      doc: {
        id: 'getPlace',
        tag: 'orders',
        summary: 'The place of the caller in the line of a sku',
        answers: { 200: 'The place' },
      },
      schema: { params: placeParams, querystring: noQuery, response: { 200: placeAnswer } },
      async handler(request, reply) {
        const { store: storeId, sku: skuId } = request.params as { store: string; sku: string };
        const place = await gateway.getPlace(callerOf(request), { storeId, skuId });
        if (place.state === PlaceState.PLACE_STATE_WAITING) setRetryAfter(reply, place.retryAfterMs);
        return reply.send(placeJson({ storeId, skuId }, place));
      },
    },
  });
}

/** A place as apps read it: who is ahead and when to come back only while it waits. */
export function placeJson({ storeId, skuId }: { storeId: string; skuId: string }, place: WatchPlaceResponse) {
  const isWaiting = place.state === PlaceState.PLACE_STATE_WAITING;
  return {
    store_id: storeId,
    sku_id: skuId,
    state: (PlaceState[place.state] ?? 'PLACE_STATE_UNKNOWN').slice('PLACE_STATE_'.length),
    people_ahead: isWaiting ? place.peopleAhead : undefined,
    retry_after_ms: isWaiting ? place.retryAfterMs : undefined,
  };
}
