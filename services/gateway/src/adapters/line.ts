import {
  type CreateRequestIdRequest,
  type CreateRequestIdResponse,
  PlaceState,
  type WatchPlaceRequest,
  type WatchPlaceResponse,
} from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import { shardOfStore } from '#libs/contracts/order-id.js';
import type { ServerStreamHandler, UnaryHandler } from '#libs/rpc/service.js';
import type { IssuedRequestIds } from '../app/issued-request-ids.js';
import type { Place } from '../app/ports.js';
import type { PlaceWatchers } from '../app/watch-place.js';
import { refuseIfAny } from '../domain/fields.js';
import { validateSku } from '../domain/validate-requests.js';
import { userOf } from './identity.js';

const states: Record<Place['state'], PlaceState> = {
  WAITING: PlaceState.PLACE_STATE_WAITING,
  DUE: PlaceState.PLACE_STATE_DUE,
  GONE: PlaceState.PLACE_STATE_GONE,
};

/** A place is the caller's own: that of another cannot be named. */
export function watchPlace(
  watchers: PlaceWatchers,
  shards: number,
): ServerStreamHandler<WatchPlaceRequest, WatchPlaceResponse> {
  return async function* (request, call) {
    const userId = userOf(call);
    refuseIfAny(validateSku(request));
    const { storeId, skuId } = request;
    const asked = { storeId, shard: shardOfStore(storeId, shards), skuId, userId };
    for await (const { state, peopleAhead, retryAfterMs } of watchers.watch(asked, call.signal)) {
      yield { state: states[state], peopleAhead, retryAfterMs: Math.ceil(retryAfterMs) };
    }
  };
}

export function createRequestId(ids: IssuedRequestIds): UnaryHandler<CreateRequestIdRequest, CreateRequestIdResponse> {
  return async (request, call) => {
    const userId = userOf(call);
    refuseIfAny(validateSku(request));
    const { requestId, expiresAtMs } = ids.create({ userId, storeId: request.storeId, skuId: request.skuId });
    return { requestId, expiresAt: new Date(expiresAtMs) };
  };
}
