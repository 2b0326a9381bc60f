import { randomUUID } from 'node:crypto';
import { Fault } from '#libs/refusal/fault.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import type { SettleVerb } from './money-issues.js';
import type { LedgerOrder } from './rows.js';
import { claimOf, only, type TestLedger, testLedger } from './test-ledger.js';
import { paymentOf, together } from './test-payments.js';

const test = suite('money');
let db: TestLedger;

test.before(async () => {
  db = await testLedger();
});
test.after.each(async () => assert.equal(await db.violations(), []));
test.after(() => db.drop());

const held = async (storeId = 'store-1'): Promise<LedgerOrder> => {
  const { skuId } = await db.sku({ capacity: 1, storeId });
  return db.order(claimOf('ann', skuId, { storeId }));
};
const settle = (order: LedgerOrder, verb: SettleVerb, requestId: string = randomUUID()) =>
  db.ledger.moneySettle({
    ...{ provider: 'bank', providerPaymentId: order.orderId, verb },
    ...{ by: 'olga', reason: 'they called', requestId },
  });
const giveBack = (order: LedgerOrder, amountMinor: number, refundId: string = randomUUID()) =>
  db.ledger.refundRecord({ provider: 'bank', providerPaymentId: order.orderId, refundId, amountMinor });
const reasonOf = async (work: Promise<unknown>) => (await rejectionOf(work, Fault)).reason;
const issuesOf = async (storeId?: string) => (await db.ledger.moneyIssuesList(storeId, {})).payments;
/** A hold whose money has the wrong amount. */
const wrong = async (): Promise<LedgerOrder> => {
  const order = await held();
  await db.ledger.paymentConfirm({ ...paymentOf(order), amountMinor: 1_400 });
  return order;
};

test('a refund that was asked for is done once, whoever says so how often', async () => {
  const order = await held();
  await db.ledger.paymentConfirm(paymentOf(order));
  await db.ledger.orderCancel({ orderId: order.orderId });
  const all = await together(Array.from({ length: 8 }, () => () => giveBack(order, 1_500, 'one')));
  assert.equal(all.map(({ outcome }) => outcome).sort(), [...Array(7).fill('KNOWN'), 'RECORDED']);
  const { payment } = await giveBack(order, 1_500, 'one');
  assert.equal([payment.state, payment.refundMinor, payment.refundId], ['REFUNDED', 1_500, 'one']);
  assert.instance(payment.refundedAt, Date);
  assert.is(await reasonOf(giveBack(await held(), 1_500)), 'PAYMENT_NOT_FOUND');
});

test('money that its provider took back unasked is for a person to see, and the order stays', async () => {
  const order = await held();
  await db.ledger.paymentConfirm(paymentOf(order));
  const part = await giveBack(order, 500);
  assert.equal([part.outcome, part.payment.state, part.payment.issue], ['UNREQUESTED', 'CAPTURED', 'CONTRADICTED']);
  await giveBack(order, 1_000);
  assert.is((await db.ledger.orderGet(order.orderId)).state, 'CONFIRMED');
  assert.is((await issuesOf()).find(({ orderId }) => orderId === order.orderId)?.state, 'REFUNDED');
  // A cancel asks for nothing more.
  await db.ledger.orderCancel({ orderId: order.orderId });
  const due = await db.sql(`SELECT FROM ledger.refunds WHERE state = 'DUE' AND order_id = $1`, [order.orderId]);
  assert.equal(due, []);
  await settle(order, 'WRITE_OFF');
  assert.not((await issuesOf()).some(({ orderId }) => orderId === order.orderId));
});

test('KEEP pays the order after all, whatever the amount, and what was asked for is withdrawn', async () => {
  const order = await wrong();
  const { payment, order: paid } = await settle(order, 'KEEP');
  assert.equal([payment.state, payment.refundMinor, payment.settledBy], ['CAPTURED', 0, 'olga']);
  assert.is(paid?.state, 'CONFIRMED');
  const lapsed = await wrong();
  await db.expire(lapsed.orderId);
  assert.is((await settle(lapsed, 'KEEP')).order?.state, 'CONFIRMED');
});

test('what cannot be kept stays as it was', async () => {
  const order = await wrong();
  const skuId = order.lines[0]?.skuId ?? '';
  await db.ledger.orderCancel({ orderId: order.orderId });
  await db.order(claimOf('bob', skuId));
  assert.is(await reasonOf(settle(order, 'KEEP')), 'ORDER_STATE');
  const issue = (await issuesOf()).find(({ orderId }) => orderId === order.orderId);
  assert.equal([issue?.state, issue?.refundMinor, issue?.settledBy], ['REFUND_DUE', 1_400, undefined]);
  await giveBack(order, 1_400);
  assert.is(await reasonOf(settle(order, 'KEEP')), 'ORDER_STATE');
  assert.is(await reasonOf(settle(await held(), 'KEEP')), 'PAYMENT_NOT_FOUND');
});

test('WRITE_OFF withdraws what was asked for, REFUND asks for it again, once each', async () => {
  const order = await wrong();
  const written = await together([1, 2, 3].map(() => () => settle(order, 'WRITE_OFF', order.orderId)));
  for (const { payment } of written) assert.equal([payment.state, payment.refundMinor], ['RETAINED', 0]);
  const { payment } = await settle(order, 'REFUND');
  assert.equal([payment.state, payment.refundMinor], ['REFUND_DUE', 1_400]);
  await settle(order, 'REFUND');
  const due = `SELECT FROM ledger.refunds WHERE state = 'DUE' AND order_id = $1`;
  assert.is((await db.sql(due, [order.orderId])).length, 1);
  assert.is(await reasonOf(settle(order, 'REFUND', order.orderId)), 'REQUEST_ID_REUSED');
  const paid = await held();
  await db.ledger.paymentConfirm(paymentOf(paid));
  assert.is(await reasonOf(settle(paid, 'REFUND')), 'ORDER_STATE');
  const changes = `SELECT was, became FROM ledger.control_changes WHERE what = 'MONEY' AND request_id = $1`;
  assert.equal(only(await db.sql(changes, [order.orderId])), {
    was: 'REFUND_DUE WRONG_AMOUNT',
    became: `bank ${order.orderId}: WRITE_OFF`,
  });
});

test('money of an order that never came is refunded by hand before its time', async () => {
  const { orderId } = claimOf('ann', 'nothing');
  const order = { ...(await held()), orderId };
  await db.ledger.paymentConfirm(paymentOf(order));
  assert.is(await reasonOf(settle(order, 'KEEP')), 'ORDER_STATE');
  const { payment, order: none } = await settle(order, 'REFUND');
  assert.equal([payment.state, payment.storeId, none], ['REFUND_DUE', '', undefined]);
});

test('issues are listed page by page, the oldest first, of one store or of all', async () => {
  const storeId = `store-${randomUUID()}`;
  const orders = [await held(storeId), await held(storeId), await held(storeId)];
  for (const order of orders) await db.ledger.paymentConfirm({ ...paymentOf(order), currency: 'USD' });
  const seen: string[] = [];
  for (let pageToken: string | undefined; pageToken !== ''; ) {
    const page = await db.ledger.moneyIssuesList(storeId, { pageSize: 2, ...(pageToken && { pageToken }) });
    seen.push(...page.payments.map(({ orderId }) => orderId));
    pageToken = page.nextPageToken;
  }
  assert.equal(
    seen,
    orders.map(({ orderId }) => orderId),
  );
  const everywhere = (await issuesOf()).map(({ orderId }) => orderId);
  assert.ok(seen.every((id) => everywhere.includes(id)));
  const bad = db.ledger.moneyIssuesList(storeId, { pageToken: 'x' });
  assert.is(await reasonOf(bad), 'INVALID_REQUEST');
});

test('the report of a day is the sum of its payments, and of a day that is over it stays the same', async () => {
  const storeId = `store-${randomUUID()}`;
  const orders = [await held(storeId), await held(storeId), await held(storeId)];
  for (const order of orders) await db.ledger.paymentConfirm(paymentOf(order));
  const [kept, cancelled, wronged] = orders;
  assert.ok(kept && cancelled && wronged);
  await db.ledger.paymentConfirm({ ...paymentOf(kept), providerPaymentId: `${kept.orderId}-2`, currency: 'USD' });
  await db.ledger.orderCancel({ orderId: cancelled.orderId });
  await giveBack(cancelled, 1_500);
  const today = new Date().toISOString().slice(0, 10);
  const report = await db.ledger.moneyReport(storeId, today);
  const euro = { provider: 'bank', currency: 'EUR', payments: 3, capturedMinor: 4_500, refundDueMinor: 1_500 };
  const dollar = { provider: 'bank', currency: 'USD', payments: 1, capturedMinor: 1_500, refundDueMinor: 1_500 };
  assert.equal(report, [
    { ...euro, refundedMinor: 1_500, states: { CAPTURED: 3_000, REFUNDED: 1_500 } },
    { ...dollar, refundedMinor: 0, states: { REFUND_DUE: 1_500 } },
  ]);
  for (const table of ['payments SET at = at', 'refunds SET due_at = due_at']) {
    const ofStore = `order_id IN (SELECT order_id FROM ledger.orders WHERE store_id = $1)`;
    await db.sql(`UPDATE ledger.${table} - interval '1 day' WHERE ${ofStore}`, [storeId]);
  }
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  const over = await db.ledger.moneyReport(storeId, yesterday);
  await db.ledger.orderCancel({ orderId: wronged.orderId });
  const figures = (lines: typeof over) => lines.map(({ states: _, ...line }) => line);
  assert.equal(figures(await db.ledger.moneyReport(storeId, yesterday)), figures(over));
  assert.equal(figures(over), [
    { ...euro, refundedMinor: 0 },
    { ...dollar, refundedMinor: 0 },
  ]);
  assert.is(only(await db.ledger.moneyReport(storeId, today, 'UTC')).refundDueMinor, 1_500);
});

test.run();
