import type { Order } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import { OrderState } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import {
  ReservationServiceDefinition,
  type ReserveRequest,
  type ReserveResponse,
} from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import { Fault } from '#libs/refusal/fault.js';
import { startServer } from '#libs/rpc/server.js';
import { implement } from '#libs/rpc/service.js';
import { createLogger } from '#libs/runtime/logger.js';

/** What the stand-in says to one try: an outcome, a fault, or nothing until the caller gives up. */
export type Said = NonNullable<ReserveResponse['outcome']> | Fault | 'nothing';

/** One try as it arrived. */
export interface Try {
  userId: string;
  request: ReserveRequest;
  at: number;
}

export interface StandInGateway {
  address: string;
  tries: Try[];
  /** Answers from here on, the last one over and over. */
  says(...answers: Said[]): void;
  close(): Promise<void>;
}

async function absent(): Promise<never> {
  throw new Fault('INTERNAL', 'not part of this test');
}

/** A gateway for tests of clients: real gRPC, and answers that a test chose. */
export async function startStandInGateway(): Promise<StandInGateway> {
  const tries: Try[] = [];
  let answers: Said[] = [];
  const service = implement(ReservationServiceDefinition, {
    async reserve(request, call) {
      tries.push({ userId: call.metadata('x-holdfast-user') ?? '', request, at: performance.now() });
      const said = answers[Math.min(tries.length, answers.length) - 1];
      if (said === undefined || said instanceof Fault) throw said;
      if (said === 'nothing') await new Promise((resolve) => call.signal.addEventListener('abort', resolve));
      return { outcome: said === 'nothing' ? undefined : said };
    },
    reserveStream: () => undefined,
    async *watchPlace() {},
    async *watchOrder() {},
    ...{ createRequestId: absent, getOrder: absent, listOrders: absent, cancelOrder: absent, confirmPayment: absent },
    ...{ cancelOrderLines: absent, moveOrder: absent, extendHold: absent, startPayment: absent },
    ...{ getAvailability: absent, getSku: absent, listSkus: absent },
  });
  const logger = createLogger('stand-in', 'silent');
  const server = await startServer({ address: '127.0.0.1:0', services: [service], logger, drainMs: 50 });
  server.serving(true);
  return {
    address: server.address,
    tries,
    says(...given) {
      answers = given;
      tries.length = 0;
    },
    close: () => server.drain(),
  };
}

/** A held order of ada's. */
export const heldOrder: Order = {
  orderId: '0a1b0000-0000-8000-8000-000000000001',
  storeId: 'kiln',
  userId: 'ada',
  requestId: 'key-1',
  state: OrderState.ORDER_STATE_HELD,
  version: 1,
  lines: [{ skuId: 'mug', quantity: 2, attendeeId: 'ada', unitPriceMinor: 2_800 }],
  amountMinor: 5_600,
  currency: 'EUR',
  createdAt: new Date('2030-01-01T00:00:00.000Z'),
  expiresAt: new Date('2030-01-01T00:15:00.000Z'),
  code: '',
  fulfilledAt: undefined,
  entryId: '',
  extendedAt: undefined,
  refusal: undefined,
};
