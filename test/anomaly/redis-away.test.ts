import { Redis } from 'ioredis';
import { pino } from 'pino';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { type OnSale, onSale, somebody } from '../on-sale.js';
import { atPace } from '../pace.js';
import { press, type Said, tally } from '../press.js';
import { startTestMesh, type TestMesh } from '../test-mesh.js';

const test = suite('marks and limits are away');
const limit = { perSecond: 10, burst: 10 };
const gateways = 2;
const logged: { msg?: string; level: number }[] = [];
let mesh: TestMesh;
let sku: OnSale;

test.before(async () => {
  const write = (line: string): void => void logged.push(JSON.parse(line) as (typeof logged)[number]);
  mesh = await startTestMesh({ gateways, inventories: 2, gatewayLogger: pino({ level: 'info' }, { write }) });
  sku = await onSale(mesh, limit);
  // Every gateway knows the limit and the other one, and has its streams open.
  await until(async () => (await crowd(gateways)).every(isIn));
  await knowEachOther();
  logged.length = 0;
});
test.after(() => mesh.close());

const isIn = ({ kind }: Said): boolean => kind === 'held' || kind === 'pending';
const ask = (index: number): Promise<Said> => press(mesh.gatewayAt(index % gateways), somebody(sku));
const crowd = (size: number): Promise<Said[]> => Promise.all(Array.from({ length: size }, (_, index) => ask(index)));

/** Each gateway has had a reply that was made when both were there: it shares the rate with the other one. */
async function knowEachOther(): Promise<void> {
  const redis = new Redis(mesh.redis.url);
  const replies = async (): Promise<number[]> =>
    (await redis.zrange('hf:{s0}:gateways', '0', '-1', 'WITHSCORES')).filter((_, index) => index % 2 === 1).map(Number);
  await until(async () => (await replies()).filter((madeAt) => madeAt > 0).length === gateways);
  const bothThereAt = Number((await redis.time())[0]) * 1_000 + 1_000;
  await until(async () => (await replies()).every((madeAt) => madeAt > bothThereAt));
  redis.disconnect();
}

/** What the gateways let in by themselves at most, from now until it is asked: hardly more than the rate. */
function cap(): () => number {
  const startedAt = performance.now();
  return () => Math.ceil((limit.perSecond * (performance.now() - startedAt)) / 1_000) + gateways + 1;
}

for (const [what, goes] of [
  ['C06: Redis stands still', () => mesh.redis.freeze()],
  ['C06 C07: Redis is dead', () => mesh.redis.kill()],
] as const) {
  test(`${what}: of twenty times the limit each is decided, few get in, the others are told when to come`, async () => {
    await goes();
    const limited = await mesh.gatewayMetric('limited_total');
    const away = await mesh.gatewayMetric('requests_away_total');
    const most = cap();
    const said: Said[] = [];
    await atPace({ perSecond: 20 * limit.perSecond, seconds: 1.5 }, async (index) => said.push(await ask(index)));
    const admitted = said.filter(isIn).length;
    const refused = said.filter(({ kind }) => kind === 'RATE_LIMITED');
    assert.is(admitted + refused.length, said.length, JSON.stringify(tally(said)));
    assert.ok(admitted > 0 && admitted <= most(), `${admitted} of ${said.length} got in`);
    assert.ok(refused.every(({ retryAfterMs }) => (retryAfterMs ?? 0) > 0));
    assert.equal(new Set(refused.map(({ metadata }) => metadata.limit)), new Set(['STORE_SKU']));
    assert.is((await mesh.gatewayMetric('limited_total')) - limited, refused.length);
    assert.ok((await mesh.gatewayMetric('requests_away_total')) - away >= said.length);
  });
}

test('C07: each gateway says once that they are away, and once that they are back', async () => {
  const count = (words: string): number => logged.filter(({ msg }) => msg?.startsWith(words)).length;
  const untilEachSaid = (words: string): Promise<boolean> =>
    until(async () => {
      await crowd(gateways);
      return count(words) === gateways;
    });
  // A gateway that found them slow within the last minute says so only when it lasts.
  await untilEachSaid('marks and limits are away');
  await mesh.redis.start();
  await untilEachSaid('marks and limits are back');
  assert.is(count('marks and limits are away'), gateways, JSON.stringify(logged));
  assert.equal(await mesh.ledger.violations(), []);
});

test.run();
