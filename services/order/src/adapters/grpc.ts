import { type ListOrdersRequest, OrderServiceDefinition } from '#libs/contracts/gen/holdfast/order/v1/order_service.js';
import { toOrderMessage } from '#libs/contracts/order-messages.js';
import type { Principal } from '#libs/identity/principal.js';
import type { LedgerOrder } from '#libs/ledger/rows.js';
import { actorOf } from '#libs/rpc/actor.js';
import { implement, type ServiceImplementation } from '#libs/rpc/service.js';
import { getOrder, orderOfStores } from '../app/get-order.js';
import type { Watch } from '../app/watch.js';
import { RequestCheck } from './requests.js';
import { lifeHandlers } from './serve-life.js';
import { type PaymentVerbs, paymentHandlers } from './serve-payments.js';

const usualBatch = 500;
const largestBatch = 1_000;

export interface OrderVerbs extends PaymentVerbs {
  readonly watch: Watch<LedgerOrder>;
}

/** The OrderService on the wire: requests checked, the ledger's words turned into messages. */
export function orderService({ watch, ...verbs }: OrderVerbs): ServiceImplementation {
  const { ledger, change } = verbs;
  return implement(OrderServiceDefinition, {
    ...paymentHandlers(verbs),
    ...lifeHandlers(change, ledger),

    async getOrder({ orderId, userId }, call) {
      new RequestCheck().optional('user_id', userId, 'id').done();
      const actor = actorOf(call);
      if (actor?.role === 'STAFF') return { order: toOrderMessage(await orderOfStores(ledger, orderId, actor.stores)) };
      return { order: toOrderMessage(await getOrder(ledger, orderId, givenOrNot(userId))) };
    },

    async listOrders(request, call) {
      checkList(request);
      const { userId, skuId, pageSize, pageToken } = request;
      const page = { pageSize, pageToken };
      const found = await (userId ? ledger.ordersListByUser(userId, page) : ledger.ordersListBySku(skuId, page));
      const orders = ofStores(found.orders, actorOf(call));
      return {
        orders: orders.map(toOrderMessage),
        nextPageToken: skuId && orders.length === 0 ? '' : found.nextPageToken,
      };
    },

    async *watchOrder({ orderId, userId }, call) {
      new RequestCheck().optional('user_id', userId, 'id').done();
      for await (const order of watch.follow(orderId, givenOrNot(userId), call.signal)) {
        yield { order: toOrderMessage(order) };
      }
    },

    async endCancelledSales({ batchSize }) {
      const allowed = batchSize >= 0 && batchSize <= usualBatch;
      new RequestCheck().that(allowed, 'batch_size', `must be 0 to ${usualBatch}`).done();
      const { cancelled, more } = await change.endCancelledSales(batchSize || usualBatch);
      return { cancelled, more };
    },

    async expireDue({ batchSize }) {
      const allowed = batchSize >= 0 && batchSize <= largestBatch;
      new RequestCheck().that(allowed, 'batch_size', `must be 0 to ${largestBatch}`).done();
      const { expired, nextDueAt } = await change.expireDue(batchSize || usualBatch);
      return { expired, nextDueAt };
    },
  });
}

/** Staff are shown what is of their stores; others asked for what they may see. */
function ofStores(orders: LedgerOrder[], actor: Principal | undefined): LedgerOrder[] {
  return actor?.role === 'STAFF' ? orders.filter(({ storeId }) => actor.stores.includes(storeId)) : orders;
}

/** Trusted callers name no user and may see every order. */
function givenOrNot(userId: string): string | undefined {
  return userId === '' ? undefined : userId;
}

function checkList({ userId, skuId, pageSize }: ListOrdersRequest): void {
  new RequestCheck()
    .that((userId === '') !== (skuId === ''), 'user_id', 'must be given, or sku_id in its place, not both')
    .optional('user_id', userId, 'id')
    .optional('sku_id', skuId, 'id')
    .that(pageSize >= 0, 'page_size', 'must not be negative')
    .done();
}
