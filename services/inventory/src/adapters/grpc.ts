import {
  type ImportSkusRequest,
  type ImportSkusResponse,
  InventoryServiceDefinition,
} from '#libs/contracts/gen/holdfast/inventory/v1/inventory_service.js';
import type { Sku } from '#libs/contracts/gen/holdfast/inventory/v1/sku.js';
import { OrderState } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import { shardOfOrder } from '#libs/contracts/order-id.js';
import type { Ledger } from '#libs/ledger/ledger.js';
import { Fault } from '#libs/refusal/fault.js';
import type { RpcMetrics } from '#libs/rpc/metrics.js';
import { implement, type ServiceImplementation } from '#libs/rpc/service.js';
import { toStatus } from '#libs/rpc/status.js';
import { importSkus } from '../app/import-skus.js';
import type { PlaceHolds } from '../app/place-holds.js';
import type { Claim } from '../app/placement.js';
import type { Gate } from '../app/ports.js';
import { spreadChange } from '../app/spread-change.js';
import { sweepJournal } from '../app/sweep-journal.js';
import type { SyncGates } from '../app/sync-gates.js';
import { toLineMessage } from './messages.js';
import { servePlaceHolds } from './place-holds-stream.js';
import { serveLimits } from './serve-limits.js';
import { fromSkuMessage, toAvailabilityMessage, toSkuMessage } from './sku-messages.js';

export interface InventoryParts {
  ledger: Ledger;
  ledgerNow(): Date;
  placeHolds: PlaceHolds;
  gate: Gate | undefined;
  syncGates: SyncGates | undefined;
  shards: number;
  metrics: RpcMetrics;
}

/** The service as its callers see it. */
export function inventoryService(parts: InventoryParts): ServiceImplementation {
  const { ledger, gate, syncGates, shards } = parts;
  return implement(InventoryServiceDefinition, {
    placeHolds: (stream) => servePlaceHolds(stream, parts.placeHolds, parts.metrics),

    async getClaim({ orderId }) {
      const claim = await gate?.promised(shardOfOrder(orderId, shards), orderId);
      if (!claim)
        throw new Fault('ORDER_NOT_FOUND', 'no undecided order has this id', { metadata: { order_id: orderId } });
      return { order: pendingOrder(claim) };
    },

    putSku: ({ sku }) => putSku(sku, parts),

    importSkus: (requests) => importSkusOf(ledger, requests),

    async getSku({ skuId }) {
      const { sku, stock, now } = await ledger.skuGet(skuId);
      return { sku: toSkuMessage(sku), availability: toAvailabilityMessage(stock, now) };
    },

    async listSkus({ storeId, ...query }) {
      const { skus, nextPageToken } = await ledger.skusList(storeId, query);
      const now = parts.ledgerNow();
      return {
        skus: skus.map(({ sku }) => toSkuMessage(sku)),
        availability: skus.map(({ stock }) => toAvailabilityMessage(stock, now)),
        nextPageToken,
      };
    },

    async getAvailability({ skuIds }) {
      const { now, skus } = await ledger.stockRead(skuIds);
      const known = new Map(skus.map((stock) => [stock.skuId, toAvailabilityMessage(stock, now)]));
      return { availability: skuIds.flatMap((skuId) => known.get(skuId) ?? []) };
    },

    ...serveLimits(ledger),

    async sweep() {
      if (!gate) return { settled: 0, admitted: 0, dropped: 0, remaining: 0, oldestMs: 0 };
      return sweepJournal(gate, ledger, shards);
    },

    async sync({ skuIds, openingWithinSeconds }) {
      if (!syncGates) return { synced: 0, nextOpeningAt: undefined };
      if (openingWithinSeconds > 0) {
        const { synced, nextOpeningAt } = await syncGates.syncOpening(openingWithinSeconds);
        return { synced, nextOpeningAt };
      }
      const synced = skuIds.length > 0 ? await syncGates.syncSkus(skuIds) : await syncGates.syncUsed();
      return { synced, nextOpeningAt: undefined };
    },
  });
}

async function putSku(message: Sku | undefined, parts: InventoryParts): Promise<{ sku: Sku }> {
  if (!message)
    throw new Fault('INVALID_REQUEST', 'a sku is needed', {
      violations: [{ field: 'sku', description: 'must be set' }],
    });
  const { sku } = await parts.ledger.skuPut(fromSkuMessage(message), message.etag || undefined);
  await spreadChange(parts, [sku.skuId]);
  return { sku: toSkuMessage(sku) };
}

async function importSkusOf(ledger: Ledger, requests: AsyncIterable<ImportSkusRequest>): Promise<ImportSkusResponse> {
  async function* batches() {
    for await (const { skus } of requests) {
      yield skus.map((message) => ({
        sku: fromSkuMessage(message),
        ...(message.etag !== '' && { etag: message.etag }),
      }));
    }
  }
  const { failures, ...counts } = await importSkus(ledger, batches());
  return {
    ...counts,
    failures: failures.map(({ position, skuId, fault }) => ({ position, skuId, error: toStatus(fault) })),
  };
}

function pendingOrder(claim: Claim) {
  return {
    ...claim,
    state: OrderState.ORDER_STATE_PENDING,
    version: 0,
    lines: claim.lines.map(toLineMessage),
    amountMinor: 0,
    currency: '',
    createdAt: undefined,
    expiresAt: undefined,
    code: '',
    fulfilledAt: undefined,
    entryId: '',
    extendedAt: undefined,
    refusal: undefined,
  };
}
