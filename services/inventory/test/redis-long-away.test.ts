import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { atPace } from '../../../test/pace.js';
import type { PlaceHolds } from '../src/app/place-holds.js';
import { claimOf, crowd, held, place, TestPlacing, told } from './test-placing.js';

const test = suite('Redis is away for long');
const placing = new TestPlacing(test);
const PER_SECOND = 2_000;
/** Each round. */
const SECONDS = 1;

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

test('E04: at 2,000 a second everybody is held in time, no memory is kept for it, and nothing is sent again when it is back', async () => {
  const { proxy } = placing.parts;
  const { skuId } = await placing.database.sku({ capacity: 1_000_000 });
  const placeHolds = await placing.open({ stream: undefined, claimsAge: undefined });
  await place(placeHolds, claimOf(skuId));
  proxy.blackhole();
  await press(placeHolds, skuId);
  proxy.cut();
  const kept: number[] = [];
  for (let round = 0; round < 4; round += 1) {
    await press(placeHolds, skuId);
    collect();
    kept.push(process.memoryUsage().heapUsed);
  }
  const [, second = 0, , last = 0] = kept;
  assert.ok(last - second < 2_000_000, `${kept}`);
  const sent = proxy.stats.toServerBytes;
  proxy.heal();
  await until(() => placeHolds.stats().breakers.gate === 'CLOSED');
  assert.is(held(await crowd(placeHolds, skuId, 1)), 1);
  const sentAgain = proxy.stats.toServerBytes - sent;
  assert.ok(sentAgain < 20_000, `${sentAgain} bytes`);
});

/** Everybody is held within the three seconds that an attempt may last. */
async function press(placeHolds: PlaceHolds, skuId: string): Promise<void> {
  await atPace({ perSecond: PER_SECOND, seconds: SECONDS }, async () => {
    assert.is(told(await place(placeHolds, claimOf(skuId))), 'HELD');
  });
}

test.run();
