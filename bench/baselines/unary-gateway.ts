// A gateway as one would write it first: a unary call in, a unary call out.
// A process of its own: `unary-gateway.js <inventory's host:port>`; tells its parent its address once it serves.
import type {
  ReserveRequest,
  ReserveResponse,
} from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import { orderId } from '#libs/contracts/order-id.js';
import { reserveMethod } from '../drivers/reserve-method.js';
import { placeHoldMethod } from './place-hold-method.js';
import { unaryClient } from './unary-client.js';
import { serveUnary } from './unary-server.js';

const deadlineMs = 3_000;

const [inventory = ''] = process.argv.slice(2);
const placeHold = unaryClient(inventory, placeHoldMethod, deadlineMs);
process.once('disconnect', () => process.exit());
process.send?.(await serveUnary(reserveMethod, reserve));

async function reserve({ storeId, requestId, lines }: ReserveRequest, userId: string): Promise<ReserveResponse> {
  const id = orderId(storeId, userId, requestId);
  const own = lines.map((line) => ({ ...line, attendeeId: line.attendeeId || userId }));
  const hold = { itemId: 0, remainingMs: deadlineMs, orderId: id, storeId, userId, requestId, lines: own };
  const { outcome } = await placeHold(hold, { 'holdfast-actor': userId });
  switch (outcome?.$case) {
    case 'held':
      return { outcome: { $case: 'held', value: { order: outcome.value } } };
    case 'refused':
      return { outcome: { $case: 'refused', value: { refusal: outcome.value, ownOrder: undefined } } };
    default:
      throw new Error('inventory gave no outcome');
  }
}
