import { claimsSubject } from '#libs/contracts/subjects.js';
import type { Ledger } from '#libs/ledger/ledger.js';
import { gate as door } from '#libs/testing/gate.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { RedisGate } from '../src/adapters/redis-gate.js';
import type { PlaceHolds, Tried } from '../src/app/place-holds.js';
import type { Claim } from '../src/app/placement.js';
import { SyncGates } from '../src/app/sync-gates.js';
import { claimOf, FIRST, place, SHARD, TestPlacing, told } from './test-placing.js';

const test = suite('a no without a row');
const placing = new TestPlacing(test);

test.before.each(async () => {
  await placing.database.sql('UPDATE ledger.unmarked SET until = NULL');
});

/** How one try is told no, and whether that left a row. */
async function refused(placeHolds: PlaceHolds, claim: Claim, tried: Tried = FIRST): Promise<[string, boolean]> {
  const word = told(await place(placeHolds, claim, tried));
  return [word, await placing.hasRow(claim)];
}

/** A ledger whose calls the test changes. */
function ledgerWith(calls: Partial<Ledger>): Ledger {
  return { ...placing.database.ledger, ...calls };
}

test('whoever is surely the first is told no at once, whatever no it is, and no row is left', async () => {
  const { database } = placing;
  const placeHolds = await placing.open();
  const { skuId: held } = await database.sku({ capacity: 1 });
  const other = await database.sku({ currency: 'CHF' });
  await place(await placing.open({ stream: undefined, claimsAge: undefined }), claimOf(held));
  const mixed = claimOf((await database.sku()).skuId);
  const cases: [string, Claim][] = [
    ['SOLD_OUT', claimOf(await placing.soldOut())],
    ['ALL_HELD', claimOf(held)],
    ['NOT_ENOUGH', claimOf((await database.sku({ capacity: 1, perUserLimit: 2 })).skuId, 2)],
    ['PAUSED', claimOf((await database.sku({ paused: true })).skuId)],
    ['NOT_ON_SALE', claimOf((await database.sku({ onSaleAt: new Date(Date.now() + 3_600_000) })).skuId)],
    ['MAX_PER_ORDER', claimOf((await database.sku({ maxPerOrder: 1 })).skuId, 2)],
    ['LIMIT_REACHED', claimOf((await database.sku({ perUserLimit: 1 })).skuId, 2)],
    ['SKU_NOT_FOUND', claimOf('nothing')],
    ['SKU_NOT_FOUND', claimOf((await database.sku({ storeId: 'store-2' })).skuId)],
    ['CURRENCY_MIXED', { ...mixed, lines: [...mixed.lines, { skuId: other.skuId, quantity: 1, attendeeId: 'a' }] }],
  ];
  for (const [word, claim] of cases) assert.equal(await refused(placeHolds, claim), [word, false]);
  assert.equal(placeHolds.stats().refusals, { recorded: 0, unrecorded: 7 });
});

test('A18: whoever has units already has their own order named, though nothing is free', async () => {
  const { skuId } = await placing.database.sku({ capacity: 1 });
  const own = claimOf(skuId, 1, 'ann');
  await place(await placing.open({ stream: undefined, claimsAge: undefined }), own);
  const outcome = await place(await placing.open(), claimOf(skuId, 1, 'ann'));
  assert.equal(outcome, {
    kind: 'REFUSED',
    refusal: { reason: 'LIMIT_REACHED', skuId, limit: 1, ownOrderId: own.orderId },
  });
});

test('a crowd that is told no leaves no row, and takes neither a claim nor a look into the gate each', async () => {
  const skuId = await placing.soldOut();
  let reads = 0;
  const gate = new RedisGate(placing.parts.redis);
  let asked = 0;
  const counting = Object.assign(Object.create(gate), {
    place: (shard: number, claims: readonly Claim[]) => {
      asked += 1;
      return gate.place(shard, claims);
    },
  });
  const { parkedRead } = placing.database.ledger;
  const ledger = ledgerWith({
    parkedRead: (claims) => {
      reads += 1;
      return parkedRead(claims);
    },
  });
  const placeHolds = await placing.open({ gate: counting, ledger });
  await place(placeHolds, claimOf(skuId));
  const [readsBefore, askedBefore] = [reads, asked];
  const claims = Array.from({ length: 1_000 }, () => claimOf(skuId));
  const words = await Promise.all(claims.map((claim) => place(placeHolds, claim).then(told)));
  assert.equal(new Set(words), new Set(['SOLD_OUT']));
  assert.is(asked - askedBefore, 0);
  assert.ok(reads - readsBefore <= 4, `${reads - readsBefore} reads`);
  const rows = await placing.database.sql('SELECT FROM ledger.order_lines WHERE sku_id = $1', [skuId]);
  assert.is(rows.length, 0);
});

test('a no leaves a row when it is not known for how long the try is the first, or not long enough', async () => {
  const skuId = await placing.soldOut();
  const placeHolds = await placing.open();
  for (const firstForMs of [0, 5_000, undefined]) {
    assert.equal(await refused(placeHolds, claimOf(skuId), { remainingMs: 3_000, firstForMs }), ['SOLD_OUT', true]);
    // A retry has a mark: it says nothing about anybody else.
    if (firstForMs === 0) assert.equal(await refused(placeHolds, claimOf(skuId)), ['SOLD_OUT', false]);
  }
});

test('a no leaves a row when nobody knows how old the claims in the stream are', async () => {
  const skuId = await placing.soldOut();
  const unknown = { oldestMs: () => undefined };
  assert.equal(await refused(await placing.open({ claimsAge: unknown }), claimOf(skuId)), ['SOLD_OUT', true]);
  const absent = await placing.open({ claimsAge: undefined });
  assert.equal(await refused(absent, claimOf(skuId)), ['SOLD_OUT', true]);
});

test('a no leaves a row while the stream has a claim that an older try may have put there', async () => {
  const skuId = await placing.soldOut();
  const { messaging, claimsAge } = placing.parts;
  const placeHolds = await placing.open();
  await messaging.store(claimsSubject(SHARD), new Uint8Array(), { timeoutMs: 5_000 });
  // Polled anew: until then the stream counts as empty since the last poll.
  await until(() => (claimsAge.oldestMs(SHARD) ?? 0) > 1_100);
  assert.equal(await refused(placeHolds, claimOf(skuId), { remainingMs: 3_000, firstForMs: 6_000 }), [
    'SOLD_OUT',
    true,
  ]);
  assert.equal(await refused(placeHolds, claimOf(skuId)), ['SOLD_OUT', false]);
  await placing.emptyStream();
});

test('a claim that leaves the stream while the ledger is read does not count as gone before', async () => {
  const skuId = await placing.soldOut();
  let oldestMs = 7_200_000;
  const { parkedRead } = placing.database.ledger;
  const ledger = ledgerWith({
    parkedRead: async (claims) => {
      const read = await parkedRead(claims);
      oldestMs = 0;
      return read;
    },
  });
  const placeHolds = await placing.open({ ledger, claimsAge: { oldestMs: () => oldestMs } });
  assert.equal(await refused(placeHolds, claimOf(skuId)), ['SOLD_OUT', true]);
});

test('a no leaves a row when the reply of the gate was lost', async () => {
  const skuId = await placing.soldOut();
  const placeHolds = await placing.open();
  placing.parts.proxy.dropReplies();
  assert.equal(await refused(placeHolds, claimOf(skuId)), ['SOLD_OUT', true]);
});

test('a no leaves a row when an undecided claim of the same order was in the journal', async () => {
  const { skuId } = await placing.database.sku({ capacity: 1 });
  const gate = new RedisGate(placing.parts.redis);
  await new SyncGates(placing.database.ledger, gate, 2).syncSkus([skuId]);
  const claim = claimOf(skuId);
  await gate.place(SHARD, [claim]);
  const placeHolds = await placing.open();
  const outcome = place(placeHolds, claim);
  await until(() => placeHolds.awaits(claim.orderId));
  await place(await placing.open({ gate: undefined, syncGates: undefined }), claimOf(skuId));
  placeHolds.heard({ orderId: claim.orderId, kind: 'FAULT', reason: 'TOO_LATE', metadata: {} });
  assert.is(told(await outcome), 'ALL_HELD');
  assert.ok(await placing.hasRow(claim));
});

test('a no leaves a row after a try without a mark, whichever process that came to', async () => {
  const { skuId } = await placing.database.sku({ capacity: 1 });
  const [one, other] = [await placing.open({ stream: undefined }), await placing.open()];
  assert.is(told(await place(one, claimOf(skuId), { remainingMs: 3_000 })), 'HELD');
  assert.equal(await refused(other, claimOf(skuId)), ['ALL_HELD', true]);
  // As if it had been long ago.
  await placing.database.sql(`UPDATE ledger.unmarked SET until = until - interval '8 seconds'`);
  assert.equal(await refused(other, claimOf(skuId)), ['ALL_HELD', false]);
});

test('the ledger knows of a try without a mark before it is let in', async () => {
  const { skuId } = await placing.database.sku();
  const { unmarkedNote } = placing.database.ledger;
  const shut = door();
  let asked = false;
  const ledger = ledgerWith({
    unmarkedNote: async (forMs) => {
      asked = true;
      await shut.passed;
      return unmarkedNote(forMs);
    },
  });
  const placeHolds = await placing.open({ ledger });
  const gate = new RedisGate(placing.parts.redis);
  await new SyncGates(placing.database.ledger, gate, 2).syncSkus([skuId]);
  const outcome = place(placeHolds, claimOf(skuId), { remainingMs: 600 });
  await until(() => asked);
  assert.equal(await gate.undecided(SHARD, skuId, 0), []);
  shut.open();
  await until(async () => (await gate.undecided(SHARD, skuId, 0)).length === 1);
  assert.is(told(await outcome), 'PENDING');
});

test('a ledger that cannot be told of tries without a mark keeps nobody from being let in, and is told later', async () => {
  const { skuId } = await placing.database.sku();
  const gate = new RedisGate(placing.parts.redis);
  await new SyncGates(placing.database.ledger, gate, 2).syncSkus([skuId]);
  const { unmarkedNote } = placing.database.ledger;
  let isAway = true;
  const ledger = ledgerWith({
    unmarkedNote: (forMs) => (isAway ? Promise.reject(new Error('away')) : unmarkedNote(forMs)),
  });
  const placeHolds = await placing.open({ ledger });
  const outcomes = [1, 2].map(() => place(placeHolds, claimOf(skuId), { remainingMs: 600 }));
  assert.equal((await Promise.all(outcomes)).map(told), ['PENDING', 'PENDING']);
  isAway = false;
  await until(async () => (await placing.database.ledger.parkedRead([])).unmarkedUntil !== undefined);
});

test('a claim that the ledger cannot read is told apart from those who wait with it', async () => {
  const skuId = await placing.soldOut();
  const placeHolds = await placing.open();
  await place(placeHolds, claimOf(skuId));
  const bad = { ...claimOf(skuId), userId: 'a\0b' };
  const [good, poison] = await Promise.all([place(placeHolds, claimOf(skuId)), place(placeHolds, bad)]);
  assert.equal([told(good), told(poison)], ['SOLD_OUT', 'INTERNAL']);
});

test.run();
