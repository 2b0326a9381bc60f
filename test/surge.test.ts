import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { type OnSale, onSale, somebody } from './on-sale.js';
import { atPace } from './pace.js';
import { insist } from './press.js';
import { startTestMesh, type TestMesh } from './test-mesh.js';

const test = suite('surge');
/** The whole of it takes 30, at the rate that is the default; a short one goes easy on the machine. */
const seconds = Number(process.env.HOLDFAST_SURGE_SECONDS ?? 6);
const perSecond = seconds < 30 ? 10 : 50;
const limit = { perSecond, burst: perSecond };
/** What is kept of skus, users and metrics, whatever the number of requests. */
const flatBytes = 16_000_000;
let mesh: TestMesh;

test.before(async () => {
  // However busy the machine is, Redis is only gone when it was killed.
  const gatewayEnv = { REDIS_TIMEOUT_MS: '2000' };
  mesh = await startTestMesh({ gateways: 2, durableRedis: true, gatewayEnv });
});
test.after(() => mesh.close());

/** What became of all who came to a store, and how many of them one bucket would have let in. */
interface Traffic {
  counts: Record<string, number>;
  due: number;
}

async function send(sku: OnSale, rate: number, forSeconds = seconds): Promise<Traffic> {
  const traffic: Traffic = { counts: {}, due: 0 };
  const isDue = idealBucket();
  await atPace({ perSecond: rate, seconds: forSeconds }, async (index) => {
    if (isDue()) traffic.due += 1;
    const { kind } = await insist(mesh.gatewayAt(index % 2), somebody(sku));
    traffic.counts[kind] = (traffic.counts[kind] ?? 0) + 1;
  });
  return traffic;
}

/** Whether who comes at this instant would be let in, if there was one bucket and nothing went wrong. */
function idealBucket(): () => boolean {
  let tokens = limit.burst;
  let lastAt = performance.now();
  return () => {
    const now = performance.now();
    tokens = Math.min(limit.burst, tokens + ((now - lastAt) * limit.perSecond) / 1_000);
    lastAt = now;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
}

/**
 * How far off the sum may be: a twentieth; where that is less, one burst. The tokens that Redis's bucket gains while it is
 * not asked come on top of those that gateways gave out by themselves.
 */
const slackOf = (due: number): number => Math.max(due / 20, limit.burst);

/** Bytes of live objects. */
function liveHeap(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}

test('three stores at twice their limit and one at rest, Redis killed halfway: each gets what is its own', async () => {
  const hot = await Promise.all(['hot-1', 'hot-2', 'hot-3'].map((storeId) => onSale(mesh, limit, { storeId })));
  const cold = await onSale(mesh, limit, { storeId: 'cold' });
  await send(await onSale(mesh, limit, { storeId: 'warm' }), 50, 1);
  const heapBefore = liveHeap();
  const startedAt = performance.now();
  const past = (share: number): Promise<unknown> =>
    until(() => performance.now() - startedAt > share * seconds * 1_000, { timeoutMs: seconds * 2_000 });
  const crowds = hot.map((sku) => send(sku, 2 * limit.perSecond));
  const few = send(cold, 2);
  await past(0.4);
  await mesh.redis.kill();
  await past(0.6);
  await mesh.redis.start();

  assert.equal((await few).counts, { held: 2 * seconds });
  for (const [index, { counts, due }] of (await Promise.all(crowds)).entries()) {
    const { held = 0, RATE_LIMITED = 0 } = counts;
    assert.is(held + RATE_LIMITED, 2 * limit.perSecond * seconds, JSON.stringify(counts));
    assert.ok(Math.abs(held - due) <= slackOf(due), `${held} where ${due} are due`);
    assert.is((await mesh.ledger.stock(hot[index]?.skuId ?? '')).held, held);
  }
  assert.equal(await mesh.ledger.violations(), []);
  const grown = liveHeap() - heapBefore;
  assert.ok(grown < flatBytes, `${grown} bytes more are in use`);
});

test.run();
