import type { InventoryServiceDefinition } from '#libs/contracts/gen/holdfast/inventory/v1/inventory_service.js';
import type { Ledger } from '#libs/ledger/ledger.js';
import type { Handlers } from '#libs/rpc/service.js';
import { fromSetLimitsRequest, toSkuLimitsMessage, toStoreLimitsMessage } from './limit-messages.js';

type LimitHandlers = Pick<Handlers<typeof InventoryServiceDefinition>, 'batchGetLimits' | 'listLimits' | 'setLimits'>;

/** Limits of the edge: the ledger keeps them, whoever polls obeys them. */
export function serveLimits(ledger: Pick<Ledger, 'limitsRead' | 'limitsList' | 'limitsSet'>): LimitHandlers {
  return {
    async batchGetLimits({ keys }) {
      return { limits: (await ledger.limitsRead(keys)).map(toSkuLimitsMessage) };
    },

    async listLimits({ storeId, pageSize, pageToken }) {
      const { store, skus, nextPageToken } = await ledger.limitsList(storeId, { pageSize, pageToken });
      return { store: toStoreLimitsMessage(store), skus: skus.map(toSkuLimitsMessage), nextPageToken };
    },

    async setLimits(request) {
      const holds = await ledger.limitsSet(fromSetLimitsRequest(request));
      return 'sku' in holds
        ? { sku: toSkuLimitsMessage(holds.sku), store: undefined }
        : { sku: undefined, store: toStoreLimitsMessage(holds.store) };
    },
  };
}
