import { OrderState } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import { orderId } from '#libs/contracts/order-id.js';
import type { TokenWish } from '#libs/identity/token-issuer.js';
import { Fault } from '#libs/refusal/fault.js';
import { fromStatus } from '#libs/rpc/status.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { orderOf } from './fake-peers.js';
import {
  as,
  type GatewaysUnderTest,
  type ReservationClient,
  reservation,
  reserveStream,
  startGateways,
} from './gateways-under-test.js';

const test = suite('the end of a token');
let gateways: GatewaysUnderTest;
let client: ReservationClient;
const id = orderId('store-1', 'ana', 'undecided');

test.before(async () => {
  gateways = await startGateways(1, {});
  [client] = gateways.clients as [ReservationClient];
});
test.after(() => gateways.close());

/** What the watch of an order told until it ended or was left. */
async function watched(seen: OrderState[], ...who: Parameters<typeof as>): Promise<void> {
  for await (const { order } of client.watchOrder({ orderId: id }, as(...who))) {
    if (order) seen.push(order.state);
  }
}

test('a stream ends with the token that let it in, and not before', async () => {
  gateways.books.claims.set(id, orderOf({ orderId: id, userId: 'ana' }, OrderState.ORDER_STATE_PENDING));
  const long: OrderState[] = [];
  const longer = watched(long, 'ana');
  const short: OrderState[] = [];
  // A clock may differ by five seconds: it is believed for one more.
  const fault = await rejectionOf(watched(short, 'ana', { seconds: -4 }), Fault);
  assert.equal([fault.reason, short], ['TOKEN_EXPIRED', [OrderState.ORDER_STATE_PENDING]]);
  gateways.books.claims.delete(id);
  gateways.books.rows.set(id, orderOf({ orderId: id, userId: 'ana' }, OrderState.ORDER_STATE_CONFIRMED));
  await longer;
  assert.equal(long, [OrderState.ORDER_STATE_PENDING, OrderState.ORDER_STATE_CONFIRMED]);
});

test('a stream of reservations takes nothing more then', async () => {
  const stream = reserveStream(gateways.addresses[0] ?? '', { seconds: -4 });
  const reasons = new Set<string>();
  await until(async () => {
    const { result } = await stream.call({ userId: 'ana', request: reservation('late') }, 5_000);
    reasons.add(result?.$case === 'error' ? fromStatus(result.value).reason : 'TAKEN');
    return reasons.has('TOKEN_EXPIRED');
  });
  stream.close();
  assert.equal([...reasons], ['TAKEN', 'TOKEN_EXPIRED']);
});

test('staff of the store and operators may watch what they may read', async () => {
  gateways.books.rows.set(id, orderOf({ orderId: id, userId: 'ana' }, OrderState.ORDER_STATE_HELD));
  const reasonOf = (name: string, wish: TokenWish): Promise<string> =>
    watched([], name, wish).then(
      () => 'OK',
      ({ reason }: Fault) => reason,
    );
  assert.is(await reasonOf('sam', { role: 'STAFF', stores: ['store-1'] }), 'OK');
  assert.is(await reasonOf('tom', { role: 'STAFF', stores: ['store-2'] }), 'ORDER_NOT_FOUND');
  assert.is(await reasonOf('olga', { role: 'OPERATOR' }), 'OK');
  assert.is(await reasonOf('ben', {}), 'ORDER_NOT_FOUND');
});

test.run();
