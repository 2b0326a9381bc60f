import { AvailabilityState, type Sku } from '#libs/contracts/gen/holdfast/inventory/v1/sku.js';
import { type Order, OrderState } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import {
  type CancelOrderRequest,
  ReservationServiceDefinition,
  type ReserveResponse,
  type ReserveStreamItem,
  type ReserveStreamRequest,
  type ReserveStreamResponse,
  type ReserveStreamResult,
} from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import { Fault } from '#libs/refusal/fault.js';
import { BatchResponder } from '#libs/rpc/batch-responder.js';
import { type RpcServer, startServer } from '#libs/rpc/server.js';
import { implement } from '#libs/rpc/service.js';
import { toStatus } from '#libs/rpc/status.js';
import { createLogger } from '#libs/runtime/logger.js';

/** What the fake says to a reservation: an outcome, a fault, nothing at all, or the end of the stream. */
export type Answer = NonNullable<ReserveResponse['outcome']> | Fault | 'never' | 'break';

/** A gateway that says what a test wants, and remembers what it was asked. */
export interface FakeGateway {
  server: RpcServer;
  /** Forgets, and holds whatever is asked for. */
  reset(): void;
  reserved: ReserveStreamItem[];
  cancelled: { userId: string; request: CancelOrderRequest }[];
  /** For the next calls of any kind. */
  answer: (item: ReserveStreamItem) => Answer | Promise<Answer>;
  fault: Fault | undefined;
  pages: { pageSize: number; pageToken: string }[];
}

async function absent(): Promise<never> {
  throw new Fault('INTERNAL', 'not part of this test');
}

export async function startFakeGateway(): Promise<FakeGateway> {
  const throwIfAsked = (): void => {
    if (fake.fault !== undefined) throw fake.fault;
  };
  const service = implement(ReservationServiceDefinition, {
    reserve: absent,
    reserveStream: (stream) => {
      const responder = new BatchResponder<
        ReserveStreamItem,
        ReserveStreamResult,
        ReserveStreamRequest,
        ReserveStreamResponse
      >({
        stream,
        name: 'ReserveStream',
        items: ({ items }) => items,
        wrap: (results) => ({ results }),
        onItems: (items) => {
          for (const item of items) void answer(item);
        },
      });
      const answer = async (item: ReserveStreamItem): Promise<void> => {
        fake.reserved.push(item);
        const given = await fake.answer(item);
        if (given === 'break') stream.fail(new Fault('UNAVAILABLE', 'the process is going'));
        else if (given !== 'never') responder.add({ itemId: item.itemId, result: resultOf(given) });
      };
    },
    async getOrder({ orderId }, call) {
      throwIfAsked();
      return { order: orderOf({ orderId, userId: call.metadata('x-holdfast-user') ?? '' }) };
    },
    async cancelOrder(request, call) {
      throwIfAsked();
      const userId = call.metadata('x-holdfast-user') ?? '';
      fake.cancelled.push({ userId, request });
      return { order: orderOf({ orderId: request.orderId, userId, state: OrderState.ORDER_STATE_CANCELLED }) };
    },
    async getSku({ skuId }) {
      throwIfAsked();
      return { sku: { ...sku, skuId }, availability: { ...availability, skuId } };
    },
    async listSkus({ pageSize, pageToken }) {
      fake.pages.push({ pageSize, pageToken });
      return { skus: [sku, sku], availability: [availability, availability], nextPageToken: 'more' };
    },
    listOrders: absent,
    confirmPayment: absent,
    async *watchOrder() {},
    getAvailability: absent,
  });
  const logger = createLogger('fake', 'silent');
  const server = await startServer({
    address: '127.0.0.1:0',
    services: [service],
    logger,
    reflection: false,
    drainMs: 50,
  });
  server.serving(true);
  const fresh = (): Omit<FakeGateway, 'server' | 'reset'> => ({
    reserved: [],
    cancelled: [],
    answer: ({ userId }) => ({ $case: 'held', value: { order: orderOf({ userId }) } }),
    fault: undefined,
    pages: [],
  });
  const fake: FakeGateway = { server, reset: () => void Object.assign(fake, fresh()), ...fresh() };
  return fake;
}

function resultOf(answer: Exclude<Answer, string>): ReserveStreamResult['result'] {
  if (answer instanceof Fault) return { $case: 'error', value: toStatus(answer) };
  return { $case: 'response', value: { outcome: answer } };
}

/** A held order, with what differs. */
export function orderOf(parts: Partial<Order>): Order {
  return {
    orderId: '0a1b0000-0000-8000-8000-000000000001',
    storeId: 'store-1',
    userId: 'ana',
    requestId: 'key-1',
    state: OrderState.ORDER_STATE_HELD,
    version: 1,
    lines: [{ skuId: 'sku-1', quantity: 2, attendeeId: 'ana', unitPriceMinor: 1_500 }],
    amountMinor: 9_007_199_254_740_991,
    currency: 'EUR',
    createdAt: new Date('2030-01-01T00:00:00.000Z'),
    expiresAt: new Date('2030-01-01T00:15:00.000Z'),
    refusal: undefined,
    ...parts,
  };
}

const sku: Sku = {
  skuId: 'sku-1',
  storeId: 'store-1',
  title: 'A slot at ten',
  capacity: 8,
  overbooked: 0,
  startsAt: new Date('2030-01-01T10:00:00.000Z'),
  timeZone: 'Europe/Vienna',
  onSaleAt: undefined,
  offSaleAt: undefined,
  perUserLimit: 1,
  maxPerOrder: 10,
  holdTtlSeconds: 900,
  paymentRequired: true,
  priceMinor: 1_500,
  currency: 'EUR',
  rateLimit: undefined,
  paused: false,
  etag: 'e-1',
};

const availability = {
  skuId: 'sku-1',
  state: AvailabilityState.AVAILABILITY_STATE_AVAILABLE,
  free: 7,
  reserved: 0,
  held: 1,
  sold: 0,
  nextReleaseAt: undefined,
  opensInMs: 0,
  onSale: true,
};
