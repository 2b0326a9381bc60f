import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { createRedis } from '#libs/redis/redis-client.js';
import { Fault } from '#libs/refusal/fault.js';
import { createLogger } from '#libs/runtime/logger.js';
import { createMetrics, type Metrics } from '#libs/runtime/metrics.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import type { Beginning, Begun } from '../app/ports.js';
import { Away } from './away.js';
import type { RedisRequests } from './redis-requests.js';
import { requestKeys } from './request-keys.js';
import { beginning, crowd, ending, limitOf, RequestsStage, stored } from './test-redis-requests.js';

const test = suite('away');
let stage: RequestsStage;
let metrics: Metrics;
let logged: { level: number; msg: string; times?: number }[];
/** Waits for Redis as long as a gateway does. */
let gateway: RedisRequests;
/** Waits for ever. */
let patient: RedisRequests;

test.before.each(async () => {
  stage = await RequestsStage.open({ appendonly: true });
  metrics = createMetrics();
  logged = [];
  const logger = pino({ level: 'info' }, { write: (line: string) => void logged.push(JSON.parse(line)) });
  gateway = stage.gateway({ callMs: 80, leaseMs: 60_000, logger, metrics });
  patient = stage.gateway({ leaseMs: 60_000 });
  await until(() => gateway.begin(beginning()));
  logged.length = 0;
});
test.after.each(async () => {
  stage.server.thaw();
  await stage.close();
});

/** The metric's value for one kind of call. */
async function counted(name: string, call: string): Promise<number> {
  return Number(new RegExp(`^holdfast_${name}\\{call="${call}"\\} (\\d+)$`, 'm').exec(await metrics.text())?.[1] ?? 0);
}

async function reasons(calls: readonly Promise<unknown>[]): Promise<Set<string>> {
  return new Set((await Promise.all(calls.map((call) => rejectionOf(call, Fault)))).map(({ reason }) => reason));
}

function again(first: Beginning): Promise<Begun> {
  return patient.begin({ ...first, owner: randomUUID() });
}

/** Every kind of call. */
function everyCall(): Promise<unknown>[] {
  const one = beginning();
  return [
    gateway.begin(one),
    gateway.end(ending(one, stored('HELD'))),
    gateway.renew(one),
    gateway.changing(one.markId, 0),
    gateway.place({ storeId: 'store', shard: 1, skuId: 'sku', userId: one.userId }),
    gateway.lease({ limit: 'USER', id: one.userId, perSecond: 1, burst: 1, wanted: 1 }),
  ];
}

test('C06: a Redis that is frozen decides nothing and holds up nobody', async () => {
  // The connection waits a minute, so only the gateway's own patience can end a call.
  stage.server.freeze();
  assert.equal(await reasons(everyCall()), new Set(['UNAVAILABLE']));
  assert.equal(await reasons(crowd(200).map((each) => gateway.begin(each))), new Set(['UNAVAILABLE']));
  stage.server.thaw();
  await until(() => gateway.begin(beginning()));
});

test('C06: nor does one that was killed', async () => {
  stage.server.freeze();
  assert.equal(await reasons(crowd(200).map((each) => gateway.begin(each))), new Set(['UNAVAILABLE']));
  await stage.server.kill();
  assert.equal(
    await reasons([...everyCall(), ...crowd(200).map((each) => gateway.begin(each))]),
    new Set(['UNAVAILABLE']),
  );
  await stage.server.start();
  await until(() => gateway.begin(beginning()));
});

test('C06: while it is known to be away nothing is sent, but for one batch now and then', async () => {
  const sent = async (): Promise<number> =>
    Number(/redis_calls_total\{script="requests_begin"\} (\d+)/.exec(await stage.metrics.text())?.[1] ?? 0);
  const before = await sent();
  stage.server.freeze();
  const crowds = crowd(10_000).map((each) => gateway.begin(each));
  assert.equal(await reasons(crowds), new Set(['UNAVAILABLE']));
  const batches = (await sent()) - before;
  assert.ok(batches <= 12, `${batches} batches were sent for 20`);
});

test('C06: what is left to be told is bounded', async () => {
  stage.server.freeze();
  await rejectionOf(gateway.begin(beginning()), Fault);
  const ends = crowd(12_000).map((each) => gateway.end(ending(each, stored('HELD'))));
  assert.equal(await reasons(ends), new Set(['UNAVAILABLE']));
  await until(async () => Number(/marks_untold_total (\d+)/.exec(await metrics.text())?.[1]) >= 2_000);
});

test('C07: it is said once that they are away and once that they are back, and each call is counted', async () => {
  stage.server.freeze();
  for (let rounds = 0; rounds < 4; rounds += 1) await reasons(crowd(50).map((each) => gateway.begin(each)));
  assert.equal(
    logged.map(({ msg }) => msg),
    ['marks and limits are away: each request goes by itself'],
  );
  assert.is(await counted('requests_away_total', 'begin'), 200);
  stage.server.thaw();
  await until(() => gateway.begin(beginning()));
  await until(() => logged.length === 2);
  assert.is(logged[1]?.msg, 'marks and limits are back');
});

test('a Redis that is slow now and then is told once a minute with how often it was, and one that stays away at once', async () => {
  let now = 0;
  const logger = pino({ level: 'info' }, { write: (line: string) => void logged.push(JSON.parse(line)) });
  const away = new Away({ logger, metrics: createMetrics(), now: () => now });
  const fail = () =>
    rejectionOf(
      away.run('begin', 1, () => Promise.reject(new Fault('UNAVAILABLE', 'slow'))),
      Fault,
    );
  const answer = () => away.run('begin', 1, async () => 'here');
  for (; now < 70_000; now += 10_000) {
    await fail();
    now += 1_000;
    await answer();
  }
  const lines = () => logged.splice(0).map(({ msg, times }) => (msg.includes('away') ? times : 'back'));
  assert.equal(lines(), [1, 'back', 6, 'back']);
  await fail();
  now += 5_000;
  await fail();
  now += 1_000;
  await answer();
  assert.equal(lines(), [1, 'back']);
});

test('an end that finds Redis away is told when it is back', async () => {
  const [held, left] = crowd(2) as [Beginning, Beginning];
  for (const each of [held, left]) await gateway.begin(each);
  stage.server.freeze();
  await rejectionOf(gateway.end(ending(held, stored('HELD'))), Fault);
  await rejectionOf(gateway.end(ending(left, { kind: 'LEAVE' })), Fault);
  stage.server.thaw();
  await until(async () => (await again(held)).kind === 'DONE');
  await until(async () => (await again(left)).kind === 'GO');
});

test('an end is told when Redis was killed and is back with its data', async () => {
  const held = beginning();
  await gateway.begin(held);
  await stage.server.kill();
  await rejectionOf(gateway.end(ending(held, stored('HELD'))), Fault);
  await stage.server.start();
  await until(async () => (await again(held)).kind === 'DONE');
});

test('a change that finds Redis away is noted when it is back', async () => {
  const held = beginning();
  await gateway.begin(held);
  await gateway.end(ending(held, stored('HELD')));
  stage.server.freeze();
  await rejectionOf(gateway.changing(held.markId, 0), Fault);
  stage.server.thaw();
  await until(async () => {
    const begun = await again(held);
    return begun.kind === 'DONE' && begun.answer.length === 0;
  });
});

test('a beginning whose answer was lost does not stay in progress', async () => {
  const lost = beginning();
  stage.server.freeze();
  await rejectionOf(gateway.begin(lost), Fault);
  stage.server.thaw();
  await until(async () => (await again(lost)).kind === 'GO');
});

test('an end whose lease is over is told no more', async () => {
  const short = stage.gateway({ callMs: 80, leaseMs: 50, awayMs: 100, metrics });
  const held = beginning();
  await short.begin(held);
  await stage.server.kill();
  await rejectionOf(short.end(ending(held, stored('HELD'))), Fault);
  await until(async () => Number(/marks_untold_total (\d+)/.exec(await metrics.text())?.[1]) === 1);
  await stage.server.start();
  assert.is((await until(() => again(held))).kind, 'GO');
});

test('a script that fails by itself fails its batch and nobody else, and is not taken for an outage', async () => {
  const [bucket = '', , , expected = ''] = requestKeys.ofSkus(0, [{ storeId: 'store', skuId: 'broken' }]);
  await stage.redis.set(bucket, '0:1:1:L');
  await stage.redis.set(expected, 'a value of another type');
  const fault = await rejectionOf(gateway.begin(beginning({ skus: [limitOf('broken', 1, 1)] })), Fault);
  assert.is(fault.reason, 'UNAVAILABLE');
  assert.is((await gateway.begin(beginning())).kind, 'GO');
  assert.equal(
    logged.map(({ msg }) => msg),
    ['a script of marks and limits failed'],
  );
});

test('a Redis that is full is away, and what is there is told when it has room', async () => {
  const held = beginning();
  await gateway.begin(held);
  await stage.redis.config('SET', 'maxmemory', '1');
  const sku = limitOf('full', 0.001, 1);
  assert.is((await rejectionOf(gateway.begin(beginning({ skus: [sku] })), Fault)).reason, 'UNAVAILABLE');
  await rejectionOf(gateway.end(ending(held, stored('HELD'))), Fault);
  await stage.redis.config('SET', 'maxmemory', '0');
  await until(async () => (await again(held)).kind === 'DONE');
  assert.is((await patient.begin(beginning({ skus: [sku] }))).kind, 'GO', 'no token was spent for nothing');
});

test('a gateway starts without Redis, and finds it', async () => {
  await stage.server.kill();
  const redis = createRedis({ url: stage.server.url, name: 'x', logger: createLogger('test', 'silent'), metrics });
  const early = stage.gateway({ redis });
  assert.is((await rejectionOf(early.begin(beginning()), Fault)).reason, 'UNAVAILABLE');
  assert.is(early.gateways, 1);
  await stage.server.start();
  await until(() => early.begin(beginning()));
  redis.disconnect();
});

test.run();
