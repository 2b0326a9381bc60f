import { randomUUID } from 'node:crypto';
import { assert, suite } from '#libs/testing/suite.js';
import type { LedgerOrder, Sku } from './rows.js';
import { lineOf, only, type TestLedger, testLedger } from './test-ledger.js';
import { paymentOf } from './test-payments.js';
import { heldOf, race, rounds, settled } from './test-races.js';

const test = suite('races of moves, releases and capacity');
let db: TestLedger;

test.before(async () => {
  db = await testLedger({ max: 8 });
});
test.after.each(async () => assert.equal(await db.violations(), []));
test.after(() => db.drop());

/** Enough units for all rounds of a race. */
const sku = (parts: Parameters<TestLedger['sku']>[0] = {}): Promise<Sku> =>
  db.sku({ capacity: 2 * rounds, perUserLimit: 2, ...parts });

test('a release and a change of capacity meet: no unit is lost, none is made', async () => {
  const { skuId, storeId } = await sku({ capacity: 4 });
  const by = { storeId, skuId, operator: 'olga', reason: 'a wider room', force: true };
  for (let round = 0; round < rounds; round++) {
    const order = await heldOf(db, skuId);
    const capacity = round % 2 === 0 ? 1 : 4;
    await race([
      () => db.ledger.orderCancel({ orderId: order.orderId }),
      () => db.ledger.capacitySet({ ...by, capacity, requestId: randomUUID() }),
      () => db.ledger.orderCancelPart({ orderId: order.orderId, lines: [lineOf(skuId, order.userId)], requestId: 'r' }),
    ]);
    const stock = await db.stock(skuId);
    assert.equal([stock.capacity, stock.free, stock.overbooked, stock.held], [capacity, capacity, 0, 0]);
    await db.ledger.capacitySet({ ...by, capacity: 4, requestId: randomUUID() });
  }
});

test('a move and a cancel meet, and two moves across: no deadlock, and the units are where the order is', async () => {
  const [one, two] = [await sku(), await sku()];
  const ends = new Set<string>();
  for (let round = 0; round < rounds; round++) {
    const [first, second] = [await heldOf(db, one.skuId), await heldOf(db, two.skuId)];
    const move =
      ({ orderId }: LedgerOrder, toSkuId: string) =>
      () =>
        db.ledger.orderMove({ orderId, toSkuId, requestId: 'r' });
    await race([
      move(first, two.skuId),
      move(second, one.skuId),
      () => db.ledger.orderCancel({ orderId: first.orderId }),
      () => db.ledger.orderCancel({ orderId: second.orderId }),
      () => db.ledger.paymentConfirm(paymentOf(first)),
    ]);
    for (const order of [first, second]) {
      const { state, lines } = await settled(db, order);
      ends.add(only(lines).skuId === only(order.lines).skuId ? 'stayed' : 'moved');
      if (state !== 'CANCELLED') await db.ledger.orderCancel({ orderId: order.orderId });
    }
    for (const { skuId } of [one, two]) assert.is((await db.stock(skuId)).free, 2 * rounds);
  }
  assert.equal(
    [...ends.keys()].sort().filter((end) => ['moved', 'stayed'].includes(end)),
    ['moved', 'stayed'],
  );
});

test.run();
