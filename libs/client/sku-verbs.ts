import type { Availability, Sku } from '#libs/contracts/gen/holdfast/inventory/v1/sku.js';
import { ReservationServiceDefinition } from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import type { Client } from '#libs/rpc/client.js';
import type { Patience } from './insist.js';
import { given } from './order-verbs.js';
import { pagesOf } from './pages.js';
import type { Voice } from './voice.js';

/** A sku, and where its units are. */
export interface SkuNow {
  sku: Sku;
  availability: Availability | undefined;
}

/** Which skus of a store are listed: all in the order of their ids, or with times those that start then in the order of their starts. */
export interface SkuList {
  storeId: string;
  startsAfter?: Date;
  startsBefore?: Date;
  pageSize?: number;
}

/** What there is to have. */
export interface SkuVerbs {
  /** Fault SKU_NOT_FOUND. */
  getSku(skuId: string, patience?: Patience): Promise<SkuNow>;
  /** Where the units of 1 to 100 skus are, in the order asked; without those that are not known. */
  getAvailability(skuIds: readonly string[], patience?: Patience): Promise<Availability[]>;
  /** The skus of a store, asked for page by page as they are read. */
  listSkus(which: SkuList, patience?: Patience): AsyncIterable<SkuNow>;
  /** A request_id for the next reservation of the sku, for stores that take no others. */
  createRequestId(of: { storeId: string; skuId: string }, patience?: Patience): Promise<string>;
}

const methods = ReservationServiceDefinition.methods;

/** The verbs in one voice. */
export function skuVerbs(gateway: Client<typeof ReservationServiceDefinition>, voice: Voice): SkuVerbs {
  return {
    async getSku(skuId, patience) {
      const send = voice.ask(methods.getSku, (options) => gateway.getSku({ skuId }, options), patience);
      const { sku, availability } = await send;
      return { sku: given(sku), availability };
    },
    async getAvailability(skuIds, patience) {
      const request = { skuIds: [...skuIds] };
      const send = voice.ask(methods.getAvailability, (options) => gateway.getAvailability(request, options), patience);
      return (await send).availability;
    },
    async *listSkus({ storeId, startsAfter, startsBefore, pageSize = 0 }, patience) {
      const pages = pagesOf((pageToken) => {
        const request = { storeId, startsAfter, startsBefore, pageSize, pageToken };
        return voice.ask(methods.listSkus, (options) => gateway.listSkus(request, options), patience);
      });
      for await (const { skus, availability } of pages) {
        yield* skus.map((sku, index) => ({ sku, availability: availability[index] }));
      }
    },
    async createRequestId(of, patience) {
      const send = voice.ask(methods.createRequestId, (options) => gateway.createRequestId(of, options), patience);
      return (await send).requestId;
    },
  };
}
