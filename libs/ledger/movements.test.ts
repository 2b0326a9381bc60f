import { assert, suite } from '#libs/testing/suite.js';
import type { Movement } from './movements.js';
import { claimOf, lineOf, type TestLedger, testLedger } from './test-ledger.js';
import { paymentOf } from './test-payments.js';

const test = suite('movements');
let db: TestLedger;

test.before(async () => {
  db = await testLedger();
});
test.after.each(async () => assert.equal(await db.violations(), []));
test.after(() => db.drop());

test('a list tells who moved units, when and why, the newest first, page by page', async () => {
  const { skuId } = await db.sku({ perUserLimit: 3 });
  const to = await db.sku({ perUserLimit: 3 });
  const order = await db.order(claimOf('ann', [lineOf(skuId, 'ann', 3)]));
  const { orderId } = order;
  await db.ledger.orderCancelPart({
    orderId,
    lines: [lineOf(skuId, 'ann')],
    requestId: 'r',
    reason: 'ill',
    by: 'olga',
  });
  await db.ledger.paymentConfirm({ ...paymentOf(order), amountMinor: 3_000, capturedAt: new Date() });
  await db.ledger.orderMove({ orderId, userId: 'ann', toSkuId: to.skuId, requestId: 's' });
  const gone = await db.order(claimOf('bob', skuId));
  await db.expire(gone.orderId);
  await db.ledger.ordersExpire(10);
  const seen: Movement[] = [];
  for (let pageToken: string | undefined; pageToken !== ''; ) {
    const page = await db.ledger.movementsList({ skuId }, { pageSize: 2, ...(pageToken && { pageToken }) });
    seen.push(...page.movements);
    pageToken = page.nextPageToken;
  }
  const told = seen.map(({ reason, changedBy, note, free }) => [reason, changedBy, note, free]);
  assert.equal(told, [
    ['EXPIRE', 'expiry', undefined, 1],
    ['ADMIT', 'bob', undefined, -1],
    ['MOVE', 'ann', `${skuId} -> ${to.skuId}`, 2],
    ['PAY', 'payment', undefined, 0],
    ['CANCEL_PART', 'olga', 'ill', 1],
    ['ADMIT', 'ann', undefined, -3],
  ]);
  const ofOrder: Movement[] = [];
  for (let pageToken: string | undefined; pageToken !== ''; ) {
    const page = await db.ledger.movementsList({ orderId }, { pageSize: 1, ...(pageToken && { pageToken }) });
    ofOrder.push(...page.movements);
    pageToken = page.nextPageToken;
  }
  assert.equal(
    ofOrder.map(({ orderVersion }) => orderVersion),
    [4, 4, 3, 2, 1],
  );
});

test('what moved within one millisecond is told as it happened, over the pages', async () => {
  const { skuId } = await db.sku({ capacity: 100 });
  const users = Array.from({ length: 8 }, (_, n) => `user-${n}`);
  for (const user of users) await db.order(claimOf(user, skuId));
  await db.sql(`UPDATE ledger.movements SET at = date_trunc('second', now()) WHERE sku_id = $1`, [skuId]);
  const seen: (string | undefined)[] = [];
  for (let pageToken: string | undefined; pageToken !== ''; ) {
    const page = await db.ledger.movementsList({ skuId }, { pageSize: 3, ...(pageToken && { pageToken }) });
    seen.push(...page.movements.map(({ userId }) => userId));
    pageToken = page.nextPageToken;
  }
  assert.equal(seen, users.reverse());
});

test('holds are counted by what became of them, and the time that units were held for nothing', async () => {
  const storeId = 'counted';
  const { skuId } = await db.sku({ storeId, perUserLimit: 2 });
  const since = new Date(Date.now() - 3_600_000);
  const hold = (user: string, quantity = 1) => db.order(claimOf(user, [lineOf(skuId, user, quantity)], { storeId }));
  const born = (orderId: string, minutes: number) =>
    db.sql(`UPDATE ledger.movements SET at = at - $2 * interval '1 minute' WHERE order_id = $1 AND reason = 'ADMIT'`, [
      orderId,
      minutes,
    ]);
  for (const [user, minutes] of [
    ['quick', 1],
    ['slow', 12],
    ['slower', 40],
  ] as const) {
    const order = await hold(user);
    await born(order.orderId, minutes);
    await db.ledger.paymentConfirm(paymentOf(order));
  }
  const vain = await hold('vain', 2);
  await born(vain.orderId, 10);
  await db.expire(vain.orderId);
  await db.ledger.ordersExpire(10);
  const given = await hold('given');
  await born(given.orderId, 5);
  await db.ledger.orderCancel({ orderId: given.orderId });
  await hold('open');
  const { vainUnitMinutes, ...counts } = await db.ledger.holdsStats({ storeId }, since);
  const paidIn = { paidIn5: 1, paidIn10: 1, paidIn15: 2, paidIn30: 2 };
  assert.equal(counts, { holds: 6, paid: 3, ...paidIn, expired: 1, cancelled: 1, open: 1 });
  assert.ok(Math.abs(vainUnitMinutes - 25) < 1, `${vainUnitMinutes}`);
  assert.equal((await db.ledger.holdsStats({ skuId }, since)).holds, 6);
  assert.equal((await db.ledger.holdsStats({ skuId: 'nothing' }, since)).holds, 0);
});

test.run();
