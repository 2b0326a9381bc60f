// The least a gRPC server can do with Reserve: decode the request, encode an order HELD as the mesh would answer it.
// A process of its own: tells its parent its address once it serves, and ends with it.
import { type handleUnaryCall, Server, ServerCredentials } from '@grpc/grpc-js';
import { type Order, OrderState } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import type {
  ReserveRequest,
  ReserveResponse,
} from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import { reserveMethod } from '../drivers/reserve-method.js';

const orderId = '5f3c0a1b-2c3d-84e5-9f60-718293a4b5c6';
const holdMs = 900_000;

const reserve: handleUnaryCall<ReserveRequest, ReserveResponse> = (call, callback) => {
  const { storeId, lines, requestId } = call.request;
  const userId = lines[0]?.attendeeId ?? '';
  const createdAt = new Date();
  const order: Order = {
    orderId,
    storeId,
    userId,
    requestId,
    state: OrderState.ORDER_STATE_HELD,
    version: 1,
    lines: lines.map((line) => ({ ...line, attendeeId: userId, unitPriceMinor: 1500 })),
    amountMinor: 1500,
    currency: 'EUR',
    createdAt,
    expiresAt: new Date(createdAt.getTime() + holdMs),
    code: '',
    fulfilledAt: undefined,
    entryId: '',
    extendedAt: undefined,
    refusal: undefined,
  };
  callback(null, { outcome: { $case: 'held', value: { order } } });
};

const server = new Server({ 'grpc.enable_channelz': 0 });
server.addService({ reserve: reserveMethod }, { reserve });
server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
  if (error !== null) throw error;
  process.once('disconnect', () => process.exit());
  process.send?.(`127.0.0.1:${port}`);
});
