import {
  InventoryServiceDefinition,
  type PlaceHoldsItem,
  type PlaceHoldsRequest,
  type PlaceHoldsResponse,
  type PlaceHoldsResult,
} from '#libs/contracts/gen/holdfast/inventory/v1/inventory_service.js';
import { BatchCaller } from '#libs/rpc/batch-caller.js';
import { connect } from '#libs/rpc/client.js';
import type { Target } from '#libs/rpc/target.js';
import type { Logger } from '#libs/runtime/logger.js';
import type { Metrics } from '#libs/runtime/metrics.js';
import type { Inventory } from '../app/ports.js';
import { attemptShare } from '../app/reserve.js';
import { defaultDeadlineMs, ifFound, within } from './inner-calls.js';

export interface InventoryOptions {
  target: Target;
  maxInFlight: number;
  logger: Logger;
  metrics: Metrics;
}

export interface InventoryClient extends Inventory {
  /** Whether any of its processes takes holds. */
  isReachable(): boolean;
  close(): void;
}

/** Inventory: holds go by one batched stream to each of its processes, everything else by calls of their own. */
export function connectInventory(options: InventoryOptions): InventoryClient {
  const { target, maxInFlight, logger, metrics } = options;
  const client = connect(InventoryServiceDefinition, target, { defaultDeadlineMs });
  const holds = new BatchCaller<PlaceHoldsItem, PlaceHoldsResult, PlaceHoldsRequest, PlaceHoldsResponse>({
    service: InventoryServiceDefinition,
    method: InventoryServiceDefinition.methods.placeHolds,
    target,
    wrap: (items) => ({ items: items.map(withTimeForTheAnswer) }),
    results: ({ results }) => results,
    keyOf: ({ storeId }) => storeId,
    maxWaiting: maxInFlight,
    logger,
    metrics,
  });

  return {
    placeHold: (hold, waitMs) => holds.call(hold, waitMs),
    async findClaim(orderId, caller) {
      const found = await ifFound(client.getClaim({ orderId }, within(caller)));
      return found?.order;
    },
    getSku: (skuId, caller) => client.getSku({ skuId }, within(caller)),
    listSkus: (request, caller) => client.listSkus(request, within(caller)),
    getAvailability: (skuIds, caller) => client.getAvailability({ skuIds }, within(caller)),
    async batchGetLimits(keys, waitMs) {
      const { limits } = await client.batchGetLimits({ keys }, { deadlineMs: waitMs });
      return limits;
    },
    listLimits: (request, caller) => client.listLimits(request, within(caller)),
    setLimits: (request, caller) => client.setLimits(request, within(caller)),
    isReachable: () => holds.openPeers > 0,
    close() {
      holds.close();
      client.close();
    },
  };
}

/** The peer's time is up before ours is, so that what it says at the last moment still arrives. */
function withTimeForTheAnswer(item: PlaceHoldsItem): PlaceHoldsItem {
  return { ...item, remainingMs: Math.max(1, Math.floor(item.remainingMs * attemptShare)) };
}
