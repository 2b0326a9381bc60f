import { randomUUID } from 'node:crypto';
import type { OrderLine } from '#libs/contracts/order-lines.js';
import { Fault } from '#libs/refusal/fault.js';
import { barrier } from '#libs/testing/barrier.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import type { ClaimToAdmit } from './claims-batch.js';
import type { Decision } from './decision.js';
import type { OrderLimitsChange } from './order-limits.js';
import type { LedgerOrder } from './rows.js';
import type { SkuToPut } from './sku-violations.js';
import { claimOf, lineOf, orderOf, refusalOf, type TestLedger, testLedger } from './test-ledger.js';

const ROUNDS = 200;
const test = suite('limits beyond one sku');
let db: TestLedger;

test.before(async () => {
  db = await testLedger({ max: 12 });
});
test.after.each(async () => assert.equal(await db.violations(), []));
test.after(() => db.drop());

interface Store {
  storeId: string;
  set(change: OrderLimitsChange): Promise<boolean>;
  sku(parts?: Partial<SkuToPut>): Promise<string>;
  claim(userId: string, wanted: string | readonly OrderLine[]): ClaimToAdmit;
}

/** A store of its own, with such limits. */
async function storeWith(limits?: OrderLimitsChange): Promise<Store> {
  const storeId = `store-${randomUUID()}`;
  const store: Store = {
    storeId,
    set: async (change) =>
      (await db.ledger.limitsSet({ storeId, skuId: '', clearRateLimit: false, ...change })).changed,
    sku: async (parts) => (await db.sku({ storeId, perUserLimit: 100, ...parts })).skuId,
    claim: (userId, wanted) => claimOf(userId, wanted, { storeId }),
  };
  if (limits) await store.set(limits);
  return store;
}

/** All at one moment. */
async function together(claims: readonly ClaimToAdmit[]): Promise<Decision[]> {
  const arrive = barrier(claims.length);
  return Promise.all(
    claims.map(async (claim) => {
      await arrive();
      return db.admit(claim);
    }),
  );
}

const ordersOf = (decisions: readonly Decision[]): LedgerOrder[] =>
  decisions.flatMap((decision) => (decision.kind === 'ORDER' ? [decision.order] : []));

function pay({ orderId, amountMinor, currency }: LedgerOrder) {
  return db.ledger.paymentConfirm({ orderId, provider: 'bank', providerPaymentId: orderId, amountMinor, currency });
}

const fulfil = (orderId: string) =>
  db.sql(`SELECT ledger.orders_transition('FULFIL', ARRAY[$1::uuid], NULL)`, [orderId]);

test('a store gives an attendee so many units over all its skus, and names the own order; what is used counts', async () => {
  const store = await storeWith({ perAttendeeLimit: 2 });
  const [red, blue] = [await store.sku(), await store.sku({ paymentRequired: false })];
  const first = orderOf(await db.admit(store.claim('ann', red)));
  const second = orderOf(await db.admit(store.claim('ann', blue)));
  await fulfil(second.orderId);
  const no = { reason: 'LIMIT_REACHED', limit: 2, scope: 'STORE' } as const;
  const refused = refusalOf(await db.admit(store.claim('ann', red)));
  assert.equal(refused, { ...no, skuId: red, ownOrderId: second.orderId });
  // Another user for the same attendee is told no, and nothing of the orders of others.
  const other = await db.admit(store.claim('ben', [lineOf(red, 'ann')]));
  assert.equal(refusalOf(other), { ...no, skuId: red });
  orderOf(await db.admit(store.claim('ben', red)));
  await db.ledger.orderCancel({ orderId: first.orderId });
  orderOf(await db.admit(store.claim('ann', red)));
});

test('lines of one order for one attendee are counted together, and another store is not', async () => {
  const [store, elsewhere] = [await storeWith({ perAttendeeLimit: 2 }), await storeWith()];
  const [red, blue, far] = [await store.sku(), await store.sku(), await elsewhere.sku()];
  orderOf(await db.admit(elsewhere.claim('ann', [lineOf(far, 'ann', 5)])));
  const three = await db.admit(store.claim('ann', [lineOf(red, 'ann', 2), lineOf(blue, 'ann')]));
  assert.equal([refusalOf(three).scope, refusalOf(three).ownOrderId], ['STORE', undefined]);
  orderOf(await db.admit(store.claim('ann', [lineOf(red, 'ann'), lineOf(blue, 'ann'), lineOf(blue, 'kid', 2)])));
});

test('a group gives an attendee so many units of its skus, whoever buys; skus beside it are free', async () => {
  const store = await storeWith({ groupId: 'trial', perAttendeeLimit: 1 });
  const [monday, friday] = [await store.sku({ limitGroup: 'trial' }), await store.sku({ limitGroup: 'trial' })];
  const beside = await store.sku({ limitGroup: 'none' });
  const trial = orderOf(await db.admit(store.claim('mum', [lineOf(monday, 'kid')])));
  const again = refusalOf(await db.admit(store.claim('mum', [lineOf(friday, 'kid')])));
  const no = { reason: 'LIMIT_REACHED', skuId: friday, limit: 1, scope: 'GROUP' } as const;
  assert.equal(again, { ...no, ownOrderId: trial.orderId });
  assert.equal(refusalOf(await db.admit(store.claim('dad', [lineOf(friday, 'kid')]))), no);
  orderOf(await db.admit(store.claim('mum', [lineOf(friday, 'sister'), lineOf(beside, 'kid', 3)])));
  // A limit that is taken away holds nobody.
  assert.is(await store.set({ groupId: 'trial', perAttendeeLimit: 0 }), true);
  orderOf(await db.admit(store.claim('dad', [lineOf(friday, 'kid')])));
});

test('orders to be paid are limited while they are; what is paid or lapsed makes room', async () => {
  const store = await storeWith({ openOrdersPerUser: 1 });
  const [red, blue] = [await store.sku(), await store.sku()];
  const held = orderOf(await db.admit(store.claim('ann', red)));
  const refused = refusalOf(await db.admit(store.claim('ann', blue)));
  const no = { reason: 'LIMIT_REACHED', skuId: blue, limit: 1, scope: 'OPEN_ORDERS' } as const;
  assert.equal(refused, { ...no, ownOrderId: held.orderId });
  await pay(held);
  const lapses = orderOf(await db.admit(store.claim('ann', blue)));
  assert.is(refusalOf(await db.admit(store.claim('ann', red))).ownOrderId, lapses.orderId);
  await db.expire(lapses.orderId);
  orderOf(await db.admit(store.claim('ann', red)));
});

test('orders to be used are limited until they are used, and free ones count, too', async () => {
  const store = await storeWith({ unfulfilledPerUser: 1 });
  const [red, blue] = [await store.sku({ paymentRequired: false }), await store.sku()];
  const confirmed = orderOf(await db.admit(store.claim('ann', red)));
  const refused = refusalOf(await db.admit(store.claim('ann', blue)));
  assert.equal([refused.scope, refused.ownOrderId], ['UNFULFILLED', confirmed.orderId]);
  await fulfil(confirmed.orderId);
  orderOf(await db.admit(store.claim('ann', blue)));
});

test('A18: book, cancel, book, cancel, book by one person is one unit, and each further key hears the own order', async () => {
  const store = await storeWith({ perAttendeeLimit: 1, unfulfilledPerUser: 1 });
  const sku = await store.sku({ perUserLimit: 1, capacity: 2 });
  for (const cancels of [true, true, false]) {
    const claim = store.claim('ann', sku);
    const { orderId } = orderOf(await db.admit(claim));
    assert.is(refusalOf(await db.admit(store.claim('ann', sku))).ownOrderId, orderId);
    if (cancels) await db.ledger.orderCancel({ orderId });
    // The key that was used stays with its order, however that ended.
    assert.is(orderOf(await db.admit(claim)).orderId, orderId);
  }
  assert.equal([(await db.stock(sku)).held, (await db.stock(sku)).free], [1, 1]);
});

test('one batch with many claims of one person keeps the limits, in the order of arrival', async () => {
  const store = await storeWith({ perAttendeeLimit: 3, unfulfilledPerUser: 2 });
  const skus = await Promise.all(Array.from({ length: 4 }, () => store.sku()));
  const claims = skus.flatMap((sku) => [store.claim('ann', sku), store.claim('ben', [lineOf(sku, 'ben', 2)])]);
  const decisions = await db.ledger.claimsAdmit(claims);
  assert.equal(
    decisions.map((decision) => (decision.kind === 'REFUSED' ? decision.refusal.scope : decision.kind)),
    ['ORDER', 'ORDER', 'ORDER', 'STORE', 'UNFULFILLED', 'STORE', 'UNFULFILLED', 'STORE'],
  );
  const [anns, , second] = claims;
  const named = decisions.flatMap((decision) => (decision.kind === 'REFUSED' ? [decision.refusal.ownOrderId] : []));
  assert.equal(
    named,
    [claims[1], second, claims[1], second, claims[1]].map((claim) => claim?.orderId),
  );
  assert.not.equal(anns?.orderId, second?.orderId);
});

test('a limit that is set in the middle of a sale counts what people have, and those who are let in meanwhile', async () => {
  for (let round = 0; round < 20; round++) {
    const store = await storeWith();
    const [red, blue] = [await store.sku(), await store.sku()];
    orderOf(await db.admit(store.claim('ann', red)));
    const claims = ['ben', 'cleo', 'dora', 'emil'].map((user) => store.claim(user, red));
    await Promise.all([store.set({ perAttendeeLimit: 1 }), ...claims.map((claim) => db.admit(claim))]);
    for (const user of ['ann', 'ben', 'cleo', 'dora', 'emil']) {
      assert.is(refusalOf(await db.admit(store.claim(user, blue))).scope, 'STORE', `${user}, round ${round}`);
    }
  }
});

test('one person at three slots of a one-at-a-time store from three devices gets one', async () => {
  const store = await storeWith({ unfulfilledPerUser: 1 });
  const slots = await Promise.all(Array.from({ length: 3 }, () => store.sku({ capacity: 1_000 })));
  for (let round = 0; round < ROUNDS; round++) {
    const [order, ...more] = ordersOf(await together(slots.map((slot) => store.claim('ann', slot))));
    assert.equal([order === undefined, more.length], [false, 0], `round ${round}`);
    await db.ledger.orderCancel({ orderId: order?.orderId ?? '' });
  }
});

test('A27: two classes, each within its own limit, are together within the limit of their group', async () => {
  const store = await storeWith({ groupId: 'event', perAttendeeLimit: 2 });
  const classes = await Promise.all(
    ['adult', 'child'].map(() => store.sku({ capacity: 1_000, perUserLimit: 2, limitGroup: 'event' })),
  );
  for (let round = 0; round < ROUNDS; round++) {
    const claims = classes.map((each) => store.claim('ann', [lineOf(each, 'ann', 2)]));
    const [order, ...more] = ordersOf(await together(claims));
    assert.equal([order === undefined, more.length], [false, 0], `round ${round}`);
    await db.ledger.orderCancel({ orderId: order?.orderId ?? '' });
  }
});

test('baskets that cross over skus, attendees and users never wait for each other in a circle', async () => {
  const store = await storeWith({ perAttendeeLimit: 1_000, openOrdersPerUser: 1_000, unfulfilledPerUser: 1_000 });
  await store.set({ groupId: 'all', perAttendeeLimit: 1_000 });
  const terms = { capacity: 10_000, perUserLimit: 1_000, limitGroup: 'all' };
  const skus = await Promise.all(Array.from({ length: 6 }, () => store.sku(terms)));
  const deadlocks = async (): Promise<number> =>
    (
      await db.sql<{ deadlocks: number }>(
        'SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()',
      )
    )[0]?.deadlocks ?? 0;
  const before = await deadlocks();
  const people = ['ann', 'ben', 'cleo'];
  for (let round = 0; round < ROUNDS; round++) {
    // Each of six baskets has two skus of its own and the three people in another order; some people are new.
    const claims = [0, 1, 2, 3, 4, 5].map((n) => {
      const who = (turn: number): string => `${people[(n + turn) % 3]}-${round % 7}`;
      const lines = [lineOf(skus[n] ?? '', who(0)), lineOf(skus[(n + 1) % 6] ?? '', who(1))];
      return store.claim(who(2), lines);
    });
    const [first] = claims;
    const ended = ordersOf(await together(claims));
    assert.is(ended.length, claims.length);
    await Promise.all([
      ...ended.slice(0, 3).map(({ orderId }) => db.ledger.orderCancel({ orderId })),
      first && db.admit({ ...first }),
    ]);
  }
  assert.is(await deadlocks(), before);
});

test('everything that is wrong with such limits is said at once', async () => {
  const wrong = { perAttendeeLimit: -1, openOrdersPerUser: 1.5, unfulfilledPerUser: 2_000_000 };
  const { storeId, set } = await storeWith();
  const fieldsOf = async (change: OrderLimitsChange, skuId = ''): Promise<string[]> => {
    const asked = db.ledger.limitsSet({ storeId, skuId, clearRateLimit: false, ...change });
    return (await rejectionOf(asked, Fault)).violations.map(({ field }) => field);
  };
  assert.equal(await fieldsOf(wrong), ['per_attendee_limit', 'open_orders_per_user', 'unfulfilled_per_user']);
  assert.equal(await fieldsOf({ groupId: 'a b', openOrdersPerUser: 1 }), [
    'open_orders_per_user',
    'group_id',
    'per_attendee_limit',
  ]);
  assert.equal(await fieldsOf({ perAttendeeLimit: 1 }, 'sku'), ['per_attendee_limit']);
  assert.is(await set({ perAttendeeLimit: 2, unfulfilledPerUser: 3 }), true);
  assert.is(await set({ perAttendeeLimit: 2 }), false);
  assert.is(await set({ groupId: 'b', perAttendeeLimit: 1 }), true);
  assert.is(await set({ groupId: 'a', perAttendeeLimit: 4 }), true);
  const { store } = await db.ledger.limitsList(storeId, {});
  assert.equal(store, {
    storeId,
    requireIssuedRequestId: false,
    perAttendeeLimit: 2,
    unfulfilledPerUser: 3,
    groups: [
      { groupId: 'a', perAttendeeLimit: 4 },
      { groupId: 'b', perAttendeeLimit: 1 },
    ],
  });
});

test.run();
