import pg from 'pg';
import { assert, suite } from '#libs/testing/suite.js';
import { claimOf, lineOf, type TestLedger, testLedger } from './test-ledger.js';

const test = suite('audit');
let db: TestLedger;
let owner: pg.Client;

test.before(async () => {
  db = await testLedger();
  owner = new pg.Client({ connectionString: db.url });
  await owner.connect();
  const { skuId } = await db.sku({ perUserLimit: 5 });
  const held = await db.order(claimOf('ann', [lineOf(skuId, 'ann', 2)]));
  const paid = await db.order(claimOf('bob', [lineOf(skuId, 'bob', 1)]));
  const { orderId, amountMinor, currency } = paid;
  await db.ledger.paymentConfirm({ orderId, provider: 'bank', providerPaymentId: '1', amountMinor, currency });
  const back = { orderId, provider: 'bank', amountMinor, currency };
  await db.ledger.paymentConfirm({ ...back, providerPaymentId: 'twice' });
  const ended = await db.order(claimOf('cid', skuId));
  await db.ledger.orderCancel({ orderId: ended.orderId });
  await db.admit(claimOf('dan', [lineOf(skuId, 'dan', 9)]));
  assert.is(held.state, 'HELD');
});
test.after(async () => {
  await owner.end();
  await db.drop();
});

test('a ledger that only its functions wrote has no violation', async () => {
  assert.equal(await db.ledger.audit(), { violations: [], truncated: false });
});

/** What someone with the owner's rights could do, and what the audit calls it. */
const damages: [violation: string, damage: string][] = [
  ['STOCK_NOT_CONSERVED', `ALTER TABLE stock DROP CONSTRAINT stock_is_conserved; UPDATE stock SET free = free + 1`],
  ['STOCK_NOT_OF_LINES', `UPDATE stock SET held = held + 1, free = free - 1`],
  ['STOCK_NOT_OF_LINES', `UPDATE order_lines SET quantity = quantity + 1 WHERE held_until IS NOT NULL`],
  ['STOCK_NOT_OF_MOVEMENTS', `UPDATE stock SET capacity = capacity + 1, free = free + 1`],
  ['STOCK_NOT_OF_MOVEMENTS', `DELETE FROM stock_changes`],
  [
    'ORDER_WITHOUT_MOVEMENT',
    `DELETE FROM movements WHERE order_id = (SELECT order_id FROM orders WHERE state = 'HELD')`,
  ],
  ['ORDER_NOT_OF_MOVEMENTS', `DELETE FROM movements WHERE reason = 'PAY'`],
  ['ORDER_NOT_OF_MOVEMENTS', `UPDATE orders SET state = 'CONFIRMED' WHERE state = 'CANCELLED'`],
  ['UNITS_NOT_OF_LINES', `UPDATE attendee_units SET units = units + 1`],
  ['UNITS_NOT_OF_LINES', `DELETE FROM attendee_units`],
  ['LIMIT_EXCEEDED', `UPDATE skus SET per_user_limit = 1`],
  ['HOLD_NOT_OF_ORDER', `UPDATE order_lines SET held_until = NULL`],
  ['HOLD_NOT_OF_ORDER', `UPDATE order_lines SET held_until = now() WHERE held_until IS NULL`],
  ['LINES_MISSING', `DELETE FROM order_lines`],
  ['ORDER_MISSING', `DELETE FROM orders`],
  ['SKU_MISSING', `DELETE FROM skus`],
  ['STOCK_MISSING', `DELETE FROM stock`],
  ['REQUEST_ID_TWICE', `UPDATE orders SET user_id = 'ann', request_id = 'r'`],
  ['AMOUNT_NOT_OF_LINES', `UPDATE orders SET amount_minor = 1 WHERE state = 'HELD'`],
  ['PAYMENT_MISSING', `DELETE FROM payments`],
  ['REFUND_MISSING', `DELETE FROM outbox WHERE kind = 'REFUND'`],
  ['REFUND_MISSING', `DELETE FROM refunds`],
  ['REFUND_TOO_MUCH', `UPDATE refunds SET amount_minor = 2000`],
  ['EVENT_MISSING', `DELETE FROM outbox WHERE order_version = 2`],
  ['PAYMENT_NOT_SETTLED', `UPDATE orders SET state = 'CANCELLED' WHERE state = 'CONFIRMED'`],
  [
    'PAYMENT_NOT_SETTLED',
    `INSERT INTO payments SELECT provider, '2', order_id, amount_minor, currency, state, at FROM payments WHERE state = 'CAPTURED'`,
  ],
];

for (const [violation, damage] of damages) {
  test(`A30: ${violation} is found after ${damage}`, async () => {
    await owner.query('BEGIN');
    await owner.query(`SET LOCAL search_path = ledger; ${damage}`);
    const { rows } = await owner.query('SELECT violation FROM ledger.audit(100)');
    await owner.query('ROLLBACK');
    const found = new Set(rows.map((row) => row.violation));
    assert.ok(found.has(violation), `found ${[...found].join(', ')}`);
  });
}

test('what is found names the order and the sku', async () => {
  await db.sql(
    `DELETE FROM ledger.movements WHERE order_id = (SELECT order_id FROM ledger.orders WHERE state = 'HELD')`,
  );
  const { violations } = await db.ledger.audit();
  const [row] = await db.sql<{ order_id: string; sku_id: string }>(
    `SELECT order_id, sku_id FROM ledger.orders JOIN ledger.order_lines USING (order_id) WHERE state = 'HELD'`,
  );
  const found = violations.find(({ violation }) => violation === 'ORDER_WITHOUT_MOVEMENT');
  assert.equal([found?.orderId, found?.skuId], [row?.order_id, row?.sku_id]);
});

test.run();
