import { assert, suite } from '#libs/testing/suite.js';
import { Stage } from './test-stage.js';

const test = suite('very many holds');
const count = 100_000;
let stage: Stage;

test.before(async () => {
  stage = await Stage.open();
});
// The holds are written past the ledger, which would not call them its own.
test.after(() => stage.close({ audit: false }));

test('H08 100,000 holds of one sku are listed in pages, each order once', async () => {
  const { skuId } = await stage.ledger.sku({ capacity: count });
  await stage.ledger.sql(
    `INSERT INTO ledger.orders (order_id, store_id, user_id, request_id, lines_hash, state, version, amount_minor,
       currency, created_at, expires_at, updated_at)
     SELECT md5(n::text)::uuid, 'store-1', 'user-' || n, 'r', '\\x00', 'HELD', 1, 0, 'EUR', at, at + interval '1 hour', at
     FROM generate_series(1, $1::int) AS n, ledger.clock() AS at`,
    [count],
  );
  await stage.ledger.sql(
    `INSERT INTO ledger.order_lines (order_id, sku_id, attendee_id, quantity, unit_price_minor, held_until, created_at)
     SELECT order_id, $1, user_id, 1, 0, expires_at, created_at FROM ledger.orders`,
    [skuId],
  );
  await stage.ledger.sql('ANALYZE ledger.orders');
  const { client, stop } = await stage.start({ natsUrl: undefined });
  const seen = new Set<string>();
  let pageToken = '';
  let orders = 0;
  do {
    const page = await client.listOrders({ userId: '', skuId, pageSize: 500, pageToken });
    for (const order of page.orders) seen.add(order.orderId);
    orders += page.orders.length;
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
  assert.is(orders, count);
  assert.is(seen.size, count);
  await stop();
});

test.run();
