import pg from 'pg';
import { faultOf } from '#libs/refusal/fault.js';
import { assert, suite } from '#libs/testing/suite.js';
import { functionCall } from './ledger-pool.js';
import type { LedgerOrder } from './rows.js';
import { claimOf, lineOf, only, type TestLedger, testLedger } from './test-ledger.js';
import { paymentOf, permutations, together } from './test-payments.js';

const test = suite('payments');
let db: TestLedger;

test.before(async () => {
  db = await testLedger({ max: 24 });
});
test.after.each(async () => assert.equal(await db.violations(), []));
test.after(() => db.drop());

const held = async (parts: Parameters<TestLedger['sku']>[0] = {}): Promise<LedgerOrder> => {
  const { skuId } = await db.sku({ capacity: 1, ...parts });
  return db.order(claimOf('ann', skuId));
};
const start = (orderId: string, provider = 'bank', requestId = 'r') =>
  db.ledger.paymentStart({ orderId, provider, requestId });
const refundsOf = (orderId: string) =>
  db.sql<{ state: string; amount_minor: number; reason: string }>(
    'SELECT state, amount_minor, reason FROM ledger.refunds WHERE order_id = $1 ORDER BY number',
    [orderId],
  );
const told = async (orderId: string, kind: string): Promise<number> =>
  only(
    await db.sql<{ count: number }>(
      'SELECT count(*)::int AS count FROM ledger.outbox WHERE order_id = $1 AND kind = $2',
      [orderId, kind],
    ),
  ).count;
const paymentsOf = (orderId: string) =>
  db.sql<{ state: string; issue: string | null }>('SELECT state, issue FROM ledger.payments WHERE order_id = $1', [
    orderId,
  ]);
const attemptsOf = (orderId: string) =>
  db.sql<{ attempt: number; state: string }>(
    'SELECT attempt, state FROM ledger.payment_attempts WHERE order_id = $1 ORDER BY attempt',
    [orderId],
  );
/** The whole life ends somebody's hold: when its units are free again, and what it holds now. */
const sweep = async (orderId: string): Promise<void> => {
  await db.expire(orderId);
  await db.ledger.ordersExpire(100);
};

type Notice = 'started' | 'failed' | 'paid' | 'cancelled' | 'refunded';

/** What happens when a notice comes; false: it is to be told again. */
async function tell(order: LedgerOrder, notice: Notice): Promise<boolean> {
  const { orderId } = order;
  const of = { orderId, provider: 'bank', providerPaymentId: orderId };
  try {
    if (notice === 'started') await start(orderId);
    if (notice === 'failed') await db.ledger.paymentFail({ ...of, attempt: 1, why: 'declined' });
    if (notice === 'paid') await db.ledger.paymentConfirm({ ...paymentOf(order), attempt: 1 });
    if (notice === 'cancelled') await db.ledger.orderCancel({ orderId, userId: order.userId });
    if (notice === 'refunded') await db.ledger.refundRecord({ ...of, refundId: `re-${orderId}`, amountMinor: 1_500 });
  } catch (error) {
    const { reason } = faultOf(error);
    assert.ok(['ORDER_STATE', 'PAYMENT_NOT_FOUND'].includes(reason), `${notice}: ${reason}`);
    return reason !== 'PAYMENT_NOT_FOUND';
  }
  return true;
}

/** Tells all, each twice; what found nothing yet comes again at the end. */
async function tellAll(order: LedgerOrder, notices: readonly Notice[]): Promise<void> {
  const again: Notice[] = [];
  for (const notice of notices) {
    if (!(await tell(order, notice))) again.push(notice);
    await tell(order, notice);
  }
  for (const notice of again) assert.ok(await tell(order, notice));
}

const isBefore = (notices: readonly Notice[], first: Notice, second: Notice): boolean =>
  notices.indexOf(first) < notices.indexOf(second);

test('I05: started, failed, paid, cancelled and refunded end alike in whatever order they come, twice each', async () => {
  for (const notices of permutations<Notice>(['started', 'failed', 'paid', 'cancelled', 'refunded'])) {
    const said = notices.join(', ');
    const order = await held();
    await tellAll(order, notices);
    const { state } = await db.ledger.orderGet(order.orderId);
    // Money after a cancel takes the free unit anew.
    assert.is(state, isBefore(notices, 'paid', 'cancelled') ? 'CANCELLED' : 'CONFIRMED', said);
    // What comes before the money says that it went back, and is told again at the end.
    const isEarly = isBefore(notices, 'paid', 'refunded') && isBefore(notices, 'refunded', 'cancelled');
    const isAsked = isBefore(notices, 'paid', 'cancelled') && !isEarly;
    const payment = only(await paymentsOf(order.orderId));
    assert.equal(payment, { state: 'REFUNDED', issue: isAsked ? null : 'CONTRADICTED' }, said);
    const [refund, ...more] = await refundsOf(order.orderId);
    assert.equal([refund?.state, refund?.amount_minor, more], ['DONE', 1_500, []], said);
    assert.is(await told(order.orderId, 'REFUND'), isAsked ? 1 : 0, said);
    const isTried = isBefore(notices, 'started', 'paid') && isBefore(notices, 'started', 'cancelled');
    assert.equal(await attemptsOf(order.orderId), isTried ? [{ attempt: 1, state: 'CAPTURED' }] : [], said);
  }
});

test('I09: paid wins over any number of failures, before and after it', async () => {
  for (const notices of permutations<Notice>(['started', 'failed', 'failed', 'paid'])) {
    const order = await held();
    await tellAll(order, notices);
    assert.is((await db.ledger.orderGet(order.orderId)).state, 'CONFIRMED');
    assert.equal(await paymentsOf(order.orderId), [{ state: 'CAPTURED', issue: null }]);
    assert.equal(await refundsOf(order.orderId), []);
  }
});

test('an older attempt that fails leaves the newer one and its money alone', async () => {
  const order = await held();
  const { orderId } = order;
  await start(orderId, 'bank', 'one');
  await db.ledger.paymentFail({ orderId, provider: 'bank', attempt: 1, why: 'declined' });
  assert.is((await start(orderId, 'bank', 'two')).attempt.attempt, 2);
  assert.is((await db.ledger.paymentFail({ orderId, provider: 'bank', attempt: 1, why: 'late' })).changed, false);
  await db.ledger.paymentConfirm({ ...paymentOf(order), attempt: 2 });
  await db.ledger.paymentFail({ orderId, provider: 'bank', attempt: 1, why: 'later' });
  assert.equal(
    (await attemptsOf(orderId)).map(({ state }) => state),
    ['FAILED', 'CAPTURED'],
  );
});

test('I01, I02: money after the expiry takes the unit anew when it is free, swept or not', async () => {
  for (const isSwept of [true, false]) {
    const order = await held();
    if (isSwept) await sweep(order.orderId);
    else await db.expire(order.orderId);
    const { outcome, payment, order: paid } = await db.ledger.paymentConfirm(paymentOf(order));
    assert.equal([outcome, payment.state, paid?.state, paid?.version], ['CONFIRMED', 'CAPTURED', 'CONFIRMED', 3]);
    assert.match(paid?.code ?? '', /^[0-9A-HJKMNP-TV-Z]{8}$/);
    assert.equal((await db.stock(order.lines[0]?.skuId ?? '')).sold, 1);
    assert.is(await told(order.orderId, 'ORDER'), 3);
  }
});

test('A03: money after the unit went to somebody else goes back once, and the unit stays where it is', async () => {
  const order = await held();
  const skuId = order.lines[0]?.skuId ?? '';
  await sweep(order.orderId);
  const other = await db.order(claimOf('bob', skuId));
  await db.ledger.paymentConfirm(paymentOf(other));
  const late = await together(Array.from({ length: 8 }, () => () => db.ledger.paymentConfirm(paymentOf(order))));
  assert.ok(late.every(({ payment }) => payment.state === 'REFUND_DUE' && payment.issue === 'LATE'));
  assert.is((await db.ledger.orderGet(order.orderId)).state, 'EXPIRED');
  assert.is((await db.ledger.orderGet(other.orderId)).state, 'CONFIRMED');
  assert.equal(await refundsOf(order.orderId), [{ state: 'DUE', amount_minor: 1_500, reason: 'LATE' }]);
  assert.is(await told(order.orderId, 'REFUND'), 1);
});

test('late money goes back when the sku says so, is paused, or its attendee has as many as allowed', async () => {
  const policy = await held({ latePayment: 'REFUND' });
  const paused = await held();
  const full = await held({ capacity: 2 });
  for (const { orderId } of [policy, paused, full]) await sweep(orderId);
  const by = { storeId: 'store-1', operator: 'olga', reason: 'rain', requestId: paused.orderId };
  await db.ledger.skuPause({ ...by, skuId: paused.lines[0]?.skuId ?? '', paused: true });
  await db.order(claimOf('ann', full.lines[0]?.skuId ?? ''));
  for (const order of [policy, paused, full]) {
    const { payment, order: stays } = await db.ledger.paymentConfirm(paymentOf(order));
    assert.equal([payment.state, payment.issue, stays?.state], ['REFUND_DUE', 'LATE', 'EXPIRED']);
  }
});

test('what somebody else than its user cancelled is not taken anew for late money, which goes back', async () => {
  const [own, staffs, operators] = [await held(), await held(), await held()];
  await db.ledger.orderCancel({ orderId: own.orderId, userId: own.userId });
  await db.ledger.orderCancel({ orderId: staffs.orderId, userId: staffs.userId, role: 'USER', by: 'sam' });
  await db.ledger.orderCancel({ orderId: operators.orderId, role: 'OPERATOR', by: 'olga' });
  const states = [];
  for (const order of [own, staffs, operators]) {
    const { payment, order: after } = await db.ledger.paymentConfirm(paymentOf(order));
    states.push([payment.state, payment.issue, after?.state]);
  }
  const ended = ['REFUND_DUE', 'ORDER_ENDED', 'CANCELLED'];
  assert.equal(states, [['CAPTURED', undefined, 'CONFIRMED'], ended, ended]);
});

test('I10: money captured before the deadline is in time though its notice comes after it, until the hold is swept', async () => {
  const before = new Date(Date.now() - 10_000);
  const order = await held({ latePayment: 'REFUND' });
  await db.expire(order.orderId);
  const inTime = await db.ledger.paymentConfirm({ ...paymentOf(order), capturedAt: before });
  assert.equal([inTime.outcome, inTime.order?.version], ['CONFIRMED', 2]);
  assert.equal(inTime.payment.capturedAt, before);
  const late = await held({ latePayment: 'REFUND' });
  await db.expire(late.orderId);
  const after = await db.ledger.paymentConfirm({ ...paymentOf(late), capturedAt: new Date(Date.now() + 60_000) });
  assert.equal([after.payment.issue, after.order?.state], ['LATE', 'EXPIRED']);
  const swept = await held({ latePayment: 'REFUND' });
  await sweep(swept.orderId);
  const gone = await db.ledger.paymentConfirm({ ...paymentOf(swept), capturedAt: before });
  assert.is(gone.payment.issue, 'LATE');
});

test('I10: an order that needs no payment is never swept', async () => {
  const order = await held({ paymentRequired: false, priceMinor: 0 });
  await db.ledger.ordersExpire(100);
  assert.equal([(await db.ledger.orderGet(order.orderId)).state, order.expiresAt], ['CONFIRMED', undefined]);
});

test('money of a wrong amount or currency never confirms, also not an order that ended', async () => {
  const order = await held();
  await sweep(order.orderId);
  const wrong = await db.ledger.paymentConfirm({ ...paymentOf(order, `${order.orderId}-1`), amountMinor: 1 });
  const other = await db.ledger.paymentConfirm({ ...paymentOf(order), currency: 'USD' });
  assert.equal([wrong.payment.issue, other.payment.issue], ['WRONG_AMOUNT', 'WRONG_CURRENCY']);
  assert.is((await db.ledger.orderGet(order.orderId)).state, 'EXPIRED');
  assert.is(await told(order.orderId, 'REFUND'), 2);
});

test('I06: a process that dies after the money is recorded and before it is committed leaves nothing behind', async () => {
  const order = await held();
  const dying = new pg.Client({ connectionString: db.url });
  dying.on('error', () => undefined);
  await dying.connect();
  const { rows } = await dying.query('SELECT pg_backend_pid() AS pid');
  await dying.query('BEGIN');
  const { orderId, provider, providerPaymentId, amountMinor, currency } = paymentOf(order);
  const values = [orderId, provider, providerPaymentId, amountMinor, currency, null, null];
  await dying.query(functionCall('payment_confirm', 7).text, values);
  await db.sql('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);
  const again = await db.ledger.paymentConfirm(paymentOf(order));
  assert.equal([again.outcome, again.order?.state, again.order?.version], ['CONFIRMED', 'CONFIRMED', 2]);
  assert.is(await told(orderId, 'ORDER'), 2);
  await dying.end().catch(() => undefined);
});

test('I08: 50 confirmations at once make one transition, one movement and one event', async () => {
  const order = await held();
  const all = await together(Array.from({ length: 50 }, () => () => db.ledger.paymentConfirm(paymentOf(order))));
  assert.is(all.filter(({ outcome }) => outcome === 'CONFIRMED').length, 1);
  assert.is(all.filter(({ outcome }) => outcome === 'KNOWN').length, 49);
  assert.is((await db.ledger.orderGet(order.orderId)).version, 2);
  assert.is(await told(order.orderId, 'ORDER'), 2);
});

test('I07: money before its order is kept, and pays the order once it is born', async () => {
  const { skuId } = await db.sku({ capacity: 1 });
  const claim = claimOf('ann', skuId);
  const early = { orderId: claim.orderId, provider: 'bank', providerPaymentId: claim.orderId };
  const money = { ...early, amountMinor: 1_500, currency: 'EUR' };
  const parked = await db.ledger.paymentConfirm(money);
  assert.equal([parked.outcome, parked.order, parked.payment.issue], ['PARKED', undefined, 'UNKNOWN_ORDER']);
  assert.is((await db.ledger.paymentConfirm(money)).outcome, 'KNOWN');
  assert.equal(await db.ledger.paymentsParkedApply(10), { confirmed: 0, refunded: 0, hasMore: false });
  await db.order(claim);
  assert.equal(await db.violations(), []);
  const runs = await together(Array.from({ length: 4 }, () => () => db.ledger.paymentsParkedApply(10)));
  assert.is(
    runs.reduce((sum, { confirmed }) => sum + confirmed, 0),
    1,
  );
  assert.equal(await paymentsOf(claim.orderId), [{ state: 'CAPTURED', issue: null }]);
  assert.is((await db.ledger.orderGet(claim.orderId)).state, 'CONFIRMED');
});

test('I07: money whose order is not born within 15 minutes goes back, once', async () => {
  const { skuId } = await db.sku();
  const [claim, wrong] = [claimOf('ann', skuId), claimOf('bob', [lineOf(skuId, 'bob')])];
  for (const { orderId } of [claim, wrong]) {
    const key = { orderId, provider: 'bank', providerPaymentId: orderId };
    await db.ledger.paymentConfirm({ ...key, amountMinor: 7, currency: 'EUR' });
  }
  await db.sql(`UPDATE ledger.payments SET at = at - interval '15 minutes' WHERE order_id = $1`, [claim.orderId]);
  await db.order(wrong);
  const runs = await together([1, 2, 3].map(() => () => db.ledger.paymentsParkedApply(10)));
  assert.is(
    runs.reduce((sum, { refunded }) => sum + refunded, 0),
    2,
  );
  assert.equal(await paymentsOf(claim.orderId), [{ state: 'REFUND_DUE', issue: 'UNKNOWN_ORDER' }]);
  assert.equal(await paymentsOf(wrong.orderId), [{ state: 'REFUND_DUE', issue: 'WRONG_AMOUNT' }]);
  for (const { orderId } of [claim, wrong]) assert.is(await told(orderId, 'REFUND'), 1);
  const entries = await db.ledger.outboxTake(1_000);
  const refund = entries.find((entry) => entry.kind === 'REFUND' && entry.orderId === claim.orderId);
  assert.ok(refund?.kind === 'REFUND');
  assert.equal([refund.storeId, refund.reason, refund.amountMinor], ['', 'UNKNOWN_ORDER', 7]);
});

test.run();
