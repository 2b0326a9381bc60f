import { randomUUID } from 'node:crypto';
import type { SkuStock } from '#libs/ledger/rows.js';
import { createRedis, type RedisClient } from '#libs/redis/redis-client.js';
import { createLogger } from '#libs/runtime/logger.js';
import { createMetrics } from '#libs/runtime/metrics.js';
import type { PrivateServer } from '#libs/servers/private-server.js';
import { privateRedis } from '#libs/testing/private-servers.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import type { Claim } from '../app/placement.js';
import { RedisGate } from './redis-gate.js';

const test = suite('redis gate');
let server: PrivateServer;
let redis: RedisClient;
let gate: RedisGate;

test.before(async () => {
  server = await privateRedis();
  redis = createRedis({
    url: server.url,
    name: 'gate-test',
    logger: createLogger('test', 'silent'),
    metrics: createMetrics(),
  });
  await until(() => redis.status === 'ready');
  gate = new RedisGate(redis);
});
test.before.each(async () => {
  await redis.flushall();
});
test.after(async () => {
  redis.disconnect();
  await server.stop();
});

const now = new Date();

function stock(skuId: string, free: number, version = 1, terms: Partial<SkuStock> = {}): SkuStock {
  return {
    skuId,
    storeId: 'store',
    capacity: free,
    overbooked: 0,
    free,
    reserved: 0,
    held: 0,
    sold: 0,
    version,
    paused: false,
    perUserLimit: 1,
    maxPerOrder: 10,
    ...terms,
  };
}

function claim(...lines: [skuId: string, quantity: number][]): Claim {
  return {
    orderId: randomUUID(),
    storeId: 'store',
    userId: 'user',
    requestId: randomUUID(),
    lines: lines.map(([skuId, quantity]) => ({ skuId, quantity, attendeeId: 'user' })),
  };
}

async function place(...claims: Claim[]): Promise<string[]> {
  return (await gate.place(0, claims)).map((verdict) =>
    'skuId' in verdict ? `${verdict.code} ${verdict.skuId}` : verdict.code,
  );
}

async function letIn(skuId: string): Promise<number> {
  return Number(await redis.hget(`hf:{s0}:gate:${skuId}`, 'let_in'));
}

test('a sku that the gate does not know is not sold out', async () => {
  assert.equal(await place(claim(['a', 1])), ['NOT_LOADED a']);
});

test('E09: a gate whose key was deleted in mid-sale is not loaded, and exact again after a sync', async () => {
  await gate.sync(0, now, [stock('a', 3)]);
  await place(claim(['a', 1]));
  await redis.del('hf:{s0}:gate:a');
  assert.equal(await place(claim(['a', 1])), ['NOT_LOADED a']);
  await gate.sync(0, now, [stock('a', 2, 2)]);
  assert.equal(await place(claim(['a', 2]), claim(['a', 1])), ['IN', 'SHORT a']);
});

test('a batch lets in as many units as there are, in order of arrival', async () => {
  await gate.sync(0, now, [stock('a', 3)]);
  assert.equal(await place(claim(['a', 2]), claim(['a', 1]), claim(['a', 1])), ['IN', 'IN', 'SHORT a']);
  assert.is(await letIn('a'), 0);
});

test('behind an order that stays short nobody overtakes within a batch', async () => {
  await gate.sync(0, now, [stock('a', 2)]);
  assert.equal(await place(claim(['a', 3]), claim(['a', 1])), ['SHORT a', 'SHORT a']);
});

test('all lines of an order or none', async () => {
  await gate.sync(0, now, [stock('a', 5), stock('b', 1)]);
  assert.equal(await place(claim(['a', 2], ['b', 2])), ['SHORT b']);
  assert.is(await letIn('a'), 5);
});

test('lines that name one sku twice are summed', async () => {
  await gate.sync(0, now, [stock('a', 3)]);
  assert.equal(await place(claim(['a', 2], ['a', 2])), ['SHORT a']);
  assert.equal(await place(claim(['a', 2], ['a', 1])), ['IN']);
  assert.is(await letIn('a'), 0);
});

test('an order that is in the journal is undecided, also within its own batch, and takes nothing twice', async () => {
  await gate.sync(0, now, [stock('a', 5)]);
  const order = claim(['a', 2]);
  assert.equal(await place(order, order), ['IN', 'UNDECIDED']);
  assert.equal(await place(order), ['UNDECIDED']);
  assert.is(await letIn('a'), 3);
});

test('an order whose last publish is older than a second is to be published again, once', async () => {
  await gate.sync(0, now, [stock('a', 5)]);
  const order = claim(['a', 1]);
  await place(order);
  await redis.hset('hf:{s0}:gate:a', `c:${order.orderId}`, `1:${Date.now() - 1500}`);
  assert.equal(await place(order), ['REPUBLISH']);
  assert.equal(await place(order), ['UNDECIDED']);
});

test('a sync counts what is undecided', async () => {
  await gate.sync(0, now, [stock('a', 5)]);
  await place(claim(['a', 2]));
  await gate.sync(0, now, [stock('a', 5, 2)]);
  assert.is(await letIn('a'), 3);
});

test('a sync with an older word than the gate has is ignored', async () => {
  await gate.sync(0, now, [stock('a', 5, 7)]);
  assert.is(await gate.sync(0, now, [stock('a', 9, 6)]), 0);
  assert.is(await letIn('a'), 5);
});

test('let-in is never below zero', async () => {
  await gate.sync(0, now, [stock('a', 2)]);
  await place(claim(['a', 2]));
  await gate.sync(0, now, [stock('a', 0, 2)]);
  assert.is(await letIn('a'), 0);
});

test('a settled claim leaves the journal once; its units are let in again when it took none', async () => {
  await gate.sync(0, now, [stock('a', 5)]);
  const [taken, refused] = [claim(['a', 1]), claim(['a', 2])];
  await place(taken, refused);
  const settlements = [
    { orderId: taken.orderId, skuIds: ['a'], again: false },
    { orderId: refused.orderId, skuIds: ['a'], again: true },
  ];
  assert.is(await gate.settle(0, settlements), 2);
  assert.is(await gate.settle(0, settlements), 0);
  assert.is(await letIn('a'), 4);
  assert.equal(await gate.openSkus(0), []);
});

test('a claim that somebody touched since it was read is not dropped', async () => {
  await gate.sync(0, now, [stock('a', 5)]);
  const order = claim(['a', 1]);
  await place(order);
  const [entry] = await gate.undecided(0, 'a', 0);
  assert.is(entry?.orderId, order.orderId);
  assert.is(await gate.settle(0, [{ orderId: order.orderId, skuIds: ['a'], again: true, stamp: '1' }]), 0);
  assert.is(
    await gate.settle(0, [{ orderId: order.orderId, skuIds: ['a'], again: true, stamp: entry?.stamp ?? '' }]),
    1,
  );
});

test('a promised claim can be read back, is undecided to whoever tries again, and leaves when it is settled', async () => {
  await gate.sync(0, now, [stock('a', 5)]);
  const order = claim(['a', 2]);
  await place(order);
  await gate.promise(0, [{ claim: order, notAfter: now }]);
  assert.equal(await gate.promised(0, order.orderId), order);
  assert.equal(await gate.promises(0, 0), [order]);
  await redis.del('hf:{s0}:gate:a');
  assert.equal(await place(order), ['UNDECIDED']);
  await gate.settle(0, [{ orderId: order.orderId, skuIds: ['a'], again: false }]);
  assert.is(await gate.promised(0, order.orderId), undefined);
});

test('K04: the gate opens with the ledger, whatever its own clock says', async () => {
  const ledgerNow = new Date(Date.now() + 3_600_000);
  await gate.sync(0, ledgerNow, [stock('a', 5, 1, { onSaleAt: new Date(ledgerNow.getTime() + 60_000) })]);
  assert.equal(await place(claim(['a', 1])), ['CLOSED a']);
  await gate.sync(0, ledgerNow, [stock('a', 5, 2, { onSaleAt: ledgerNow })]);
  assert.equal(await place(claim(['a', 1])), ['IN']);
});

test('a paused sku, a sale that is over and a slot that has begun let nobody in', async () => {
  const past = new Date(now.getTime() - 1000);
  await gate.sync(0, now, [
    stock('a', 5, 1, { paused: true }),
    stock('b', 5, 1, { offSaleAt: past }),
    stock('c', 5, 1, { startsAt: past }),
  ]);
  assert.equal(await place(claim(['a', 1]), claim(['b', 1]), claim(['c', 1])), ['CLOSED a', 'CLOSED b', 'CLOSED c']);
});

test('a gate goes after its sale is over and its journal is empty, not before', async () => {
  await gate.sync(0, now, [stock('a', 5), stock('b', 5)]);
  const order = claim(['a', 1]);
  await place(order);
  const over = { offSaleAt: new Date(now.getTime() - 1000) };
  await gate.sync(0, now, [stock('a', 5, 2, over), stock('b', 5)]);
  assert.is(await gate.close(0), 0);
  await gate.settle(0, [{ orderId: order.orderId, skuIds: ['a'], again: true }]);
  assert.is(await gate.close(0), 1);
  assert.equal(await redis.exists('hf:{s0}:gate:a', 'hf:{s0}:gate:b'), 1);
  assert.is(await redis.ttl('hf:{s0}:gate:b'), -1);
});

test('A29: a quantity that is no whole number of units is refused and nothing of its batch is let in', async () => {
  await gate.sync(0, now, [stock('a', 5)]);
  for (const quantity of [0, -3, 2.5, 2 ** 31, Number.NaN]) {
    let error: unknown;
    await gate.place(0, [claim(['a', 1]), claim(['a', quantity])]).catch((thrown: unknown) => {
      error = thrown;
    });
    assert.match(String(error), 'quantity', `${quantity}`);
  }
  assert.is(await letIn('a'), 5);
  assert.equal(await gate.undecided(0, 'a', 0), []);
});

test('E08: a script that fails leaves nothing half written', async () => {
  await gate.sync(0, now, [stock('a', 5)]);
  await redis.set('hf:{s0}:gate:b', 'a value of another type');
  const before = await redis.hgetall('hf:{s0}:gate:a');
  await gate.place(0, [claim(['a', 1]), claim(['b', 1])]).then(
    () => assert.unreachable(),
    () => undefined,
  );
  assert.equal(await redis.hgetall('hf:{s0}:gate:a'), before);

  await redis.del('hf:{s0}:gate:b');
  await redis.config('SET', 'maxmemory', '1');
  await gate.place(0, [claim(['a', 1])]).then(
    () => assert.unreachable(),
    () => undefined,
  );
  await redis.config('SET', 'maxmemory', '0');
  assert.equal(await redis.hgetall('hf:{s0}:gate:a'), before);
});

test('E11: a journal of 20,000 claims is listed in pages', async () => {
  await gate.sync(0, now, [stock('a', 30_000)]);
  for (let i = 0; i < 40; i += 1)
    await gate.place(
      0,
      Array.from({ length: 500 }, () => claim(['a', 1])),
    );
  assert.is((await gate.undecided(0, 'a', 0)).length, 20_000);
});

test('skus that were used are named once to whoever syncs them', async () => {
  await gate.sync(0, now, [stock('a', 5), stock('b', 5)]);
  await place(claim(['a', 1]), claim(['b', 1]));
  assert.equal((await gate.takeUsedSkus(0)).sort(), ['a', 'b']);
  assert.equal(await gate.takeUsedSkus(0), []);
});

test.run();
