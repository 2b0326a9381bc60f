import { seeded } from '#libs/testing/seeded.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import type { Beginning, Begun } from '../app/ports.js';
import type { RedisRequests } from './redis-requests.js';
import { requestKeys } from './request-keys.js';
import {
  aheadOf,
  beginAll,
  beginning,
  crowd,
  drain,
  kindOf,
  kindsOf,
  limitOf,
  lineGateways,
  newSku,
  placeOf,
  RequestsStage,
} from './test-redis-requests.js';

const test = suite('lines');
const random = seeded();
/** So slow that no token comes back while a test runs. */
const NEVER = 0.001;
let stage: RequestsStage;
let patient: RedisRequests;
let strict: RedisRequests;
let forgetful: RedisRequests;

test.before(async () => {
  stage = await RequestsStage.open();
  ({ patient, strict, forgetful } = lineGateways(stage));
});
test.after(() => stage.close());

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

test('a user has one place in a line, however many requests they send together or one after the other', async () => {
  const sku = newSku(10, 2);
  await beginAll(patient, crowd(2, sku));
  const userId = 'greedy';
  const keys = (size: number): Beginning[] => Array.from({ length: size }, () => beginning({ userId, skus: [sku] }));
  const together = await beginAll(patient, keys(3));
  const [honest] = crowd(1, sku);
  const ahead = [...together, ...(await beginAll(patient, keys(2)))].map(aheadOf);
  assert.equal(ahead, [0, 0, 0, 0, 0]);
  assert.is(aheadOf(honest && (await patient.begin(honest))), 1);
});

test('one place lets one request through, the next one of the same user is last', async () => {
  const sku = newSku(20, 1);
  await drain(patient, sku);
  const userId = 'greedy';
  const mine = Array.from({ length: 3 }, () => beginning({ userId, skus: [sku] }));
  const others = crowd(2, sku);
  await beginAll(patient, [...mine, ...others]);
  let passed: Begun[] = [];
  await until(async () => {
    passed = await beginAll(patient, mine);
    return passed.some(({ kind }) => kind === 'GO');
  });
  assert.equal(kindsOf(passed), { GO: 1, QUEUED: 2 });
  assert.is(
    passed.map(aheadOf).find((ahead) => ahead !== undefined),
    2,
  );
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
  await drain(patient, sku);
  const waiting = crowd(40, sku);
  for (const each of waiting) await patient.begin(each);
  assert.equal(await servedIn(patient, waiting), waiting);
});

test('whoever comes back keeps the place, and does not get a second one', async () => {
  const sku = newSku(NEVER);
  await drain(patient, sku);
  const waiting = crowd(4, sku);
  const first = await beginAll(patient, waiting);
  assert.equal(await beginAll(patient, [...waiting].reverse()), first.reverse());
  const twice = waiting.flatMap((each) => [each, each]);
  assert.equal((await beginAll(patient, twice)).map(aheadOf), [0, 0, 1, 1, 2, 2, 3, 3]);
});

test('newcomers do not pass while somebody is in line for the token', async () => {
  const sku = newSku(20);
  await drain(patient, sku);
  const [first] = crowd(1, sku) as [Beginning];
  await patient.begin(first);
  await until(async () => (await placeOf(patient, first)).state === 'DUE');
  for (const each of crowd(3, sku)) assert.is(await kindOf(patient, each), 'QUEUED');
  assert.is(await kindOf(patient, first), 'GO');
});

test('newcomers pass when there are more tokens than people in line', async () => {
  const sku = newSku(20, 3);
  await drain(patient, sku);
  const waiting = crowd(2, sku);
  await beginAll(patient, waiting);
  const newcomers = crowd(3, sku);
  await until(
    async () =>
      (await stage.redis.exists(...requestKeys.ofSkus(0, [{ storeId: 'store', skuId: sku.skuId }]).slice(0, 1))) === 1,
  );
  await until(async () => (await kindOf(patient, newcomers[0] as Beginning)) === 'GO');
  assert.is(await kindOf(patient, newcomers[1] as Beginning), 'QUEUED');
  assert.equal(kindsOf(await beginAll(patient, waiting)), { GO: 2 });
});

test('who is overdue at the head is passed over, and passes first once back', async () => {
  const sku = newSku(20);
  await drain(patient, sku);
  const [absent, ...present] = crowd(4, sku) as [Beginning, ...Beginning[]];
  await strict.begin(absent);
  for (const each of present) await patient.begin(each);
  const [next] = present as [Beginning];
  await until(async () => (await kindOf(patient, next)) === 'GO');
  const order = [absent, ...present.slice(1)];
  assert.equal(await servedIn(patient, order), order);
});

test('who is overdue and comes when the token is there has kept the place', async () => {
  const sku = newSku(20);
  await drain(patient, sku);
  const [late, behind] = crowd(2, sku) as [Beginning, Beginning];
  await strict.begin(late);
  await patient.begin(behind);
  const [bucket = ''] = requestKeys.ofSkus(0, [{ storeId: 'store', skuId: sku.skuId }]);
  await until(async () => {
    const [seconds, micros] = await stage.redis.time();
    const fullAt = Number((await stage.redis.get(bucket))?.split(':')[0]);
    return Number(seconds) * 1_000_000 + Number(micros) > fullAt;
  });
  const begun = await beginAll(patient, [behind, late]);
  assert.equal(kindsOf(begun), { GO: 1, QUEUED: 1 });
  assert.is(begun[1]?.kind, 'GO');
});

test('newcomers come last, though the clock was set back', async () => {
  const sku = newSku(NEVER);
  await drain(patient, sku);
  const [first] = crowd(1, sku) as [Beginning];
  await patient.begin(first);
  const [, , line = ''] = requestKeys.ofSkus(0, [{ storeId: 'store', skuId: sku.skuId }]);
  await stage.redis.zincrby(line, 3_600_000_000, first.userId);
  assert.equal((await beginAll(patient, crowd(2, sku))).map(aheadOf), [1, 2]);
  assert.is(aheadOf(await patient.begin(first)), 0);
});

test('a whole crowd of overdue is passed over at once', async () => {
  const sku = newSku(20);
  await drain(patient, sku);
  await beginAll(strict, crowd(450, sku));
  const [present] = crowd(1, sku) as [Beginning];
  await patient.begin(present);
  await until(async () => (await kindOf(patient, present)) === 'GO');
});

test('who stays away too long loses the place', async () => {
  const sku = newSku(NEVER);
  await drain(patient, sku);
  const [lost, kept] = crowd(2, sku) as [Beginning, Beginning];
  await forgetful.begin(lost);
  await patient.begin(kept);
  assert.equal(await placeOf(patient, lost), { state: 'GONE', peopleAhead: 0, retryAfterMs: 0 });
  assert.is(aheadOf(await patient.begin(kept)), 0);
  assert.is(aheadOf(await patient.begin(lost)), 1, 'and comes last');
});

test('also one who was passed over', async () => {
  const sku = newSku(20);
  await drain(patient, sku);
  const [lost, ...others] = crowd(3, sku) as [Beginning, Beginning, Beginning];
  await strict.begin(lost);
  for (const each of others) await patient.begin(each);
  await until(async () => (await kindOf(patient, others[0])) === 'GO');
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

test('what belongs to a line is forgotten with it', async () => {
  const sku = newSku(20);
  await drain(patient, sku);
  const [gone, here] = crowd(2, sku) as [Beginning, Beginning];
  await strict.begin(gone);
  await patient.begin(here);
  await until(async () => (await kindOf(patient, here)) === 'GO');
  const keys = requestKeys.ofSkus(0, [{ storeId: 'store', skuId: sku.skuId }]);
  const lives = await Promise.all(keys.map((each) => stage.redis.pttl(each)));
  assert.ok(
    lives.every((ms) => ms === -2 || ms > 0),
    `${lives}`,
  );
});

test.run();
