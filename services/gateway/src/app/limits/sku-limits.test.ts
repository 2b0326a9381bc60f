import type { LimitsKey } from '#libs/contracts/gen/holdfast/inventory/v1/inventory_service.js';
import { LimitSource, OnBusy, type SkuLimits as SaidLimits } from '#libs/contracts/gen/holdfast/inventory/v1/sku.js';
import { gate } from '#libs/testing/gate.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { SkuLimits } from './sku-limits.js';

const test = suite('SkuLimits');

const configured = { perSecond: 50, burst: 60 };
const fallback = { perSecond: 50, burst: 60, onBusy: 'QUEUE' as const, issuedOnly: false };

let now = 0;
let perSecond = 7;
let calls: LimitsKey[][] = [];
let limits: SkuLimits;

const say = async (keys: LimitsKey[]): Promise<SaidLimits[]> => {
  calls.push(keys);
  return keys.map((key) => ({
    ...key,
    rateLimit: key.skuId === 'plain' ? undefined : { perSecond, burst: 9 },
    source: LimitSource.LIMIT_SOURCE_SKU,
    onBusy: key.skuId === 'plain' ? OnBusy.ON_BUSY_UNSPECIFIED : OnBusy.ON_BUSY_FAIL,
    requireIssuedRequestId: key.storeId === 'strict',
  }));
};

test.before.each(() => {
  now = 0;
  perSecond = 7;
  calls = [];
});
test.after.each(() => limits.close());

function start(batchGetLimits: (keys: LimitsKey[]) => Promise<SaidLimits[]> = say, answerWithinMs = 10_000): void {
  limits = new SkuLimits({ batchGetLimits, configured, now: () => now, answerWithinMs });
}

test('what is not known is asked for, and known from then on without a promise', async () => {
  start();
  const asked = limits.of('strict', ['a']);
  assert.instance(asked, Promise);
  const expected = [{ skuId: 'a', perSecond: 7, burst: 9, onBusy: 'FAIL', issuedOnly: true }];
  assert.equal(await asked, expected);
  assert.equal(limits.of('strict', ['a']), expected);
  assert.is(calls.length, 1);
});

test('where nobody sets anything, what is configured holds', async () => {
  start();
  assert.equal(await limits.of('store', ['plain']), [{ skuId: 'plain', ...fallback }]);
});

test('those who ask together ask in one call, and several skus come in the order asked', async () => {
  start();
  const [one = [], both = []] = await Promise.all([limits.of('store', ['a']), limits.of('store', ['b', 'plain', 'a'])]);
  assert.equal(
    [...one, ...both].map(({ skuId }) => skuId),
    ['a', 'b', 'plain', 'a'],
  );
  assert.is(calls.length, 1);
  assert.not.instance(limits.of('store', ['plain', 'b']), Promise);
});

test('C09: the same name in two stores is two skus', async () => {
  start();
  await limits.of('a:b', ['c']);
  await limits.of('a', ['b:c']);
  assert.equal(calls.flat(), [
    { storeId: 'a:b', skuId: 'c' },
    { storeId: 'a', skuId: 'b:c' },
  ]);
});

test('what changes at run time is followed by those in use, all in one call', async () => {
  start();
  await Promise.all([limits.of('store', ['a', 'b']), limits.of('store', ['c'])]);
  await limits.refresh();
  await limits.of('store', ['a', 'c']);
  perSecond = 8;
  await limits.refresh();
  assert.equal(calls.slice(1), [
    ['a', 'b', 'c'].map((skuId) => ({ storeId: 'store', skuId })),
    ['a', 'c'].map((skuId) => ({ storeId: 'store', skuId })),
  ]);
  const [changed] = (await limits.of('store', ['a'])) ?? [];
  assert.is(changed?.perSecond, 8);
});

test('what is in use is refreshed before it is two seconds old, so that nobody waits for it', async () => {
  start();
  await limits.of('store', ['a']);
  for (now = 1_000; now < 20_000; now += 1_000) {
    assert.not.instance(limits.of('store', ['a']), Promise);
    await limits.refresh();
  }
});

test('what is older than two seconds is read again before it is used, once for all who want it', async () => {
  start();
  await limits.of('store', ['a']);
  now = 1_999;
  assert.not.instance(limits.of('store', ['a']), Promise);
  now = 2_000;
  perSecond = 8;
  const crowd = Array.from({ length: 20 }, () => limits.of('store', ['a']));
  for (const asked of crowd) assert.is((await asked)?.[0]?.perSecond, 8);
  assert.is(calls.flat().length, 2);
  assert.not.instance(limits.of('store', ['a']), Promise);
});

test('while inventory is away what was heard last holds, however old, and what was never heard is not guessed', async () => {
  let isAway = false;
  start((keys) => (isAway ? Promise.reject(new Error('away')) : say(keys)));
  await limits.of('strict', ['a']);
  isAway = true;
  now = 3_600_000;
  const [old] = (await limits.of('strict', ['a'])) ?? [];
  assert.equal(old, { skuId: 'a', perSecond: 7, burst: 9, onBusy: 'FAIL', issuedOnly: true });
  assert.not.instance(limits.of('strict', ['a']), Promise, 'nobody waits for it again at once');
  assert.is(await limits.of('strict', ['b']), undefined);
  assert.is(await limits.of('strict', ['a', 'b']), undefined);
  now += 1_000;
  await limits.refresh();
  now += 1_999;
  assert.not.instance(limits.of('strict', ['a']), Promise);
  isAway = false;
  perSecond = 8;
  assert.is((await limits.of('strict', ['b']))?.[0]?.issuedOnly, true, 'nothing is remembered of what failed');
  await limits.refresh();
  assert.is((await limits.of('strict', ['a']))?.[0]?.perSecond, 8);
});

test('an inventory that hangs is waited for no longer than that, and its late answer is followed', async () => {
  let door = gate();
  start(async (keys) => {
    await door.passed;
    return say(keys);
  }, 20);
  assert.is(await limits.of('strict', ['a']), undefined);
  door.open();
  assert.is((await limits.of('strict', ['a']))?.[0]?.issuedOnly, true);
  assert.is(calls.length, 1);
  door = gate();
  now = 2_000;
  perSecond = 8;
  assert.is((await limits.of('strict', ['a']))?.[0]?.perSecond, 7);
  door.open();
  await until(async () => (await limits.of('strict', ['a']))?.[0]?.perSecond === 8);
});

test('an answer that was on its way longer does not go before a newer one', async () => {
  const doors = [gate(), gate(), gate()];
  doors[0]?.open();
  let run = 0;
  start(async (keys) => {
    const said = await say(keys);
    await doors[run++]?.passed;
    return said;
  });
  await limits.of('store', ['a']);
  now = 1_000;
  const refreshing = limits.refresh();
  now = 2_000;
  perSecond = 8;
  const asked = limits.of('store', ['a']);
  doors[2]?.open();
  assert.is((await asked)?.[0]?.perSecond, 8);
  doors[1]?.open();
  await refreshing;
  assert.is((await limits.of('store', ['a']))?.[0]?.perSecond, 8);
});

test('no more than ten thousand are kept', async () => {
  start();
  const skuIds = Array.from({ length: 10_001 }, (_, i) => `sku-${i}`);
  for (let at = 0; at < skuIds.length; at += 2_500) await limits.of('store', skuIds.slice(at, at + 2_500));
  assert.instance(limits.of('store', ['sku-0']), Promise);
  assert.not.instance(limits.of('store', ['sku-10000']), Promise);
  assert.ok(calls.every((keys) => keys.length <= 1_000));
});

test.run();
