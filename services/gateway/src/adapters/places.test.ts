import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import type { Beginning } from '../app/ports.js';
import type { RedisRequests } from './redis-requests.js';
import {
  aheadOf,
  beginAll,
  beginning,
  crowd,
  drain,
  ending,
  kindOf,
  kindsOf,
  lineGateways,
  newSku,
  placeOf,
  RequestsStage,
  stored,
} from './test-redis-requests.js';

const test = suite('places in line');
/** So slow that no token comes back while a test runs. */
const NEVER = 0.001;
let stage: RequestsStage;
let patient: RedisRequests;
let strict: RedisRequests;

test.before(async () => {
  stage = await RequestsStage.open();
  ({ patient, strict } = lineGateways(stage));
});
test.after(() => stage.close());

test('a place is waiting, then due, then gone', async () => {
  const sku = newSku(20);
  await drain(patient, sku);
  const [first, second] = crowd(2, sku) as [Beginning, Beginning];
  await beginAll(patient, [first, second]);
  const waiting = await placeOf(patient, second);
  assert.is(waiting.peopleAhead, 1);
  assert.ok(waiting.state === 'WAITING' && waiting.retryAfterMs >= 200);
  await until(async () => (await placeOf(patient, first)).state === 'DUE');
  assert.is(await kindOf(patient, first), 'GO');
  assert.is((await placeOf(patient, first)).state, 'GONE');
  await until(async () => (await placeOf(patient, second)).state === 'DUE');
});

test('asking for a place keeps it, also of one who was passed over', async () => {
  const sku = newSku(20);
  await drain(patient, sku);
  const [watched, other] = crowd(2, sku) as [Beginning, Beginning];
  await strict.begin(watched);
  await patient.begin(other);
  await until(async () => (await kindOf(patient, other)) === 'GO');
  assert.is((await placeOf(patient, watched)).peopleAhead, 0);
  const [last] = crowd(1, sku) as [Beginning];
  await until(async () => (await placeOf(patient, watched)).state === 'DUE');
  assert.is(await kindOf(patient, last), 'QUEUED', 'it is waited for again');
  assert.is(await kindOf(patient, watched), 'GO');
});

test('who watches a place comes to it though those ahead went away', async () => {
  const sku = newSku(20);
  await drain(patient, sku);
  const [absent, watching] = crowd(2, sku) as [Beginning, Beginning];
  await strict.begin(absent);
  await patient.begin(watching);
  await until(async () => (await placeOf(patient, watching)).state === 'DUE');
});

test('a place of nobody is gone', async () => {
  assert.is((await placeOf(patient, beginning({ skus: [newSku(1)] }))).state, 'GONE');
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

test('while it is shut its tokens are kept', async () => {
  const sku = newSku(NEVER, 2);
  const [opener] = crowd(1, sku) as [Beginning];
  await patient.begin(opener);
  await patient.end(ending(opener, { kind: 'FORGET' }, [{ storeId: 'store', skuId: sku.skuId, forMs: 3_600_000 }]));
  const passing = crowd(10, sku);
  assert.equal(kindsOf(await beginAll(patient, passing)), { GO: 10 });
  const [held] = passing as [Beginning];
  await patient.end(ending(held, stored('HELD'), [{ storeId: 'store', skuId: sku.skuId, forMs: 0 }]));
  assert.equal(kindsOf(await beginAll(patient, crowd(3, sku))), { GO: 1, QUEUED: 2 });
});

test('a sku that is shut for a moment opens by itself', async () => {
  const sku = newSku(NEVER);
  const [opener] = crowd(1, sku) as [Beginning];
  await patient.begin(opener);
  await patient.end(ending(opener, { kind: 'FORGET' }, [{ storeId: 'store', skuId: sku.skuId, forMs: 50 }]));
  await until(async () => (await kindOf(patient, crowd(1, sku)[0] as Beginning)) === 'QUEUED');
});

test('an order of several skus waits for the first that is short, and passes when all have tokens', async () => {
  const [plenty, slow, slower] = [newSku(NEVER, 5), newSku(20), newSku(10)];
  await drain(patient, slow, slower);
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
  await drain(patient, line, other);
  const both = beginning({ skus: [line, other] });
  const single = beginning({ skus: [line] });
  assert.is(aheadOf(await patient.begin(both)), 0);
  assert.is(aheadOf(await patient.begin(single)), 1);
  await until(async () => {
    const begun = await patient.begin(both);
    return begun.kind === 'QUEUED' && begun.skuId === other.skuId;
  });
  assert.is(await kindOf(patient, single), 'GO');
  assert.is((await placeOf(patient, both)).peopleAhead, 0);
});

test.run();
