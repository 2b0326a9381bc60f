import type { OrderLine } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import type { OrderServiceDefinition } from '#libs/contracts/gen/holdfast/order/v1/order_service.js';
import { CallerRole } from '#libs/contracts/gen/holdfast/order/v1/payment.js';
import { toOrderMessage, toRefusalMessage } from '#libs/contracts/order-messages.js';
import type { Ledger } from '#libs/ledger/ledger.js';
import type { Caller } from '#libs/ledger/order-changes.js';
import { actorOf } from '#libs/rpc/actor.js';
import type { CallContext } from '#libs/rpc/call-context.js';
import type { Handlers } from '#libs/rpc/service.js';
import type { changeOrders } from '../app/change-orders.js';
import { orderOfStores } from '../app/get-order.js';
import { RequestCheck } from './requests.js';

const linesMax = 100;
const quantityMax = 1_000_000;

interface Asked {
  readonly orderId: string;
  readonly userId: string;
  readonly role?: CallerRole | undefined;
  readonly requestId: string;
}

type LifeHandlers = Pick<
  Handlers<typeof OrderServiceDefinition>,
  'cancelOrder' | 'cancelOrderLines' | 'moveOrder' | 'extendHold'
>;

/** The part of the OrderService that ends orders, wholly or in part, moves and prolongs them. */
export function lifeHandlers(change: ReturnType<typeof changeOrders>, ledger: Pick<Ledger, 'orderGet'>): LifeHandlers {
  /**
   * A user changes their own orders under the terms of the skus, an operator all of them. Staff do for its user what the
   * user might, with an order of a store of theirs. Trusted callers name nobody.
   */
  async function callerOf({ orderId, userId, role }: Asked, call: CallContext): Promise<Caller> {
    if (userId === '') return {};
    if (role === CallerRole.CALLER_ROLE_OPERATOR) return { role: 'OPERATOR', by: userId };
    const actor = actorOf(call);
    if (actor?.role !== 'STAFF') return { userId };
    const order = await orderOfStores(ledger, orderId, actor.stores);
    return { userId: order.userId, role: 'USER', by: actor.userId };
  }

  return {
    async cancelOrder(request, call) {
      checkAsked(request).field('reason', request.reason, 'freeText').done();
      const { orderId, reason } = request;
      const caller = await callerOf(request, call);
      return { order: toOrderMessage(await change.cancelOrder(orderId, caller, reason)) };
    },

    async cancelOrderLines(request, call) {
      const { orderId, lines, reason, requestId } = request;
      checkLines(checkAsked(request), lines).field('reason', reason, 'freeText').done();
      const caller = await callerOf(request, call);
      const units = lines.map((line) => ({ ...line, attendeeId: line.attendeeId || (caller.userId ?? '') }));
      const part = { ...caller, orderId, lines: units, reason, requestId };
      return { order: toOrderMessage(await change.cancelOrderLines(part)) };
    },

    async moveOrder(request, call) {
      const { orderId, fromSkuId, toSkuId, requestId } = request;
      checkAsked(request).optional('from_sku_id', fromSkuId, 'id').field('to_sku_id', toSkuId, 'id').done();
      const from = fromSkuId === '' ? {} : { fromSkuId };
      const caller = await callerOf(request, call);
      const moved = await change.moveOrder({ ...caller, ...from, orderId, toSkuId, requestId });
      if (moved.kind === 'REFUSED') {
        return { outcome: { $case: 'refusal', value: toRefusalMessage(moved.refusal) } };
      }
      return { outcome: { $case: 'order', value: toOrderMessage(moved.order) } };
    },

    async extendHold(request, call) {
      checkAsked(request).done();
      const { userId } = await callerOf(request, call);
      return { order: toOrderMessage(await change.extendHold(request.orderId, userId)) };
    },
  };
}

function checkAsked({ userId, requestId }: Pick<Asked, 'userId' | 'requestId'>): RequestCheck {
  return new RequestCheck().optional('user_id', userId, 'id').field('request_id', requestId, 'longId');
}

function checkLines(check: RequestCheck, lines: readonly OrderLine[]): RequestCheck {
  const fits = lines.length >= 1 && lines.length <= linesMax;
  check.that(fits, 'lines', `must be 1 to ${linesMax} lines`);
  for (const [index, { skuId, quantity, attendeeId }] of lines.slice(0, linesMax).entries()) {
    check
      .field(`lines[${index}].sku_id`, skuId, 'id')
      .optional(`lines[${index}].attendee_id`, attendeeId, 'id')
      .that(quantity >= 1 && quantity <= quantityMax, `lines[${index}].quantity`, `must be 1 to ${quantityMax}`);
  }
  return check;
}
