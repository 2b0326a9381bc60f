import { randomUUID } from 'node:crypto';
import { Fault } from '#libs/refusal/fault.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import type { LedgerOrder } from './rows.js';
import { claimOf, lineOf, only, type TestLedger, testLedger } from './test-ledger.js';
import { paymentOf, together } from './test-payments.js';

const test = suite('the life of an order');
let db: TestLedger;

test.before(async () => {
  db = await testLedger({ max: 16 });
});
test.after.each(async () => assert.equal(await db.violations(), []));
test.after(() => db.drop());

const five = { perUserLimit: 5, capacity: 5 };
const held = async (parts: Parameters<TestLedger['sku']>[0] = {}, quantity = 1): Promise<LedgerOrder> => {
  const { skuId } = await db.sku({ capacity: 1, ...parts });
  return db.order(claimOf('ann', [lineOf(skuId, 'ann', quantity)]));
};
const paid = async (parts: Parameters<TestLedger['sku']>[0] = {}, quantity = 1): Promise<LedgerOrder> => {
  const order = await held(parts, quantity);
  const { order: confirmed } = await db.ledger.paymentConfirm(paymentOf(order));
  assert.ok(confirmed);
  return confirmed;
};
const skuOf = (order: LedgerOrder): string => only(order.lines).skuId;
const part = (order: LedgerOrder, quantity: number, parts: { requestId?: string; userId?: string } = {}) =>
  db.ledger.orderCancelPart({
    ...{ orderId: order.orderId, requestId: randomUUID(), by: 'olga' },
    ...{ lines: [lineOf(skuOf(order), 'ann', quantity)], ...parts },
  });
const reasonOf = async (work: Promise<unknown>) => (await rejectionOf(work, Fault)).reason;
const unitsOf = async (skuId: string) => {
  const { free, held: units, sold } = await db.stock(skuId);
  return [free, units, sold];
};
const refundsOf = async (orderId: string): Promise<number[]> => {
  const rows = await db.sql<{ amount_minor: number }>(
    `SELECT r.amount_minor FROM ledger.refunds AS r
     JOIN ledger.outbox AS x ON x.kind = 'REFUND' AND x.order_id = r.order_id AND x.order_version = r.number
     WHERE r.order_id = $1 ORDER BY r.number`,
    [orderId],
  );
  return rows.map((row) => row.amount_minor);
};
const soon = (seconds: number): Date => new Date(Date.now() + seconds * 1_000);
/** A slot within the time in which a cancel is not free any more. */
const late = { startsAt: soon(3_600), timeZone: 'Europe/Berlin', freeCancelSeconds: 86_400 };

test('A09: of 5 units 2 are cancelled and the rest expires: exactly 3 more come back', async () => {
  const order = await held(five, 5);
  const { order: less, changed } = await part(order, 2);
  assert.equal([changed, less.state, less.version, less.amountMinor], [true, 'HELD', 2, 4_500]);
  assert.equal(await unitsOf(skuOf(order)), [2, 3, 0]);
  await db.expire(order.orderId);
  for (const _ of [1, 2]) await db.ledger.ordersExpire(100);
  assert.equal(await unitsOf(skuOf(order)), [5, 0, 0]);
  const rows = await db.sql<{ delta_free: number }>(
    `SELECT delta_free FROM ledger.movements WHERE order_id = $1 ORDER BY order_version`,
    [order.orderId],
  );
  assert.equal(
    rows.map((row) => row.delta_free),
    [-5, 2, 3],
  );
});

test('a line that is named twice gives back what both say, and no more than the order has', async () => {
  const order = await paid(five, 3);
  const one = lineOf(skuOf(order), 'ann', 1);
  const cancel = (lines: (typeof one)[]) =>
    db.ledger.orderCancelPart({ orderId: order.orderId, lines, by: 'olga', requestId: randomUUID() });
  assert.is(await reasonOf(cancel([one, one, one, one])), 'INVALID_REQUEST');
  const { order: less } = await cancel([one, one]);
  assert.equal([less.amountMinor, only(less.lines).quantity], [1_500, 1]);
  assert.equal(await refundsOf(order.orderId), [3_000]);
  assert.equal(await unitsOf(skuOf(order)), [4, 0, 1]);
});

test('parts of a paid order go back one by one, and in all no more than was paid', async () => {
  const order = await paid(five, 5);
  await part(order, 2);
  await part(order, 1);
  assert.equal(await refundsOf(order.orderId), [3_000, 1_500]);
  assert.equal(await unitsOf(skuOf(order)), [3, 0, 2]);
  const { order: ended } = await part(order, 2);
  assert.is(ended.state, 'CANCELLED');
  assert.equal(await refundsOf(order.orderId), [3_000, 1_500, 3_000]);
  assert.equal(await unitsOf(skuOf(order)), [5, 0, 0]);
  const { payment } = await db.ledger.refundRecord({
    ...{ provider: 'bank', providerPaymentId: order.orderId, refundId: randomUUID(), amountMinor: 1_500 },
  });
  assert.equal([payment.state, payment.refundMinor], ['REFUND_DUE', 7_500]);
});

test('the same request cancels a part once, also when it was the whole', async () => {
  const order = await paid(five, 3);
  const answers = await together(Array.from({ length: 6 }, () => () => part(order, 1, { requestId: 'one' })));
  assert.is(answers.filter(({ changed }) => changed).length, 1);
  assert.equal(await unitsOf(skuOf(order)), [3, 0, 2]);
  await part(order, 2, { requestId: 'rest' });
  assert.is((await part(order, 2, { requestId: 'rest' })).changed, false);
  assert.equal(await refundsOf(order.orderId), [1_500, 3_000]);
  const moved = db.ledger.orderMove({ orderId: order.orderId, toSkuId: 'x', requestId: 'one' });
  assert.is(await reasonOf(moved), 'REQUEST_ID_REUSED');
  assert.is(await reasonOf(part(order, 2, { requestId: 'one' })), 'REQUEST_ID_REUSED');
  assert.is(await reasonOf(part(order, 1, { requestId: 'rest' })), 'REQUEST_ID_REUSED');
});

test("what the order has not got is not cancelled: more units, another line, another user's, an ended order", async () => {
  const order = await held(five, 2);
  assert.is(await reasonOf(part(order, 3)), 'INVALID_REQUEST');
  const other = { orderId: order.orderId, requestId: 'r', lines: [lineOf(skuOf(order), 'kid')] };
  assert.is(await reasonOf(db.ledger.orderCancelPart(other)), 'INVALID_REQUEST');
  assert.is(await reasonOf(part(order, 1, { userId: 'bob' })), 'ORDER_NOT_FOUND');
  await db.expire(order.orderId);
  assert.is(await reasonOf(part(order, 1)), 'ORDER_STATE');
});

test('an open attempt ends when the amount falls, and money of the old amount goes back', async () => {
  const order = await held(five, 2);
  const start = (requestId: string) => db.ledger.paymentStart({ orderId: order.orderId, provider: 'bank', requestId });
  await start('one');
  await part(order, 1);
  assert.is((await start('two')).attempt.attempt, 2);
  assert.is((await db.ledger.paymentConfirm(paymentOf(order))).payment.issue, 'WRONG_AMOUNT');
});

test('a user cancels too late: refused, or without a refund; an operator is beyond it', async () => {
  const refused = await paid({ ...five, ...late }, 2);
  const { orderId } = refused;
  assert.is(await reasonOf(db.ledger.orderCancel({ orderId, userId: 'ann' })), 'CANCEL_TOO_LATE');
  assert.is(await reasonOf(part(refused, 1, { userId: 'ann' })), 'CANCEL_TOO_LATE');
  await db.ledger.orderCancel({ orderId, by: 'olga' });
  assert.equal(await refundsOf(orderId), [3_000]);

  const kept = await paid({ ...five, ...late, lateCancel: 'NO_REFUND' }, 3);
  await part(kept, 1, { userId: 'ann' });
  await part(kept, 1);
  assert.equal(await refundsOf(kept.orderId), [1_500]);
  await db.ledger.orderCancel({ orderId: kept.orderId, userId: 'ann' });
  const again = await db.ledger.paymentConfirm(paymentOf(kept));
  assert.equal([again.payment.refundMinor, await refundsOf(kept.orderId)], [1_500, [1_500]]);
  assert.equal(await unitsOf(skuOf(kept)), [5, 0, 0]);

  // A hold, and what is not late yet, may always be given back.
  const hold = await held({ ...five, ...late });
  await db.ledger.orderCancel({ orderId: hold.orderId, userId: 'ann' });
  const early = await paid({ ...late, freeCancelSeconds: 60 });
  await db.ledger.orderCancel({ orderId: early.orderId, userId: 'ann' });
  assert.equal(await refundsOf(early.orderId), [1_500]);
});

test('A08: an order is fulfilled once, by its code, and gives nothing back any more', async () => {
  const order = await paid();
  const code = order.code ?? '';
  assert.match(code, /^[0-9A-HJKMNP-TV-Z]{8}$/);
  const written = ` ${code.slice(0, 4).toLowerCase().replaceAll('0', 'o').replaceAll('1', 'l')}-${code.slice(4)}`;
  const scans = await together(
    Array.from({ length: 5 }, () => () => db.ledger.orderFulfil({ storeId: 'store-1', code: written }, 'door')),
  );
  assert.is(scans.filter(({ changed }) => changed).length, 1);
  const firsts = new Set(scans.map((scan) => scan.order.fulfilledAt?.getTime()));
  assert.is(firsts.size, 1);
  assert.is((await db.ledger.orderFulfil({ orderId: order.orderId }, 'desk')).changed, false);
  assert.is(await reasonOf(db.ledger.orderCancel({ orderId: order.orderId })), 'ORDER_STATE');
  assert.is(await reasonOf(part(order, 1)), 'ORDER_STATE');
  assert.equal(await unitsOf(skuOf(order)), [0, 0, 1]);
  assert.is(await reasonOf(db.ledger.orderFulfil({ storeId: 'store-2', code }, 'door')), 'ORDER_NOT_FOUND');
  assert.is(await reasonOf(db.ledger.orderFulfil({ orderId: (await held()).orderId }, 'door')), 'ORDER_STATE');
});

test('an order that needs no payment has a code from its birth', async () => {
  const { orderId } = await held({ paymentRequired: false });
  assert.match((await db.ledger.orderGet(orderId)).code ?? '', /^[0-9A-Z]{8}$/);
});

test('a hold gets more time once, while somebody pays it', async () => {
  const order = await held({ holdTtlSeconds: 60 });
  const { orderId } = order;
  assert.is(await reasonOf(db.ledger.holdExtend(orderId)), 'ORDER_STATE');
  await db.ledger.paymentStart({ orderId, provider: 'bank', requestId: 'r' });
  const calls = await together(Array.from({ length: 4 }, () => () => db.ledger.holdExtend(orderId, 'ann')));
  assert.is(calls.filter(({ changed }) => changed).length, 1);
  const { expiresAt, version, extendedAt } = await db.ledger.orderGet(orderId);
  assert.is((expiresAt?.getTime() ?? 0) - (order.expiresAt?.getTime() ?? 0), 60_000);
  assert.equal([version, extendedAt instanceof Date], [2, true]);
  assert.equal((await db.stock(skuOf(order))).nextReleaseAt, expiresAt);
  const { attempt } = await db.ledger.paymentStart({ orderId, provider: 'bank', requestId: 'r' });
  assert.equal(attempt.endsAt, expiresAt);
  await db.expire(orderId);
  assert.is(await reasonOf(db.ledger.holdExtend(orderId)), 'ORDER_STATE');
});

test.run();
