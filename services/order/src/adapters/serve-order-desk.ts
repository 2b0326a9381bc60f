import {
  type FulfilOrderRequest,
  OrderDeskServiceDefinition,
} from '#libs/contracts/gen/holdfast/control/v1/order_desk_service.js';
import { toOrderMessage } from '#libs/contracts/order-messages.js';
import type { Ledger } from '#libs/ledger/ledger.js';
import { actorNameOf } from '#libs/rpc/actor.js';
import { implement, type ServiceImplementation } from '#libs/rpc/service.js';
import type { changeOrders } from '../app/change-orders.js';
import { refuseImpossible } from '../app/get-order.js';
import { RequestCheck } from './requests.js';

export interface OrderDeskOptions {
  readonly ledger: Ledger;
  readonly change: ReturnType<typeof changeOrders>;
}

/** The OrderDeskService on the wire. */
export function orderDeskService({ ledger, change }: OrderDeskOptions): ServiceImplementation {
  return implement(OrderDeskServiceDefinition, {
    async fulfilOrder(request, call) {
      const by = actorNameOf(call);
      const { order, changed } = await change.fulfilOrder(checkFulfil(request), by);
      return { order: toOrderMessage(order), changed };
    },

    async getHoldStats({ storeId, skuId, since }) {
      checkOne({ storeId, skuId })
        .that(since !== undefined, 'since', 'must be given')
        .done();
      const stats = await ledger.holdsStats(skuId === '' ? { storeId } : { skuId }, since ?? new Date());
      return { ...stats, vainUnitMinutes: Math.round(stats.vainUnitMinutes) };
    },

    async listMovements({ skuId, orderId, pageSize, pageToken }) {
      new RequestCheck()
        .that((skuId === '') !== (orderId === ''), 'sku_id', 'must be given, or order_id in its place, not both')
        .optional('sku_id', skuId, 'id')
        .done();
      if (orderId !== '') refuseImpossible(orderId);
      const of = orderId === '' ? { skuId } : { orderId };
      const { movements, nextPageToken } = await ledger.movementsList(of, { pageSize, pageToken });
      const told = movements.map(({ userId = '', note = '', ...same }) => ({ ...same, userId, note }));
      return { movements: told, nextPageToken };
    },
  });
}

function checkOne({ storeId, skuId }: { storeId: string; skuId: string }): RequestCheck {
  return new RequestCheck()
    .that((storeId === '') !== (skuId === ''), 'store_id', 'must be given, or sku_id in its place, not both')
    .optional('store_id', storeId, 'id')
    .optional('sku_id', skuId, 'id');
}

function checkFulfil(request: FulfilOrderRequest): { orderId: string } | { storeId: string; code: string } {
  const { orderId, storeId, code, requestId } = request;
  const isById = orderId !== '';
  new RequestCheck()
    .that(isById !== (code !== ''), 'code', 'must be given, or order_id in its place, not both')
    .that(isById || storeId !== '', 'store_id', 'must be given with code')
    .optional('store_id', storeId, 'id')
    .optional('code', code, 'freeText')
    .field('request_id', requestId, 'longId')
    .done();
  return isById ? { orderId } : { storeId, code };
}
