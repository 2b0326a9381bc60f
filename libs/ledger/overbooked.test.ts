import { randomUUID } from 'node:crypto';
import { Fault } from '#libs/refusal/fault.js';
import { seeded } from '#libs/testing/seeded.js';
import { assert, suite } from '#libs/testing/suite.js';
import type { Sku, SkuStock } from './rows.js';
import { claimOf, lineOf, orderOf, refusalOf, type TestLedger, testLedger } from './test-ledger.js';

const test = suite('overbooked');
let db: TestLedger;

test.before(async () => {
  db = await testLedger();
});
test.after.each(async () => assert.equal(await db.violations(), []));
test.after(() => db.drop());

const resize = (sku: Sku, capacity: number, force = true): Promise<{ stock: SkuStock }> =>
  db.ledger.capacitySet({ ...sku, capacity, force, operator: 'olga', reason: 'why not', requestId: randomUUID() });

async function unitsOf({ skuId }: Sku): Promise<Partial<SkuStock>> {
  const { capacity, overbooked, free, held, sold } = await db.stock(skuId);
  return { capacity, overbooked, free, held, sold };
}

/** Holds of so many units each, in that order. */
function holds(sku: Sku, quantities: readonly number[]): Promise<string[]> {
  return Promise.all(
    quantities.map(async (quantity, n) => {
      const user = `${sku.skuId}-${n}-${randomUUID()}`.slice(0, 120);
      return (await db.order(claimOf(user, [lineOf(sku.skuId, user, quantity)]))).orderId;
    }),
  );
}

test('units that come back shrink what is overbooked, and only then are free', async () => {
  const sku = await db.sku({ perUserLimit: 5, paymentRequired: false });
  const [three, four] = await holds(sku, [3, 4]);
  await resize(sku, 5);
  assert.equal(await unitsOf(sku), { capacity: 5, overbooked: 2, free: 0, held: 0, sold: 7 });
  await db.ledger.orderCancel({ orderId: three ?? '' });
  assert.equal(await unitsOf(sku), { capacity: 5, overbooked: 0, free: 1, held: 0, sold: 4 });
  await db.ledger.orderCancel({ orderId: four ?? '' });
  assert.equal(await unitsOf(sku), { capacity: 5, overbooked: 0, free: 5, held: 0, sold: 0 });
  const changes = await db.sql<object>(
    `SELECT reason, delta_capacity, delta_overbooked, delta_free FROM ledger.stock_changes WHERE sku_id = $1
     ORDER BY stock_version`,
    [sku.skuId],
  );
  assert.equal(changes.slice(1), [
    { reason: 'CAPACITY', delta_capacity: -5, delta_overbooked: 2, delta_free: -3 },
    { reason: 'ABSORB', delta_capacity: 0, delta_overbooked: -2, delta_free: -2 },
  ]);
});

test('holds that expire together are absorbed as one', async () => {
  const sku = await db.sku({ perUserLimit: 5 });
  const orderIds = await holds(sku, [2, 2, 2]);
  await resize(sku, 1);
  for (const orderId of orderIds) await db.expire(orderId);
  assert.is((await db.ledger.ordersExpire(10)).expired, 3);
  assert.equal(await unitsOf(sku), { capacity: 1, overbooked: 0, free: 1, held: 0, sold: 0 });
});

test('more capacity makes it less overbooked before a unit is free, by either call and without force', async () => {
  const sku = await db.sku({ perUserLimit: 9 });
  await holds(sku, [8]);
  await resize(sku, 2);
  await resize(sku, 4, false);
  assert.equal(await unitsOf(sku), { capacity: 4, overbooked: 4, free: 0, held: 8, sold: 0 });
  const { overbooked: _, etag, ...read } = (await db.ledger.skuGet(sku.skuId)).sku;
  await db.ledger.skuPut({ ...read, capacity: 9 }, etag);
  assert.equal(await unitsOf(sku), { capacity: 9, overbooked: 0, free: 1, held: 8, sold: 0 });
});

test('while no hold can leave a unit free the sku is sold out, else the hold that can is named', async () => {
  const sku = await db.sku({ perUserLimit: 9, capacity: 3 });
  const [first, second] = await holds(sku, [2, 1]);
  await db.expire(first ?? '', -100);
  await db.expire(second ?? '', -200);
  const refused = async () => {
    const [byAdmission] = [refusalOf(await db.admit(claimOf(randomUUID(), sku.skuId)))];
    const asked = claimOf(randomUUID(), sku.skuId);
    const no = (await db.ledger.parkedRead([asked])).words[0]?.no;
    assert.equal(no && refusalOf(no), byAdmission);
    return byAdmission;
  };
  const releases = async (orderId: string | undefined): Promise<Date | undefined> =>
    (await db.ledger.orderGet(orderId ?? '')).expiresAt;
  assert.equal((await refused()).nextReleaseAt, await releases(first));
  await resize(sku, 1);
  const overbookedByTwo = await refused();
  assert.is(overbookedByTwo.reason, 'ALL_HELD');
  assert.equal(overbookedByTwo.nextReleaseAt, await releases(second));
  await resize(sku, 0);
  assert.equal(await refused(), { reason: 'SOLD_OUT', skuId: sku.skuId });
});

test('the latest orders that make it overbooked are listed, over pages, as many as it takes', async () => {
  const sku = await db.sku({ perUserLimit: 9, capacity: 12 });
  const ids: string[] = [];
  for (const quantity of [3, 1, 2, 2, 1]) ids.push(...(await holds(sku, [quantity])));
  const listed = async (pageSize = 50): Promise<string[]> => {
    const found: string[] = [];
    for (let pageToken = ''; ; ) {
      const page = await db.ledger.ordersOverbooked(sku.skuId, { pageSize, pageToken });
      found.push(...page.orders.map(({ orderId }) => orderId));
      pageToken = page.nextPageToken;
      if (pageToken === '') return found;
    }
  };
  assert.equal(await listed(), []);
  await resize(sku, 5);
  const newest = ids.toReversed();
  assert.equal(await listed(), newest.slice(0, 3));
  assert.equal(await listed(1), newest.slice(0, 3));
  await db.ledger.orderCancel({ orderId: newest[0] ?? '' });
  await db.ledger.orderCancel({ orderId: newest[4] ?? '' });
  assert.equal(await listed(2), []);
});

test('A02: a hold that is beyond a lowered capacity is paid in full, and nothing is free until it is made up for', async () => {
  const sku = await db.sku({ perUserLimit: 2, capacity: 2 });
  const order = await db.order(claimOf('ann', [lineOf(sku.skuId, 'ann', 2)]));
  const refused = await resize(sku, 1, false).catch((error: unknown) => error);
  assert.ok(refused instanceof Fault && refused.reason === 'CAPACITY_BELOW_TAKEN');
  await resize(sku, 1);
  const { orderId, amountMinor, currency } = order;
  const paid = { orderId, provider: 'bank', providerPaymentId: orderId, amountMinor, currency };
  const { order: confirmed } = await db.ledger.paymentConfirm(paid);
  assert.equal([confirmed?.state, confirmed?.lines[0]?.quantity], ['CONFIRMED', 2]);
  assert.equal(await unitsOf(sku), { capacity: 1, overbooked: 1, free: 0, held: 0, sold: 2 });
  await db.ledger.orderCancel({ orderId });
  assert.equal(await unitsOf(sku), { capacity: 1, overbooked: 0, free: 1, held: 0, sold: 0 });
});

test('whatever operators, buyers and the clock do, units are conserved and no free one is overbooked', async () => {
  const random = seeded();
  for (let round = 0; round < 8; round++) {
    const sku = await db.sku({ capacity: random.integer(0, 12), perUserLimit: 4, paymentRequired: random.chance(0.7) });
    const orderIds: string[] = [];
    for (let step = 0; step < 40; step++) {
      await random.pick<() => Promise<unknown>>([
        () => admitOne(sku, random.integer(1, 4), orderIds),
        () => admitOne(sku, random.integer(1, 4), orderIds),
        () => resize(sku, random.integer(0, 14), random.chance(0.6)).catch(refusal),
        () => cancel(orderIds.splice(random.integer(0, orderIds.length), 1)[0]),
        () => expire(orderIds[random.integer(0, orderIds.length)]),
      ])();
      const { capacity, overbooked, free, held, sold } = await db.stock(sku.skuId);
      assert.is(capacity + overbooked, free + held + sold);
      assert.ok(overbooked === 0 || free === 0, `${free} free while overbooked by ${overbooked}`);
    }
  }
});

async function admitOne(sku: Sku, quantity: number, orderIds: string[]): Promise<void> {
  const user = randomUUID();
  const before = await db.stock(sku.skuId);
  const decision = await db.admit(claimOf(user, [lineOf(sku.skuId, user, quantity)]));
  assert.is(decision.kind === 'ORDER', quantity <= before.free, 'only free units are given away');
  if (decision.kind === 'ORDER') orderIds.push(orderOf(decision).orderId);
}

async function cancel(orderId: string | undefined): Promise<void> {
  if (orderId !== undefined) await db.ledger.orderCancel({ orderId });
}

async function expire(orderId: string | undefined): Promise<void> {
  if (orderId === undefined || (await db.ledger.orderGet(orderId)).state !== 'HELD') return;
  await db.expire(orderId);
  await db.ledger.ordersExpire(10);
}

function refusal(thrown: unknown): void {
  if (!(thrown instanceof Fault && thrown.reason === 'CAPACITY_BELOW_TAKEN')) throw thrown;
}

test.run();
