import { seeded } from '#libs/testing/seeded.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import type { Beginning, Begun, Place, SkuLimit } from '../app/ports.js';
import type { RedisRequests } from './redis-requests.js';
import { requestKeys } from './request-keys.js';
import {
  beginAll,
  beginning,
  crowd,
  ending,
  kindsOf,
  limitOf,
  lineOf,
  RequestsStage,
  stored,
} from './test-redis-requests.js';

const test = suite('lines');
const random = seeded();
/** So slow that no token comes back while a test runs. */
const NEVER = 0.001;
let stage: RequestsStage;
/** Whoever it told to wait is expected for hours. */
let patient: RedisRequests;
/** Whoever it told to wait is overdue at once; the place is kept. */
let strict: RedisRequests;
/** Whoever it told to wait has been overdue for 30 s. */
let forgetful: RedisRequests;
let skus = 0;

test.before(async () => {
  stage = await RequestsStage.open();
  const hours = 3 * 3_600_000;
  patient = stage.gateway({ line: { graceMs: hours } });
  strict = stage.gateway({ line: { graceMs: -1, leastRetryMs: 0, mostRetryMs: 0, lapseMs: hours } });
  forgetful = stage.gateway({ line: { graceMs: -30_001, leastRetryMs: 0, mostRetryMs: 0, lapseMs: hours } });
});
test.after(() => stage.close());

/** A sku of a test's own, with a line. */
function newSku(perSecond: number, burst = 1): SkuLimit {
  skus += 1;
  return lineOf(`sku-${skus}`, perSecond, burst);
}

/** Takes all tokens of the skus. */
async function drain(...limits: SkuLimit[]): Promise<void> {
  for (const sku of limits) await beginAll(patient, crowd(sku.burst, { ...sku, onBusy: 'FAIL' }));
}

async function begin(gateway: RedisRequests, given: Beginning): Promise<Begun['kind']> {
  return (await gateway.begin(given)).kind;
}

function aheadOf(begun: Begun | undefined): number | undefined {
  return begun?.kind === 'QUEUED' ? begun.peopleAhead : undefined;
}

function placeOf(gateway: RedisRequests, { markId, shard, storeId, skus: [sku] }: Beginning): Promise<Place> {
  return gateway.place({ storeId, shard, skuId: sku?.skuId ?? '', orderId: markId });
}

/** Begins all of them again and again, shuffled and in batches of their own, and gives the order in which they passed. */
async function servedIn(gateway: RedisRequests, waiting: readonly Beginning[]): Promise<Beginning[]> {
  const served: Beginning[] = [];
  await until(async () => {
    const left = random.shuffle(waiting.filter((each) => !served.includes(each)));
    const begun = await beginAll(gateway, left);
    const passed = left.filter((_, i) => begun[i]?.kind === 'GO');
    served.push(...passed.sort((a, b) => waiting.indexOf(a) - waiting.indexOf(b)));
    return served.length === waiting.length;
  });
  return served;
}

test('beyond the burst everybody gets a place, in the order in which they came', async () => {
  const sku = newSku(10, 2);
  const begun = await beginAll(patient, crowd(5, sku));
  assert.equal(begun.slice(2), [
    { kind: 'QUEUED', skuId: sku.skuId, peopleAhead: 0, retryAfterMs: 200 },
    { kind: 'QUEUED', skuId: sku.skuId, peopleAhead: 1, retryAfterMs: 200 },
    { kind: 'QUEUED', skuId: sku.skuId, peopleAhead: 2, retryAfterMs: 300 },
  ]);
});

test('the time until a turn is told, up to five seconds', async () => {
  const sku = newSku(2);
  const retries = (await beginAll(patient, crowd(15, sku))).map((each) =>
    'retryAfterMs' in each ? each.retryAfterMs : 0,
  );
  assert.equal(retries, [0, 500, 1000, 1500, 2000, 2500, 3000, 3500, 4000, 4500, 5000, 5000, 5000, 5000, 5000]);
});

test('first come, first served, however they come back', async () => {
  const sku = newSku(100);
  await drain(sku);
  const waiting = crowd(40, sku);
  for (const each of waiting) await patient.begin(each);
  assert.equal(await servedIn(patient, waiting), waiting);
});

test('whoever comes back keeps the place, and does not get a second one', async () => {
  const sku = newSku(NEVER);
  await drain(sku);
  const waiting = crowd(4, sku);
  const first = await beginAll(patient, waiting);
  assert.equal(await beginAll(patient, [...waiting].reverse()), first.reverse());
  const twice = waiting.flatMap((each) => [each, each]);
  assert.equal((await beginAll(patient, twice)).map(aheadOf), [0, 0, 1, 1, 2, 2, 3, 3]);
});

test('newcomers do not pass while somebody is in line for the token', async () => {
  const sku = newSku(20);
  await drain(sku);
  const [first] = crowd(1, sku) as [Beginning];
  await patient.begin(first);
  await until(async () => (await placeOf(patient, first)).state === 'DUE');
  for (const each of crowd(3, sku)) assert.is(await begin(patient, each), 'QUEUED');
  assert.is(await begin(patient, first), 'GO');
});

test('newcomers pass when there are more tokens than people in line', async () => {
  const sku = newSku(20, 3);
  await drain(sku);
  const waiting = crowd(2, sku);
  await beginAll(patient, waiting);
  const newcomers = crowd(3, sku);
  await until(async () => (await stage.redis.exists(...requestKeys.ofSku(0, 'store', sku.skuId).slice(0, 1))) === 1);
  await until(async () => (await begin(patient, newcomers[0] as Beginning)) === 'GO');
  assert.is(await begin(patient, newcomers[1] as Beginning), 'QUEUED');
  assert.equal(kindsOf(await beginAll(patient, waiting)), { GO: 2 });
});

test('who is overdue at the head is passed over, and passes first once back', async () => {
  const sku = newSku(20);
  await drain(sku);
  const [absent, ...present] = crowd(4, sku) as [Beginning, ...Beginning[]];
  await strict.begin(absent);
  for (const each of present) await patient.begin(each);
  const [next] = present as [Beginning];
  await until(async () => (await begin(patient, next)) === 'GO');
  const order = [absent, ...present.slice(1)];
  assert.equal(await servedIn(patient, order), order);
});

test('a whole crowd of overdue is passed over at once', async () => {
  const sku = newSku(20);
  await drain(sku);
  await beginAll(strict, crowd(450, sku));
  const [present] = crowd(1, sku) as [Beginning];
  await patient.begin(present);
  await until(async () => (await begin(patient, present)) === 'GO');
});

test('who stays away too long loses the place', async () => {
  const sku = newSku(NEVER);
  await drain(sku);
  const [lost, kept] = crowd(2, sku) as [Beginning, Beginning];
  await forgetful.begin(lost);
  await patient.begin(kept);
  assert.equal(await placeOf(patient, lost), { state: 'GONE', peopleAhead: 0, retryAfterMs: 0 });
  assert.is(aheadOf(await patient.begin(kept)), 0);
  assert.is(aheadOf(await patient.begin(lost)), 1, 'and comes last');
});

test('also one who was passed over', async () => {
  const sku = newSku(20);
  await drain(sku);
  const [lost, ...others] = crowd(3, sku) as [Beginning, Beginning, Beginning];
  await strict.begin(lost);
  for (const each of others) await patient.begin(each);
  await until(async () => (await begin(patient, others[0])) === 'GO');
  const later = stage.gateway({ line: { lapseMs: 0 } });
  await until(async () => (await placeOf(later, beginning({ skus: [sku] }))).state === 'GONE');
  assert.is((await placeOf(patient, lost)).state, 'GONE');
});

test('a line is bounded, and tells who finds it full when there will be a token for them', async () => {
  const sku = newSku(10);
  const short = stage.gateway({ line: { mostPlaces: 3, graceMs: 60_000 } });
  const all = crowd(6, sku);
  const begun = await beginAll(short, all);
  assert.equal(kindsOf(begun), { GO: 1, QUEUED: 3, LIMITED: 2 });
  assert.equal(begun[4], {
    kind: 'LIMITED',
    limit: 'STORE_SKU',
    skuId: sku.skuId,
    perSecond: 10,
    burst: 1,
    retryAfterMs: 400,
  });
});

test('who does not want a place is told the exact time, behind those who have one', async () => {
  const sku = newSku(10, 5);
  const failing = limitOf(sku.skuId, 10, 5);
  const begun = await beginAll(patient, [
    ...crowd(5, sku),
    ...crowd(1, failing),
    ...crowd(3, sku),
    ...crowd(1, failing),
  ]);
  assert.equal(
    [begun[5], begun[9]].map((each) => each?.kind === 'LIMITED' && each.retryAfterMs),
    [100, 400],
  );
});

test('while a sku is shut everybody passes to hear the no, and nothing is spent', async () => {
  const sku = newSku(NEVER, 2);
  const [opener] = crowd(1, sku) as [Beginning];
  await patient.begin(opener);
  const waiting = crowd(10, sku);
  assert.equal(kindsOf(await beginAll(patient, waiting)), { GO: 1, QUEUED: 9 });
  await patient.end(ending(opener, stored('REFUSED'), [{ storeId: 'store', skuId: sku.skuId, forMs: 3_600_000 }]));
  assert.is((await placeOf(patient, waiting[9] as Beginning)).state, 'DUE');
  assert.equal(kindsOf(await beginAll(patient, waiting.slice(1))), { GO: 9 });
  assert.equal(kindsOf(await beginAll(patient, crowd(50, sku))), { GO: 50 });
  assert.is((await placeOf(patient, waiting[9] as Beginning)).state, 'GONE');

  const [held] = crowd(1, sku) as [Beginning];
  await patient.begin(held);
  await patient.end(ending(held, stored('HELD'), [{ storeId: 'store', skuId: sku.skuId, forMs: 0 }]));
  assert.equal(
    (await beginAll(patient, crowd(2, sku))).map(aheadOf),
    [0, 1],
    'the line is empty, and so is the bucket',
  );
});

test('a sku that is shut for a moment opens by itself, and a token was kept', async () => {
  const sku = newSku(NEVER, 2);
  const [opener] = crowd(1, sku) as [Beginning];
  await patient.begin(opener);
  await patient.end(ending(opener, { kind: 'FORGET' }, [{ storeId: 'store', skuId: sku.skuId, forMs: 50 }]));
  await until(async () => (await begin(patient, crowd(1, sku)[0] as Beginning)) === 'QUEUED');
});

test('an order of several skus waits for the first that is short, and passes when all have tokens', async () => {
  const [plenty, slow, slower] = [newSku(NEVER, 5), newSku(20), newSku(10)];
  await drain(slow, slower);
  const order = beginning({ skus: [plenty, slow, slower] });
  const asked = await patient.begin(order);
  assert.is(asked.kind === 'QUEUED' && asked.skuId, slow.skuId);
  await until(async () => {
    const begun = await patient.begin(order);
    assert.ok(begun.kind === 'GO' || begun.kind === 'QUEUED');
    return begun.kind === 'GO';
  });
  assert.equal(kindsOf(await beginAll(patient, crowd(5, plenty))), { GO: 4, QUEUED: 1 }, 'it was spent once');
  for (const sku of [slow, slower]) {
    assert.is((await placeOf(patient, { ...order, skus: [sku] })).state, 'GONE');
  }
});

test('one who waits elsewhere holds up nobody, and keeps the number', async () => {
  const [line, other] = [newSku(20), newSku(NEVER)];
  await drain(line, other);
  const both = beginning({ skus: [line, other] });
  const single = beginning({ skus: [line] });
  assert.is(aheadOf(await patient.begin(both)), 0);
  assert.is(aheadOf(await patient.begin(single)), 1);
  await until(async () => {
    const begun = await patient.begin(both);
    return begun.kind === 'QUEUED' && begun.skuId === other.skuId;
  });
  assert.is(await begin(patient, single), 'GO');
  assert.is((await placeOf(patient, both)).peopleAhead, 0);
});

test('a place is waiting, then due, then gone', async () => {
  const sku = newSku(20);
  await drain(sku);
  const [first, second] = crowd(2, sku) as [Beginning, Beginning];
  await beginAll(patient, [first, second]);
  const waiting = await placeOf(patient, second);
  assert.is(waiting.peopleAhead, 1);
  assert.ok(waiting.state === 'WAITING' && waiting.retryAfterMs >= 200);
  await until(async () => (await placeOf(patient, first)).state === 'DUE');
  assert.is(await begin(patient, first), 'GO');
  assert.is((await placeOf(patient, first)).state, 'GONE');
  await until(async () => (await placeOf(patient, second)).state === 'DUE');
});

test('asking for a place keeps it, also of one who was passed over', async () => {
  const sku = newSku(20);
  await drain(sku);
  const [watched, other] = crowd(2, sku) as [Beginning, Beginning];
  await strict.begin(watched);
  await patient.begin(other);
  await until(async () => (await begin(patient, other)) === 'GO');
  assert.is((await placeOf(patient, watched)).peopleAhead, 0);
  const [last] = crowd(1, sku) as [Beginning];
  await until(async () => (await placeOf(patient, watched)).state === 'DUE');
  assert.is(await begin(patient, last), 'QUEUED', 'it is waited for again');
  assert.is(await begin(patient, watched), 'GO');
});

test('who watches a place comes to it though those ahead went away', async () => {
  const sku = newSku(20);
  await drain(sku);
  const [absent, watching] = crowd(2, sku) as [Beginning, Beginning];
  await strict.begin(absent);
  await patient.begin(watching);
  await until(async () => (await placeOf(patient, watching)).state === 'DUE');
});

test('a place of nobody is gone', async () => {
  assert.is((await placeOf(patient, beginning({ skus: [newSku(1)] }))).state, 'GONE');
});

test('what belongs to a line is forgotten with it', async () => {
  const sku = newSku(20);
  await drain(sku);
  const [gone, here] = crowd(2, sku) as [Beginning, Beginning];
  await strict.begin(gone);
  await patient.begin(here);
  await until(async () => (await begin(patient, here)) === 'GO');
  const keys = requestKeys.ofSku(0, 'store', sku.skuId);
  const lives = await Promise.all(keys.map((each) => stage.redis.pttl(each)));
  assert.ok(
    lives.every((ms) => ms === -2 || ms > 0),
    `${lives}`,
  );
});

test.run();
