import { randomUUID } from 'node:crypto';
import { Fault } from '#libs/refusal/fault.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import type { MoveResult } from './order-move.js';
import type { LedgerOrder } from './rows.js';
import { claimOf, lineOf, type TestLedger, testLedger } from './test-ledger.js';
import { paymentOf, together } from './test-payments.js';

const test = suite('moving an order');
let db: TestLedger;

test.before(async () => {
  db = await testLedger({ max: 16 });
});
test.after.each(async () => assert.equal(await db.violations(), []));
test.after(() => db.drop());

type Parts = Parameters<TestLedger['sku']>[0];
const skuId = async (parts: Parts = {}): Promise<string> => (await db.sku({ capacity: 2, ...parts })).skuId;
const move = (order: LedgerOrder, toSkuId: string, parts: { requestId?: string; userId?: string } = {}) =>
  db.ledger.orderMove({ orderId: order.orderId, toSkuId, requestId: randomUUID(), by: 'olga', ...parts });
const reasonOf = async (work: Promise<unknown>) => (await rejectionOf(work, Fault)).reason;
const unitsOf = async (id: string) => {
  const { free, held, sold } = await db.stock(id);
  return [free, held, sold];
};
const refusedAs = (result: MoveResult): string => (result.kind === 'REFUSED' ? result.refusal.reason : result.kind);

test('a hold moves with its expiry, a confirmed order with its money and its code', async () => {
  const [from, to] = [await skuId(), await skuId()];
  const order = await db.order(claimOf('ann', from));
  const { order: moved } = await move(order, to);
  assert.equal([moved.state, moved.version, moved.expiresAt], ['HELD', 2, order.expiresAt]);
  assert.equal(moved.lines, [{ ...lineOf(to, 'ann'), unitPriceMinor: 1_500 }]);
  assert.equal(
    [await unitsOf(from), await unitsOf(to)],
    [
      [2, 0, 0],
      [1, 1, 0],
    ],
  );
  const { order: confirmed } = await db.ledger.paymentConfirm(paymentOf(order));
  const back = await move(order, from);
  assert.equal([back.kind, back.order.state, back.order.code], ['MOVED', 'CONFIRMED', confirmed?.code]);
  assert.equal(
    [await unitsOf(from), await unitsOf(to)],
    [
      [1, 0, 1],
      [2, 0, 0],
    ],
  );
  assert.equal(await db.sql('SELECT FROM ledger.refunds WHERE order_id = $1', [order.orderId]), []);
});

test('of a basket a line does not go to one of its other lines at another price', async () => {
  const cheap = await skuId({ perUserLimit: 2 });
  const dear = await skuId({ perUserLimit: 2, priceMinor: 1_600 });
  const order = await db.order(claimOf('ann', [lineOf(cheap, 'ann'), lineOf(dear, 'ann')]));
  const requestId = randomUUID();
  const moved = await db.ledger.orderMove({
    orderId: order.orderId,
    fromSkuId: cheap,
    toSkuId: dear,
    requestId,
    by: 'olga',
  });
  assert.is(refusedAs(moved), 'PRICE_DIFFERS');
});

test('what the target does not allow changes nothing', async () => {
  const from = await skuId({ perUserLimit: 2 });
  const order = await db.order(claimOf('ann', [lineOf(from, 'ann', 2)]));
  const soon = new Date(Date.now() + 3_600_000);
  const full = await skuId({ capacity: 0, perUserLimit: 2 });
  const targets: Record<string, string> = {
    [full]: 'SOLD_OUT',
    [await skuId({ capacity: 1, perUserLimit: 2 })]: 'NOT_ENOUGH',
    [await skuId()]: 'LIMIT_REACHED',
    [await skuId({ perUserLimit: 2, maxPerOrder: 1 })]: 'MAX_PER_ORDER',
    [await skuId({ perUserLimit: 2, priceMinor: 1_600 })]: 'PRICE_DIFFERS',
    [await skuId({ perUserLimit: 2, currency: 'USD' })]: 'PRICE_DIFFERS',
    [await skuId({ perUserLimit: 2, paused: true })]: 'PAUSED',
    [await skuId({ perUserLimit: 2, onSaleAt: soon })]: 'NOT_ON_SALE',
  };
  for (const [target, reason] of Object.entries(targets)) {
    const before = await db.stock(target);
    assert.is(refusedAs(await move(order, target)), reason);
    assert.equal(await db.stock(target), before);
  }
  assert.is(await reasonOf(move(order, 'nothing')), 'SKU_NOT_FOUND');
  assert.is(await reasonOf(move(order, await skuId({ storeId: 'store-2' }))), 'SKU_NOT_FOUND');
  assert.is(await reasonOf(move(order, full, { userId: 'bob' })), 'ORDER_NOT_FOUND');
  assert.equal(await db.ledger.orderGet(order.orderId), order);
});

test('the same request moves once, also from there and back', async () => {
  const [from, to] = [await skuId(), await skuId()];
  const order = await db.order(claimOf('ann', from));
  const moves = await together(Array.from({ length: 6 }, () => () => move(order, to, { requestId: 'one' })));
  assert.equal(moves.map(({ kind }) => kind).sort(), ['MOVED', ...Array(5).fill('UNCHANGED')]);
  await move(order, from, { requestId: 'two' });
  assert.is((await move(order, to, { requestId: 'one' })).kind, 'UNCHANGED');
  assert.is(await reasonOf(move(order, from, { requestId: 'one' })), 'REQUEST_ID_REUSED');
  assert.equal(await unitsOf(to), [2, 0, 0]);
  assert.is((await move(order, from)).kind, 'UNCHANGED');
});

test('of an order with several skus the one to leave is named; units of one attendee come together', async () => {
  const limits = { perUserLimit: 3, capacity: 3 };
  const [from, to] = [await skuId(limits), await skuId(limits)];
  const order = await db.order(claimOf('ann', [lineOf(from, 'ann'), lineOf(from, 'kid'), lineOf(to, 'ann')]));
  assert.is(await reasonOf(move(order, to)), 'INVALID_REQUEST');
  const named = { orderId: order.orderId, fromSkuId: from, toSkuId: to, requestId: 'r' };
  const { order: moved } = await db.ledger.orderMove(named);
  assert.equal(
    moved.lines.map(({ attendeeId, quantity }) => [attendeeId, quantity]),
    [
      ['ann', 2],
      ['kid', 1],
    ],
  );
  assert.equal(await unitsOf(to), [0, 3, 0]);
});

test('a user cannot leave what could not be cancelled for free any more, an operator can', async () => {
  const soon = { startsAt: new Date(Date.now() + 3_600_000), timeZone: 'UTC', freeCancelSeconds: 86_400 };
  const [from, to] = [await skuId(soon), await skuId()];
  const order = await db.order(claimOf('ann', from));
  await db.ledger.paymentConfirm(paymentOf(order));
  assert.is(await reasonOf(move(order, to, { userId: 'ann' })), 'CANCEL_TOO_LATE');
  assert.is((await move(order, to)).kind, 'MOVED');
});

test('what has ended or lapsed does not move', async () => {
  const [from, to] = [await skuId(), await skuId()];
  const order = await db.order(claimOf('ann', from));
  await db.expire(order.orderId);
  assert.is(await reasonOf(move(order, to)), 'ORDER_STATE');
  await db.ledger.orderCancel({ orderId: order.orderId });
  assert.is(await reasonOf(move(order, to)), 'ORDER_STATE');
});

test.run();
