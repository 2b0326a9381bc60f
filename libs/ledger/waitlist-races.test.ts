import { barrier } from '#libs/testing/barrier.js';
import { seeded } from '#libs/testing/seeded.js';
import { assert, suite } from '#libs/testing/suite.js';
import { claimOf, type TestLedger, testLedger } from './test-ledger.js';
import { joined, statesOf, waitingSku } from './test-waitlist.js';

const ROUNDS = 200;
const test = suite('waitlist races');
let db: TestLedger;

test.before(async () => {
  db = await testLedger({ max: 16 });
});
test.after.each(async () => assert.equal(await db.violations(), []));
test.after(() => db.drop());

/** Lets all begin at one moment, in an order that differs from round to round. */
async function race<Result>(round: number, acts: readonly (() => Promise<Result>)[]): Promise<Result[]> {
  const arrive = barrier(acts.length);
  const results: Result[] = [];
  const begin = async (place: number): Promise<void> => {
    await arrive();
    results[place] = await (acts[place] as () => Promise<Result>)();
  };
  await Promise.all(acts.map((_, n) => begin((n + round) % acts.length)));
  return results;
}

test('L10: whoever comes while a unit is given back never overtakes who waits for it', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const { skuId, holders } = await waitingSku(db, { capacity: 1 });
    const waiter = await joined(db, `ann-${skuId}`, skuId);
    const kinds = await race(round, [
      async () => (await db.ledger.orderCancel(holders[0])).order.state,
      async () => (await db.admit(claimOf('walk-in', skuId, { onSoldOut: 'REFUSE' }))).kind,
      async () => (await db.admit(claimOf(`ben-${skuId}`, skuId))).kind,
      async () => (await db.admit(claimOf('walk-in-2', skuId, { onSoldOut: 'REFUSE' }))).kind,
    ]);
    assert.equal(kinds, ['CANCELLED', 'REFUSED', 'WAITLISTED', 'REFUSED']);
    assert.equal(await statesOf(db, [waiter]), ['OFFERED']);
  }
});

test('who leaves while a unit is given back is gone, and the next has it', async () => {
  const ends = new Set<string>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const { skuId, holders } = await waitingSku(db, { capacity: 1 });
    const [ann, ben] = [await joined(db, `ann-${skuId}`, skuId), await joined(db, `ben-${skuId}`, skuId)];
    await race<unknown>(round, [() => db.ledger.orderCancel(holders[0]), () => db.ledger.waitlistLeave(ann)]);
    const [left, next] = await statesOf(db, [ann, ben]);
    ends.add(String(left));
    assert.ok(left === 'LEFT' || left === 'DECLINED', left);
    assert.is(next, 'OFFERED');
  }
  assert.ok(ends.size > 0);
});

test('who joins while a unit is given back has it, as an order or as an offer', async () => {
  const ways = new Set<string>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const { skuId, holders } = await waitingSku(db, { capacity: 1 });
    const claim = claimOf(`ann-${skuId}`, skuId);
    await race<unknown>(round, [() => db.ledger.orderCancel(holders[0]), () => db.admit(claim)]);
    const decision = await db.admit(claim);
    assert.is(decision.kind, 'ORDER', JSON.stringify(decision));
    ways.add(decision.kind === 'ORDER' && decision.order.orderId === claim.orderId ? 'ORDER' : 'OFFER');
    assert.equal(await db.stock(skuId).then(({ free, reserved, held }) => [free, reserved, held]), [0, 0, 1]);
  }
  assert.ok(ways.size > 0);
});

test('who joins while the capacity grows has the unit, as an order or as an offer', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const { skuId } = await waitingSku(db, { capacity: 1 });
    const claim = claimOf(`ann-${skuId}`, skuId);
    const grow = { storeId: 'store-1', skuId, capacity: 2, force: false, operator: 'o', reason: 'r', requestId: skuId };
    await race<unknown>(round, [() => db.ledger.capacitySet(grow), () => db.admit(claim)]);
    assert.is((await db.admit(claim)).kind, 'ORDER');
    assert.equal(await db.stock(skuId).then(({ free, held }) => [free, held]), [0, 2]);
  }
});

test('J01: however many promote at once, one unit is offered once', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const { skuId, holders } = await waitingSku(db, { capacity: 1 });
    const waiters = [];
    for (const user of ['a', 'b', 'c']) waiters.push(await joined(db, `${user}-${skuId}`, skuId));
    const by = { storeId: 'store-1', skuId, operator: 'o', reason: 'r' };
    await db.ledger.waitlistSetPaused({ ...by, paused: true, requestId: `${skuId}-1` });
    await db.ledger.orderCancel(holders[0]);
    await race<unknown>(round, [
      () => db.ledger.waitlistPromote(1_000),
      () => db.ledger.waitlistSetPaused({ ...by, paused: false, requestId: `${skuId}-2` }),
      () => db.ledger.waitlistPromote(1_000),
    ]);
    assert.equal(await statesOf(db, waiters), ['OFFERED', 'WAITING', 'WAITING']);
    assert.equal(await db.stock(skuId).then(({ free, reserved, held }) => [free, reserved, held]), [0, 0, 1]);
  }
});

test('J03: a cancel whose transaction dies gives nothing back, to nobody; the next one gives it to who waits', async () => {
  const { skuId, holders } = await waitingSku(db, { capacity: 1 });
  const waiter = await joined(db, `ann-${skuId}`, skuId);
  const walkIn = async (n: number) => (await db.admit(claimOf(`walk-in-${n}`, skuId, { onSoldOut: 'REFUSE' }))).kind;
  const dying = db.sql(
    `BEGIN; SELECT ledger.orders_transition('CANCEL', ARRAY['${holders[0].orderId}'::uuid], NULL); ROLLBACK`,
  );
  const [kinds] = await Promise.all([Promise.all(Array.from({ length: 20 }, (_, n) => walkIn(n))), dying]);
  assert.equal(new Set(kinds), new Set(['REFUSED']));
  assert.equal(await statesOf(db, [waiter]), ['WAITING']);
  await Promise.all([db.ledger.orderCancel(holders[0]), ...Array.from({ length: 20 }, (_, n) => walkIn(20 + n))]);
  assert.equal(await statesOf(db, [waiter]), ['OFFERED']);
});

test('of ten thousand who wait, of whom some leave, everybody is told exactly how many are ahead', async () => {
  const random = seeded();
  const { skuId } = await waitingSku(db, { capacity: 1 });
  const entryIds: string[] = [];
  for (let from = 0; from < 10_000; from += 500) {
    const claims = Array.from({ length: 500 }, (_, n) => claimOf(`user-${from + n}`, skuId));
    const decisions = await db.ledger.claimsAdmit(claims);
    for (const decision of decisions) if (decision.kind === 'WAITLISTED') entryIds.push(decision.entry.entryId);
    if (from === 9_500) {
      assert.equal(
        decisions.map((decision) => decision.kind === 'WAITLISTED' && decision.entry.peopleAhead),
        claims.map((_, n) => from + n),
      );
    }
  }
  const leaving = new Set(Array.from({ length: 400 }, () => random.pick(entryIds)));
  await Promise.all([...leaving].map((entryId) => db.ledger.waitlistLeave({ entryId })));
  const wrong = await db.sql(
    `SELECT * FROM (
       SELECT place, people_ahead, rank() OVER (ORDER BY place) - 1 AS counted
       FROM ledger.waitlist_rows WHERE sku_id = $1 AND state = 'WAITING'
     ) AS r WHERE people_ahead <> counted LIMIT 5`,
    [skuId],
  );
  assert.equal(wrong, []);
  assert.is((await db.ledger.waitlistList({ storeId: 'store-1', skuId }, {})).waiting, 10_000 - leaving.size);
});

test.run();
