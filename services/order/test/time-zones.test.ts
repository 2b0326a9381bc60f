import { claimOf } from '#libs/ledger/test-ledger.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { Stage } from './test-stage.js';

const test = suite('processes in other time zones');
let stage: Stage;

test.before(async () => {
  stage = await Stage.open();
});
test.after(() => stage.close());

test('F10 a hold of 15 minutes expires at the same instant for processes in New York and Shanghai', async () => {
  const { skuId } = await stage.ledger.sku({ holdTtlSeconds: 900, capacity: 2 });
  const zones = ['America/New_York', 'Asia/Shanghai'];
  const processes = await Promise.all(zones.map((TZ) => stage.spawn({ TZ, INSTANCE: TZ.replace('/', '-') })));
  // Taken by whichever process gets it; read by both.
  const claims = [claimOf('ann', skuId), claimOf('bob', skuId)];
  for (const claim of claims) await stage.place(claim);
  await until(() => claims.every(({ orderId }) => stage.decisions.has(orderId)));
  for (const { orderId } of claims) {
    const [row] = await stage.ledger.sql<{ at: string }>(
      'SELECT extract(epoch FROM expires_at)::text AS at FROM ledger.orders WHERE order_id = $1',
      [orderId],
    );
    const decided = stage.decisions.get(orderId)?.[0]?.decided;
    const told = decided?.$case === 'order' ? decided.value : undefined;
    for (const { client } of processes) {
      const { order } = await client.getOrder({ orderId, userId: '' });
      assert.is(order?.expiresAt?.getTime(), (order?.createdAt?.getTime() ?? 0) + 900_000);
      assert.is(order?.expiresAt?.getTime(), Math.floor(Number(row?.at) * 1_000));
      assert.is(order?.expiresAt?.getTime(), told?.expiresAt?.getTime());
    }
  }
  for (const { client } of processes) client.close();
});

test('F10 every time column of the ledger has a zone', async () => {
  const naive = await stage.ledger.sql(
    `SELECT table_name, column_name FROM information_schema.columns
     WHERE table_schema = 'ledger' AND data_type IN ('timestamp without time zone', 'time without time zone', 'date')`,
  );
  assert.equal(naive, []);
});

test.run();
