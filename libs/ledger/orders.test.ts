import { DatabaseError } from 'pg';
import { Fault } from '#libs/refusal/fault.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import { claimOf, lineOf, only, type TestLedger, testLedger } from './test-ledger.js';
import { paymentOf, together } from './test-payments.js';

const test = suite('orders');
let db: TestLedger;

test.before(async () => {
  db = await testLedger({ max: 24 });
});
test.after.each(async () => assert.equal(await db.violations(), []));
test.after(() => db.drop());

test('a cancelled order gives its units back, says why, and is told as a change', async () => {
  const { skuId } = await db.sku({ perUserLimit: 3 });
  const order = await db.order(claimOf('ann', [lineOf(skuId, 'ann', 3)]));
  const { order: cancelled, changed } = await db.ledger.orderCancel({
    orderId: order.orderId,
    userId: 'ann',
    reason: 'ill',
  });
  assert.is(changed, true);
  const { expiresAt: _, ...rest } = order;
  assert.equal(cancelled, { ...rest, state: 'CANCELLED', version: 2 });
  assert.is((await db.stock(skuId)).free, 10);
  const row = only(
    await db.sql<{ cancel_reason: string }>('SELECT cancel_reason FROM ledger.orders WHERE order_id = $1', [
      order.orderId,
    ]),
  );
  assert.is(row.cancel_reason, 'ill');
  const told = (await db.ledger.outboxTake(500)).filter((entry) => entry.orderId === order.orderId);
  assert.equal(
    told.map((entry) => entry.kind === 'ORDER' && entry.state),
    ['HELD', 'CANCELLED'],
  );
  await db.order(claimOf('ann', [lineOf(skuId, 'ann', 3)]));
});

test("another user's order is not there", async () => {
  const { skuId } = await db.sku();
  const { orderId } = await db.order(claimOf('ann', skuId));
  const cancel = await rejectionOf(db.ledger.orderCancel({ orderId, userId: 'bob' }), Fault);
  const get = await rejectionOf(db.ledger.orderGet(orderId, 'bob'), Fault);
  assert.equal([cancel.reason, get.reason], ['ORDER_NOT_FOUND', 'ORDER_NOT_FOUND']);
  assert.is((await db.ledger.orderGet(orderId, 'ann')).state, 'HELD');
});

test('A14: cancelling what never took units moves none', async () => {
  const { skuId } = await db.sku({ capacity: 0 });
  const claim = claimOf('ann', skuId);
  await db.admit(claim);
  const { order, changed } = await db.ledger.orderCancel({ orderId: claim.orderId });
  assert.is(order.state, 'REFUSED');
  assert.is(changed, false);
  const nothing = rejectionOf(db.ledger.orderCancel({ orderId: claimOf('ann', skuId).orderId }), Fault);
  assert.is((await nothing).reason, 'ORDER_NOT_FOUND');
  assert.is((await db.stock(skuId)).free, 0);
});

test('A08: what was fulfilled cannot be cancelled', async () => {
  const { skuId } = await db.sku({ paymentRequired: false });
  const { orderId } = await db.order(claimOf('ann', skuId));
  await db.sql(`SELECT * FROM ledger.orders_transition('FULFIL', ARRAY[$1::uuid], NULL)`, [orderId]);
  const fault = await rejectionOf(db.ledger.orderCancel({ orderId }), Fault);
  assert.is(fault.reason, 'ORDER_STATE');
  assert.equal(fault.metadata, { order_id: orderId, state: 'FULFILLED' });
  assert.is((await db.stock(skuId)).sold, 1);
});

test('A06, A35: twenty cancels at one moment give the units back once', async () => {
  const { skuId } = await db.sku({ paymentRequired: false });
  const { orderId } = await db.order(claimOf('ann', skuId));
  const acts = Array.from({ length: 20 }, () => () => db.ledger.orderCancel({ orderId }));
  const results = await together(acts);
  assert.is(results.filter((result) => result.changed).length, 1);
  assert.ok(results.every((result) => result.order.state === 'CANCELLED'));
  assert.is((await db.stock(skuId)).free, 10);
});

test('A06: of three releases and the scheduler one gives the unit back, the others say so, and no count is clamped', async () => {
  const { skuId } = await db.sku({ capacity: 1 });
  const { orderId } = await db.order(claimOf('ann', skuId));
  await db.expire(orderId, 0);
  const cancel = async (): Promise<boolean> => (await db.ledger.orderCancel({ orderId })).changed;
  const expire = async (): Promise<boolean> => (await db.ledger.ordersExpire(10)).expired > 0;
  const gaveBack = await together([cancel, cancel, cancel, expire]);
  assert.is(gaveBack.filter(Boolean).length, 1);
  const { order, changed } = await db.ledger.orderCancel({ orderId });
  assert.is(changed, false);
  assert.ok(order.state === 'CANCELLED' || order.state === 'EXPIRED', order.state);
  const { free, held } = await db.stock(skuId);
  assert.equal({ free, held }, { free: 1, held: 0 });
  // Whoever takes one too many away is stopped, not corrected.
  const below = db.sql('UPDATE ledger.stock SET held = held - 1, free = free + 1 WHERE sku_id = $1', [skuId]);
  assert.is((await rejectionOf(below, DatabaseError)).code, '23514');
});

test('A17: whoever hears of a cancel and gives units back himself is stopped by the key of the movement', async () => {
  const { skuId } = await db.sku({ paymentRequired: false });
  const { orderId } = await db.order(claimOf('ann', skuId));
  const listeners = Array.from({ length: 3 }, () => () => db.ledger.orderCancel({ orderId }));
  const heard = await together(listeners);
  assert.is(heard.filter(({ changed }) => changed).length, 1);
  const again = db.sql(
    `INSERT INTO ledger.movements SELECT order_id, sku_id, order_version, delta_free, delta_reserved, delta_held,
       delta_sold, reason, at FROM ledger.movements WHERE order_id = $1 AND reason = 'CANCEL'`,
    [orderId],
  );
  assert.is((await rejectionOf(again, DatabaseError)).code, '23505');
  assert.is((await db.stock(skuId)).free, 10);
});

test('A13: of expiry, cancel and payment at the deadline one wins, and the units move once', async () => {
  for (let round = 0; round < 20; round++) {
    const { skuId } = await db.sku({ capacity: 1 });
    const order = await db.order(claimOf('ann', skuId));
    const { orderId } = order;
    await db.expire(orderId, 0);
    await together<unknown>([
      () => db.ledger.ordersExpire(10),
      () => db.ledger.orderCancel({ orderId }),
      () => db.ledger.paymentConfirm(paymentOf(order)),
      () => db.ledger.ordersExpire(10),
    ]);
    // Money that came after the hold had ended found its unit free again; a cancel may have come after it.
    const { state, version } = await db.ledger.orderGet(orderId);
    assert.ok(version === (state === 'CONFIRMED' ? 3 : 2) || (state === 'CANCELLED' && version === 4));
    const { free, sold } = await db.stock(skuId);
    assert.equal([free, sold], state === 'CONFIRMED' ? [0, 1] : [1, 0]);
  }
});

test('a payment before the deadline sells what was held, once', async () => {
  const { skuId } = await db.sku();
  const order = await db.order(claimOf('ann', skuId));
  const results = await together(Array.from({ length: 8 }, () => () => db.ledger.paymentConfirm(paymentOf(order))));
  assert.ok(results.every((result) => result.payment.state === 'CAPTURED' && result.order?.state === 'CONFIRMED'));
  assert.is(results[0]?.order?.version, 2);
  const { held, sold, nextReleaseAt } = await db.stock(skuId);
  assert.equal({ held, sold, nextReleaseAt }, { held: 0, sold: 1, nextReleaseAt: undefined });
});

test('a second payment, a wrong amount and a wrong currency go back, and the order stays as it is', async () => {
  const { skuId } = await db.sku();
  const order = await db.order(claimOf('ann', skuId));
  const less = await db.ledger.paymentConfirm({ ...paymentOf(order, 'less'), amountMinor: 1 });
  const other = await db.ledger.paymentConfirm({ ...paymentOf(order, 'usd'), currency: 'USD' });
  assert.equal([less.payment.issue, other.payment.issue], ['WRONG_AMOUNT', 'WRONG_CURRENCY']);
  assert.equal(less.order, order);
  const paid = await db.ledger.paymentConfirm(paymentOf(order));
  const second = await db.ledger.paymentConfirm(paymentOf(order, 'second'));
  assert.equal([second.payment.state, second.payment.issue], ['REFUND_DUE', 'ALREADY_PAID']);
  assert.equal(second.order, paid.order);
});

test('cancelling a paid order sends its money back', async () => {
  const { skuId } = await db.sku();
  const order = await db.order(claimOf('ann', skuId));
  await db.ledger.paymentConfirm(paymentOf(order));
  await db.ledger.orderCancel({ orderId: order.orderId });
  assert.is((await db.ledger.paymentConfirm(paymentOf(order))).payment.state, 'REFUND_DUE');
  assert.is((await db.stock(skuId)).free, 10);
});

test('one payment pays for one order', async () => {
  const { skuId } = await db.sku();
  const [one, two] = [await db.order(claimOf('ann', skuId)), await db.order(claimOf('bob', skuId))];
  const results = await Promise.allSettled(
    [one, two].map((order) => db.ledger.paymentConfirm(paymentOf(order, 'the-same'))),
  );
  const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  assert.is(only(refused).reason, 'INVALID_REQUEST');
  assert.is((await db.stock(skuId)).sold, 1);
});

test('A28: a hold that is paid for is converted, whatever became of the capacity', async () => {
  const sku = await db.sku({ capacity: 2 });
  const order = await db.order(claimOf('ann', sku.skuId));
  const { overbooked: _, etag, ...rest } = sku;
  await db.ledger.skuPut({ ...rest, capacity: 1 }, etag);
  assert.is((await db.ledger.paymentConfirm(paymentOf(order))).order?.state, 'CONFIRMED');
  assert.is((await db.stock(sku.skuId)).free, 0);
});

test('holds past their expiry are closed, the longest overdue first, and say which skus got units', async () => {
  const skus = [await db.sku(), await db.sku(), await db.sku()];
  const orders = [];
  for (const { skuId } of skus) orders.push(await db.order(claimOf('ann', skuId)));
  await db.expire(orders[0]?.orderId ?? '', 5);
  await db.expire(orders[1]?.orderId ?? '', 10);
  const first = await db.ledger.ordersExpire(1);
  assert.is(first.expired, 1);
  assert.equal(first.freedSkus, [{ storeId: 'store-1', skuId: skus[1]?.skuId }]);
  assert.ok(first.nextDueAt && first.nextDueAt.getTime() < Date.now());
  const second = await db.ledger.ordersExpire(10);
  assert.equal(second.freedSkus, [{ storeId: 'store-1', skuId: skus[0]?.skuId }]);
  assert.is((await db.ledger.ordersExpire(10)).expired, 0);
  assert.is((await db.ledger.orderGet(orders[2]?.orderId ?? '')).state, 'HELD');
});

test('A32: an order that is paid while the sweeper works is not swept', async () => {
  const { skuId } = await db.sku();
  const order = await db.order(claimOf('ann', skuId));
  await db.ledger.paymentConfirm(paymentOf(order));
  const rows = await db.sql<{ effect: string }>(
    `SELECT effect FROM ledger.orders_transition('EXPIRE', ARRAY[$1::uuid], NULL)`,
    [order.orderId],
  );
  assert.equal(rows, [{ effect: 'NONE' }]);
  assert.is((await db.stock(skuId)).sold, 1);
});

test('sweepers side by side close each hold once', async () => {
  const { skuId } = await db.sku({ capacity: 200 });
  const claims = Array.from({ length: 200 }, (_, n) => claimOf(`user-${n}`, skuId));
  await db.ledger.claimsAdmit(claims);
  await db.sql(`UPDATE ledger.orders SET expires_at = now() WHERE state = 'HELD'`);
  const sweep = async (): Promise<number> => {
    const { expired } = await db.ledger.ordersExpire(15);
    return expired === 0 ? 0 : expired + (await sweep());
  };
  const counts = await together([sweep, sweep, sweep, sweep]);
  const rest = await sweep();
  assert.ok(counts.reduce((sum, count) => sum + count, rest) >= 200);
  assert.is((await db.stock(skuId)).free, 200);
});

test('lists come in pages, newest first, each order once', async () => {
  const { skuId } = await db.sku({ capacity: 20, perUserLimit: 20 });
  const placed: string[] = [];
  for (let n = 0; n < 7; n++) {
    placed.unshift((await db.order(claimOf('lister', [lineOf(skuId, `child-${n}`), lineOf(skuId, 'lister')]))).orderId);
  }
  for (const list of [db.ledger.ordersListBySku, db.ledger.ordersListByUser]) {
    const id = list === db.ledger.ordersListBySku ? skuId : 'lister';
    const seen: string[] = [];
    const times: number[] = [];
    let pageToken = '';
    do {
      const page = await list(id, { pageSize: 3, pageToken });
      seen.push(...page.orders.map((order) => order.orderId));
      times.push(...page.orders.map((order) => order.createdAt.getTime()));
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    assert.equal(new Set(seen), new Set(placed));
    assert.is(seen.length, placed.length);
    assert.equal(
      times,
      times.toSorted((a, b) => b - a),
    );
    assert.equal((await list(id, {})).orders.length, 7);
  }
  const wrong = db.ledger.ordersListByUser('other', {
    pageToken: (await db.ledger.ordersListByUser('lister', { pageSize: 1 })).nextPageToken,
  });
  assert.is((await rejectionOf(wrong, Fault)).violations[0]?.field, 'page_token');
});

test('nothing asked, nothing read', async () => {
  assert.equal(await db.ledger.ordersRead([]), []);
});

test.run();
