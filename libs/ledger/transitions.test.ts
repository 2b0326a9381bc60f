import { assert, suite } from '#libs/testing/suite.js';
import type { OrderState } from './rows.js';
import { claimOf, only, type TestLedger, testLedger } from './test-ledger.js';

const test = suite('transitions');
let db: TestLedger;

test.before(async () => {
  db = await testLedger();
});
// The events come as they are here, without the money that goes with them.
test.after.each(async () => {
  const violations = await db.violations();
  assert.equal(
    violations.filter((violation) => !violation.startsWith('PAYMENT_MISSING')),
    [],
  );
});
test.after(() => db.drop());

type Event = 'PAY' | 'PAY_IN_TIME' | 'ACCEPT' | 'RETAKE' | 'CANCEL' | 'EXPIRE' | 'FULFIL';
/** Where an order can be when something happens; LAPSED: HELD past its expiry. */
type From = OrderState | 'LAPSED';

const table: Record<From, Record<Event, [effect: string, to: OrderState]>> = {
  HELD: {
    PAY: ['SELL', 'CONFIRMED'],
    PAY_IN_TIME: ['SELL', 'CONFIRMED'],
    ACCEPT: ['SELL', 'CONFIRMED'],
    RETAKE: ['REFUSE', 'HELD'],
    CANCEL: ['RELEASE', 'CANCELLED'],
    EXPIRE: ['NONE', 'HELD'],
    FULFIL: ['REFUSE', 'HELD'],
  },
  LAPSED: {
    PAY: ['REFUND', 'HELD'],
    PAY_IN_TIME: ['SELL', 'CONFIRMED'],
    ACCEPT: ['REFUSE', 'HELD'],
    RETAKE: ['REFUSE', 'HELD'],
    CANCEL: ['RELEASE', 'CANCELLED'],
    EXPIRE: ['RELEASE', 'EXPIRED'],
    FULFIL: ['REFUSE', 'HELD'],
  },
  CONFIRMED: {
    PAY: ['REFUND', 'CONFIRMED'],
    PAY_IN_TIME: ['REFUND', 'CONFIRMED'],
    ACCEPT: ['NONE', 'CONFIRMED'],
    RETAKE: ['REFUSE', 'CONFIRMED'],
    CANCEL: ['RELEASE', 'CANCELLED'],
    EXPIRE: ['NONE', 'CONFIRMED'],
    FULFIL: ['KEEP', 'FULFILLED'],
  },
  FULFILLED: {
    PAY: ['REFUND', 'FULFILLED'],
    PAY_IN_TIME: ['REFUND', 'FULFILLED'],
    ACCEPT: ['NONE', 'FULFILLED'],
    RETAKE: ['REFUSE', 'FULFILLED'],
    CANCEL: ['REFUSE', 'FULFILLED'],
    EXPIRE: ['NONE', 'FULFILLED'],
    FULFIL: ['NONE', 'FULFILLED'],
  },
  CANCELLED: {
    PAY: ['REFUND', 'CANCELLED'],
    PAY_IN_TIME: ['REFUND', 'CANCELLED'],
    ACCEPT: ['REFUSE', 'CANCELLED'],
    RETAKE: ['RETAKE', 'CONFIRMED'],
    CANCEL: ['NONE', 'CANCELLED'],
    EXPIRE: ['NONE', 'CANCELLED'],
    FULFIL: ['REFUSE', 'CANCELLED'],
  },
  EXPIRED: {
    PAY: ['REFUND', 'EXPIRED'],
    PAY_IN_TIME: ['REFUND', 'EXPIRED'],
    ACCEPT: ['REFUSE', 'EXPIRED'],
    RETAKE: ['RETAKE', 'CONFIRMED'],
    CANCEL: ['NONE', 'EXPIRED'],
    EXPIRE: ['NONE', 'EXPIRED'],
    FULFIL: ['REFUSE', 'EXPIRED'],
  },
  REFUSED: {
    PAY: ['REFUND', 'REFUSED'],
    PAY_IN_TIME: ['REFUND', 'REFUSED'],
    ACCEPT: ['REFUSE', 'REFUSED'],
    RETAKE: ['REFUSE', 'REFUSED'],
    CANCEL: ['NONE', 'REFUSED'],
    EXPIRE: ['NONE', 'REFUSED'],
    FULFIL: ['REFUSE', 'REFUSED'],
  },
};

async function apply(event: Event, orderId: string): Promise<{ effect: string; changed: boolean }> {
  return only(
    await db.sql<{ effect: string; changed: boolean }>(
      'SELECT effect, changed FROM ledger.orders_transition($1, ARRAY[$2::uuid], NULL)',
      [event, orderId],
    ),
  );
}

/** A new order in a state, by the ways there are; what is confirmed is paid. */
async function orderIn(from: From): Promise<{ orderId: string; skuId: string }> {
  const { skuId } = await db.sku({ capacity: from === 'REFUSED' ? 0 : 1 });
  const claim = claimOf('ann', skuId);
  const { orderId } = claim;
  await db.admit(claim);
  if (from === 'LAPSED' || from === 'EXPIRED') await db.expire(orderId);
  if (from === 'EXPIRED') await db.ledger.ordersExpire(100);
  if (from === 'CANCELLED') await db.ledger.orderCancel({ orderId });
  if (from === 'CONFIRMED' || from === 'FULFILLED') {
    const money = { amountMinor: 1_500, currency: 'EUR' };
    await db.ledger.paymentConfirm({ orderId, provider: 'bank', providerPaymentId: orderId, ...money });
  }
  if (from === 'FULFILLED') await db.ledger.orderFulfil({ orderId }, 'door');
  return { orderId, skuId };
}

const unitsOf: Record<OrderState, 'held' | 'sold' | 'free' | undefined> = {
  HELD: 'held',
  CONFIRMED: 'sold',
  FULFILLED: 'sold',
  CANCELLED: 'free',
  EXPIRED: 'free',
  REFUSED: undefined,
};

/** Where the unit is and who has it, how many changes were told, and how many refunds were asked for. */
async function traces(orderId: string, skuId: string): Promise<object> {
  const { free, held, sold } = await db.stock(skuId);
  const [row] = await db.sql(
    `SELECT (SELECT coalesce(sum(units), 0)::int FROM ledger.attendee_units WHERE sku_id = $2) AS taken,
       (SELECT count(*)::int FROM ledger.outbox WHERE order_id = $1 AND kind = 'ORDER') AS told,
       (SELECT count(*)::int FROM ledger.outbox WHERE order_id = $1 AND kind = 'REFUND') AS refunds,
       (SELECT sum(delta_free)::int FROM ledger.movements WHERE order_id = $1) AS moved_free`,
    [orderId, skuId],
  );
  return { free, held, sold, ...row };
}

for (const [from, events] of Object.entries(table)) {
  for (const [event, [effect, to]] of Object.entries(events)) {
    test(`A15: ${event} in ${from}, three times: ${effect} once, then units, money and events are those of ${to}`, async () => {
      const { orderId, skuId } = await orderIn(from as From);
      const before = await db.ledger.orderGet(orderId);
      const version = before.version + (to === before.state ? 0 : 1);
      const units = unitsOf[to];
      const isTaken = units === 'held' || units === 'sold';
      const expected = {
        ...{ free: 0, held: 0, sold: 0, ...(units && { [units]: 1 }), taken: isTaken ? 1 : 0 },
        told: to === 'REFUSED' ? 0 : version,
        refunds: effect === 'RELEASE' && from === 'CONFIRMED' ? 1 : 0,
        moved_free: to === 'REFUSED' ? null : isTaken ? -1 : 0,
      };
      let after = before;
      for (const time of [1, 2, 3]) {
        const applied = await apply(event as Event, orderId);
        if (time === 1) assert.equal(applied, { effect, changed: to !== before.state });
        else assert.is(applied.changed, false);
        const now = await db.ledger.orderGet(orderId);
        assert.equal([now.state, now.version], [to, version]);
        if (time > 1) assert.equal(now, after);
        assert.equal(await traces(orderId, skuId), expected);
        after = now;
      }
    });
  }
}

test('the table of the ledger is the one above, and nothing else', async () => {
  const rows = await db.sql<{ from_state: From; event: Event; to_state: OrderState | null; effect: string }>(
    'SELECT * FROM ledger.transitions',
  );
  assert.is(rows.length, 7 * 7);
  for (const row of rows) {
    const [effect, to] = table[row.from_state][row.event];
    const stays = row.from_state === 'LAPSED' ? 'HELD' : row.from_state;
    assert.equal([row.effect, row.to_state ?? stays], [effect, to]);
  }
});

test('an event that the table does not know changes nothing', async () => {
  const { orderId } = await orderIn('HELD');
  assert.equal(
    await db.sql('SELECT * FROM ledger.orders_transition($1, ARRAY[$2::uuid], NULL)', ['EXPLODE', orderId]),
    [],
  );
});

test('orders in different states change together, each by its own row of the table', async () => {
  const orders = await Promise.all((['HELD', 'CONFIRMED', 'EXPIRED'] as const).map((from) => orderIn(from)));
  const rows = await db.sql<{ order_id: string; changed: boolean }>(
    'SELECT * FROM ledger.orders_transition($1, $2::uuid[], NULL)',
    ['CANCEL', orders.map((order) => order.orderId)],
  );
  const changed = new Map(rows.map((row) => [row.order_id, row.changed]));
  assert.equal(
    orders.map((order) => changed.get(order.orderId)),
    [true, true, false],
  );
  for (const { skuId } of orders) assert.is((await db.stock(skuId)).free, 1);
});

test.run();
