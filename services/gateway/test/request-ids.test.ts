import { OrderState, RefusalReason } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import type { ReserveResponse } from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import { orderId } from '#libs/contracts/order-id.js';
import { Fault } from '#libs/refusal/fault.js';
import { toStatus } from '#libs/rpc/status.js';
import type { PrivateServer } from '#libs/servers/private-server.js';
import { type FaultProxy, faultProxy } from '#libs/testing/fault-proxy.js';
import { type Gate, gate } from '#libs/testing/gate.js';
import { privateRedis } from '#libs/testing/private-servers.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { refusalOf } from './changes-under-test.js';
import { orderOf, type Place } from './fake-peers.js';
import {
  as,
  type GatewaysUnderTest,
  outcomeOf,
  type ReservationClient,
  reservation,
  startGateways,
  tally,
} from './gateways-under-test.js';

/** Three gateways over one Redis; each test has a user of its own. */
const test = suite('request ids');

const unlimited = { RATE_PER_SECOND: '1000000', USER_RATE_PER_SECOND: '1000000', USER_RATE_BURST: '1000000' };

let redis: PrivateServer;
let link: FaultProxy;
let gateways: GatewaysUnderTest;
let holding: Place;
let users = 0;
let user: string;

test.before(async () => {
  redis = await privateRedis();
  link = await faultProxy('127.0.0.1', Number(new URL(redis.url).port));
  // On a busy machine a reply may take long, and is waited for.
  const patient = { REDIS_TIMEOUT_MS: '3000' };
  gateways = await startGateways(3, { REDIS_URL: link.url(redis.url), ...unlimited, ...patient });
  holding = gateways.place;
});
test.before.each(() => {
  users += 1;
  user = `user-${users}`;
  gateways.place = holding;
});
test.after(async () => {
  await gateways.close();
  await link.close();
  await redis.stop();
});

function gatewayAt(index: number): ReservationClient {
  const client = gateways.clients[index % 3];
  if (client === undefined) throw new Error('there are three gateways');
  return client;
}

/** Inventories that hold what they are asked when the door opens. */
function slow(): Gate {
  const door = gate();
  gateways.place = (item) => door.passed.then(() => holding(item));
  return door;
}

/** What inventory was asked to place for the user of this test. */
function placed() {
  return gateways.books.placed.filter(({ userId }) => userId === user);
}

test('B01: a key of another sku or quantity is reused at every gateway, nothing is placed, the first answer stays', async () => {
  const first = await gatewayAt(0).reserve(reservation('key'), as(user));
  const other = reservation('key');
  for (const [index, line] of [{ skuId: 'sku-2' }, { quantity: 2 }, { attendeeId: 'kim' }].entries()) {
    const asked = { ...other, lines: other.lines.map((each) => ({ ...each, ...line })) };
    assert.is(await outcomeOf(gatewayAt(index).reserve(asked, as(user))), 'REQUEST_ID_REUSED');
  }
  assert.equal(await gatewayAt(2).reserve(reservation('key'), as(user)), first);
  assert.is(placed().length, 1);
});

test('B01: the same key with another method is another request', async () => {
  await gatewayAt(0).reserve(reservation('key'), as(user));
  const id = orderId('store-1', user, 'key');
  const cancel = { orderId: id, requestId: 'key', reason: '' };
  const { order } = await gatewayAt(1).cancelOrder(cancel, as(user));
  assert.is(order?.state, OrderState.ORDER_STATE_CANCELLED);
  const other = { ...cancel, reason: 'another' };
  assert.is(await outcomeOf(gatewayAt(2).cancelOrder(other, as(user))), 'REQUEST_ID_REUSED');
  assert.equal(await gatewayAt(2).cancelOrder(cancel, as(user)), { order });
  assert.is(gateways.books.rows.get(id)?.version, 2, 'it was cancelled once');
});

for (const tries of [20, 200]) {
  test(`B02: of ${tries} tries over three gateways one is placed, and all are told the same`, async () => {
    const door = slow();
    const answers = Array.from({ length: tries }, (_, index) => gatewayAt(index).reserve(reservation('key'), as(user)));
    await until(() => placed().length > 0);
    door.open();
    const [first, ...others] = await Promise.all(answers);
    for (const other of others) assert.equal(other, first);
    assert.is(first?.outcome?.$case, 'held');
    assert.is(placed().length, 1);
  });
}

test('B03: whoever loses the race is told the answer or to come back, never that something is away', async () => {
  const door = slow();
  const press = (index: number, key: string) => outcomeOf(gatewayAt(index).reserve(reservation(key), as(user)));
  const first = Array.from({ length: 30 }, (_, index) => press(index, 'key'));
  await until(() => placed().length === 1);
  door.open();
  assert.equal(tally(await Promise.all(first)), { held: 30 });
  assert.is(placed().length, 1);

  gateways.place = () => 'never';
  void press(0, 'never');
  await until(() => placed().length === 2);
  const losers = Array.from({ length: 30 }, (_, index) => press(index, 'never'));
  assert.equal(tally(await Promise.all(losers)), { REQUEST_IN_PROGRESS: 30 });
});

test('B07: another user with the same key and body gets their own order and sees nothing of the first', async () => {
  const first = await gatewayAt(0).reserve(reservation('key'), as(user));
  const second = await gatewayAt(0).reserve(reservation('key'), as(`${user}-too`));
  assert.is(orderIn(first)?.userId, user);
  assert.is(orderIn(second)?.userId, `${user}-too`);
  assert.is.not(orderIn(first)?.orderId, orderIn(second)?.orderId);
});

test('B09: UNAVAILABLE is carried out again, SOLD_OUT is told again', async () => {
  gateways.place = () => ({ $case: 'error', value: toStatus(new Fault('UNAVAILABLE', 'the ledger is away')) });
  assert.is(await outcomeOf(gatewayAt(0).reserve(reservation('key'), as(user))), 'UNAVAILABLE');
  const tries = placed().length;
  gateways.place = () => ({ $case: 'refused', value: refusalOf('REFUSAL_REASON_SOLD_OUT') });
  const refused = await gatewayAt(1).reserve(reservation('key'), as(user));
  assert.is(reasonIn(refused), RefusalReason.REFUSAL_REASON_SOLD_OUT);
  gateways.place = holding;
  assert.equal(await gatewayAt(2).reserve(reservation('key'), as(user)), refused);
  assert.is(placed().length, tries + 1);
  assert.is(placed()[tries]?.firstForMs, 0, 'as one that is not the first');
});

test('B09: before the opening a key is not used up', async () => {
  const opensAt = new Date(Date.now() + 60_000);
  gateways.place = () => ({ $case: 'refused', value: refusalOf('REFUSAL_REASON_NOT_ON_SALE', { opensAt }) });
  assert.is(await outcomeOf(gatewayAt(0).reserve(reservation('key'), as(user))), 'refused');
  gateways.place = holding;
  await until(async () => (await outcomeOf(gatewayAt(1).reserve(reservation('key'), as(user)))) === 'held');
});

test('B11: the order and the split of lines and defaults that are spelled out make no other request', async () => {
  const line = { skuId: 'sku-1', quantity: 1, attendeeId: '', unitPriceMinor: 0 };
  const two = { ...line, skuId: 'sku-2', quantity: 2 };
  const one = { ...two, quantity: 1 };
  const ways = [
    [line, two],
    [two, line],
    [one, line, one],
    [
      { ...line, attendeeId: user },
      { ...two, unitPriceMinor: 7 },
    ],
  ];
  const answers: ReserveResponse[] = [];
  for (const [index, lines] of ways.entries()) {
    answers.push(await gatewayAt(index).reserve({ ...reservation('key'), lines }, as(user)));
  }
  for (const answer of answers) assert.equal(answer, answers[0]);
  assert.is(placed().length, 1);
});

test('a replay of an order that was cancelled since tells so at once', async () => {
  const first = await gatewayAt(0).reserve(reservation('key'), as(user));
  const orderIdOfFirst = orderIn(first)?.orderId ?? '';
  await gatewayAt(1).cancelOrder({ orderId: orderIdOfFirst, requestId: 'cancel', reason: '' }, as(user));
  const replay = await gatewayAt(2).reserve(reservation('key'), as(user));
  assert.is(orderIn(replay)?.state, OrderState.ORDER_STATE_CANCELLED);
  assert.is(placed().length, 1);
});

test('a replay of what was PENDING tells what it is today', async () => {
  gateways.place = () => ({ $case: 'pending', value: {} });
  assert.is(await outcomeOf(gatewayAt(0).reserve(reservation('key'), as(user))), 'pending');
  const id = orderId('store-1', user, 'key');
  gateways.books.claims.set(id, orderOf({ orderId: id, userId: user }, OrderState.ORDER_STATE_PENDING));
  assert.is(await outcomeOf(gatewayAt(1).reserve(reservation('key'), as(user))), 'pending');
  gateways.books.rows.set(id, orderOf({ orderId: id, userId: user }, OrderState.ORDER_STATE_HELD));
  assert.is(await outcomeOf(gatewayAt(2).reserve(reservation('key'), as(user))), 'held');
  assert.is(placed().length, 1);
});

test('B06: a gateway that hears nothing of its beginning places without the mark; the key is the one order', async () => {
  link.dropReplies();
  assert.is(await outcomeOf(gatewayAt(0).reserve(reservation('key'), as(user))), 'held');
  assert.is(placed()[0]?.firstForMs, undefined);
  link.heal();
  await until(async () => (await outcomeOf(gatewayAt(1).reserve(reservation('key'), as(user)))) === 'held');
  assert.equal(new Set(placed().map((item) => item.orderId)).size, 1);
});

test('while Redis is away the same key is the same order, at every gateway', async () => {
  link.cut();
  const answers = await Promise.all([0, 1, 2].map((index) => gatewayAt(index).reserve(reservation('key'), as(user))));
  for (const answer of answers) assert.equal(answer, answers[0]);
  assert.is(orderIn(answers[0])?.orderId, orderId('store-1', user, 'key'));
  link.heal();
});

function orderIn(answer: ReserveResponse | undefined) {
  return answer?.outcome?.$case === 'held' ? answer.outcome.value.order : undefined;
}

function reasonIn({ outcome }: ReserveResponse) {
  return outcome?.$case === 'refused' ? outcome.value.refusal?.reason : undefined;
}

test.run();
