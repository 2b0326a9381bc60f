import type { OrderLine } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import type { OrderServiceDefinition } from '#libs/contracts/gen/holdfast/order/v1/order_service.js';
import { CallerRole } from '#libs/contracts/gen/holdfast/order/v1/payment.js';
import { toOrderMessage, toRefusalMessage } from '#libs/contracts/order-messages.js';
import type { Caller } from '#libs/ledger/order-changes.js';
import type { Handlers } from '#libs/rpc/service.js';
import type { changeOrders } from '../app/change-orders.js';
import { RequestCheck } from './requests.js';

const linesMax = 100;
const quantityMax = 1_000_000;

interface Asked {
  readonly userId: string;
  readonly role?: CallerRole | undefined;
  readonly requestId: string;
}

type LifeHandlers = Pick<
  Handlers<typeof OrderServiceDefinition>,
  'cancelOrder' | 'cancelOrderLines' | 'moveOrder' | 'extendHold'
>;

/** The part of the OrderService that ends orders, wholly or in part, moves and prolongs them. */
export function lifeHandlers(change: ReturnType<typeof changeOrders>): LifeHandlers {
  return {
    async cancelOrder(request) {
      checkAsked(request).field('reason', request.reason, 'freeText').done();
      const { orderId, reason } = request;
      return { order: toOrderMessage(await change.cancelOrder(orderId, callerOf(request), reason)) };
    },

    async cancelOrderLines(request) {
      const { orderId, lines, reason, requestId } = request;
      checkLines(checkAsked(request), lines).field('reason', reason, 'freeText').done();
      const units = lines.map((line) => ({ ...line, attendeeId: line.attendeeId || (callerOf(request).userId ?? '') }));
      const part = { ...callerOf(request), orderId, lines: units, reason, requestId };
      return { order: toOrderMessage(await change.cancelOrderLines(part)) };
    },

    async moveOrder(request) {
      const { orderId, fromSkuId, toSkuId, requestId } = request;
      checkAsked(request).optional('from_sku_id', fromSkuId, 'id').field('to_sku_id', toSkuId, 'id').done();
      const from = fromSkuId === '' ? {} : { fromSkuId };
      const moved = await change.moveOrder({ ...callerOf(request), ...from, orderId, toSkuId, requestId });
      if (moved.kind === 'REFUSED') {
        return { outcome: { $case: 'refusal', value: toRefusalMessage(moved.refusal) } };
      }
      return { outcome: { $case: 'order', value: toOrderMessage(moved.order) } };
    },

    async extendHold(request) {
      checkAsked(request).done();
      const { userId } = callerOf(request);
      return { order: toOrderMessage(await change.extendHold(request.orderId, userId)) };
    },
  };
}

/** A user changes their own orders under the terms of the skus, an operator all of them. Trusted callers name nobody. */
function callerOf({ userId, role }: Asked): Caller {
  if (userId === '') return {};
  return role === CallerRole.CALLER_ROLE_OPERATOR ? { role: 'OPERATOR', by: userId } : { userId };
}

function checkAsked({ userId, requestId }: Asked): RequestCheck {
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
