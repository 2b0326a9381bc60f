import { randomUUID } from 'node:crypto';
import { orderId, shardOfStore } from '#libs/contracts/order-id.js';
import { type TestLedger, testLedger } from '#libs/ledger/test-ledger.js';
import { createRedis, type RedisClient } from '#libs/redis/redis-client.js';
import { createLogger } from '#libs/runtime/logger.js';
import { createMetrics } from '#libs/runtime/metrics.js';
import type { PrivateServer } from '#libs/servers/private-server.js';
import { type FaultProxy, faultProxy } from '#libs/testing/fault-proxy.js';
import { privateRedis } from '#libs/testing/private-servers.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { openTestBreaker, silentStream, TestSwitches } from '../../test/placing-parts.js';
import { RedisGate } from '../adapters/redis-gate.js';
import type { Line } from '../domain/lines.js';
import { PlaceHolds, type PlaceHoldsOptions } from './place-holds.js';
import type { Claim, Outcome } from './placement.js';
import { sweepJournal } from './sweep-journal.js';
import { SyncGates } from './sync-gates.js';

const test = suite('place holds');
const logger = createLogger('test', 'silent');
const SHARDS = 2;
const SHARD = shardOfStore('store-1', SHARDS);

let database: TestLedger;
let server: PrivateServer;
let proxy: FaultProxy;
let redis: RedisClient;
let direct: RedisClient;
const opened: PlaceHolds[] = [];

test.before(async () => {
  database = await testLedger();
  server = await privateRedis();
  proxy = await faultProxy('127.0.0.1', server.port);
  const common = { name: 'test', commandTimeoutMs: 200, logger, metrics: createMetrics() };
  const connect = (port: number): RedisClient => createRedis({ url: `redis://127.0.0.1:${port}`, ...common });
  redis = connect(proxy.port);
  direct = connect(server.port);
  await until(() => redis.status === 'ready' && direct.status === 'ready');
});
test.before.each(async () => {
  await direct.flushall();
});
test.after.each(async () => {
  proxy.heal();
  for (const placeHolds of opened.splice(0)) await placeHolds.drain();
  await until(() => redis.status === 'ready');
});
test.after(async () => {
  redis.disconnect();
  direct.disconnect();
  await proxy.close();
  await server.stop();
  await database.drop();
});

/** One process's placing, without a stream unless one is given. */
function open(some: Partial<PlaceHoldsOptions> = {}): PlaceHolds {
  const { ledger } = database;
  const gate = new RedisGate(redis);
  const placeHolds = new PlaceHolds({
    ledger,
    directLedger: ledger,
    switches: new TestSwitches(),
    openBreaker: openTestBreaker,
    ledgerNow: () => new Date(),
    gate,
    syncGates: new SyncGates(ledger, gate, SHARDS),
    shards: SHARDS,
    directTurns: 2,
    maxInFlight: 10_000,
    metrics: createMetrics(),
    logger,
    ...some,
  });
  opened.push(placeHolds);
  return placeHolds;
}

function claim(skuId: string, quantity = 1, some: Partial<Claim> = {}): Claim {
  const userId = some.userId ?? `user-${randomUUID()}`;
  const requestId = some.requestId ?? randomUUID();
  const lines: readonly Line[] = [{ skuId, quantity, attendeeId: userId }];
  return { orderId: orderId('store-1', userId, requestId), storeId: 'store-1', userId, requestId, lines, ...some };
}

function place(placeHolds: PlaceHolds, wanted: Claim, remainingMs = 3000): Promise<Outcome> {
  return new Promise((resolve) => placeHolds.place(wanted, { remainingMs }, resolve));
}

function told(outcome: Outcome): string {
  if (outcome.kind === 'REFUSED') return outcome.refusal.reason;
  return outcome.kind === 'FAULT' ? outcome.fault.reason : outcome.kind;
}

async function rows(skuId: string): Promise<Record<string, number>> {
  const found = await database.sql<{ state: string; count: string }>(
    'SELECT o.state, count(DISTINCT o.order_id) FROM ledger.orders o JOIN ledger.order_lines l USING (order_id) WHERE l.sku_id = $1 GROUP BY 1',
    [skuId],
  );
  return Object.fromEntries(found.map(({ state, count }) => [state, Number(count)]));
}

function sweep(): ReturnType<typeof sweepJournal> {
  return sweepJournal(new RedisGate(direct), database.ledger, SHARDS);
}

test('an order that finds units free is held, and its row is there when it is told so', async () => {
  const { skuId } = await database.sku();
  const wanted = claim(skuId);
  const outcome = await place(open(), wanted);
  assert.is(told(outcome), 'HELD');
  assert.is((await database.ledger.ordersRead([wanted.orderId]))[0]?.state, 'HELD');
});

test('A01: of 500 callers at once exactly as many as there are units are held, through the gate and past it', async () => {
  for (const path of ['gate', 'ledger']) {
    const { skuId } = await database.sku({ capacity: 1 });
    const placeHolds = path === 'gate' ? open() : open({ gate: undefined, syncGates: undefined });
    const outcomes = await Promise.all(Array.from({ length: 500 }, () => place(placeHolds, claim(skuId), 10_000)));
    assert.is(outcomes.filter((outcome) => outcome.kind === 'HELD').length, 1, path);
    assert.is(outcomes.filter((outcome) => told(outcome) === 'ALL_HELD').length, 499, path);
    assert.equal(await rows(skuId), { HELD: 1, REFUSED: 499 }, path);
  }
});

test('two processes share a gate and sell what there is', async () => {
  const { skuId } = await database.sku({ capacity: 40 });
  const processes = [open(), open()];
  const outcomes = await Promise.all(
    Array.from({ length: 200 }, (_, i) => place(processes[i % 2] as PlaceHolds, claim(skuId), 10_000)),
  );
  assert.is(outcomes.filter((outcome) => outcome.kind === 'HELD').length, 40);
  assert.is((await rows(skuId)).HELD, 40);
});

test('A34: who wants two of one free unit gets none, and is told that one is free', async () => {
  const { skuId } = await database.sku({ capacity: 1, perUserLimit: 2 });
  const outcome = await place(open(), claim(skuId, 2));
  assert.is(outcome.kind === 'REFUSED' && outcome.refusal.free, 1);
  assert.is(told(await place(open(), claim(skuId, 1))), 'HELD');
});

test('the same order from two callers at once is one order, held for both', async () => {
  const { skuId } = await database.sku({ capacity: 5 });
  const wanted = claim(skuId);
  const outcomes = await Promise.all([place(open(), wanted), place(open(), wanted), place(open(), wanted)]);
  assert.equal(outcomes.map(told), ['HELD', 'HELD', 'HELD']);
  assert.equal(await rows(skuId), { HELD: 1 });
});

test('the same request_id for other lines is told apart, while the first is decided and after', async () => {
  const { skuId } = await database.sku({ capacity: 5, perUserLimit: 5 });
  const placeHolds = open();
  const first = claim(skuId, 1);
  const other = { ...first, lines: [{ skuId, quantity: 2, attendeeId: first.userId }] };
  assert.equal((await Promise.all([place(placeHolds, first), place(placeHolds, other)])).map(told), [
    'HELD',
    'REQUEST_ID_REUSED',
  ]);
  assert.is(told(await place(placeHolds, other)), 'REQUEST_ID_REUSED');
  assert.is(told(await place(placeHolds, first)), 'HELD');
});

test('one request_id pressed with two bodies: each try is answered about its own lines, on sale and sold out', async () => {
  for (const capacity of [60, 1]) {
    const { skuId } = await database.sku({ capacity, perUserLimit: 3 });
    const processes = [open(), open()];
    await place(open(), claim(skuId));
    const one = claim(skuId, 1);
    const two = { ...one, lines: [{ skuId, quantity: 2, attendeeId: one.userId }] };
    const tries = Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? one : two));
    const outcomes = await Promise.all(
      tries.map((wanted, i) => place(processes[i % 3 === 0 ? 0 : 1] as PlaceHolds, wanted)),
    );
    const answers = (wanted: Claim): string[] => [...new Set(outcomes.filter((_, i) => tries[i] === wanted).map(told))];
    const [born] = await database.ledger.ordersRead([one.orderId]);
    const quantity = born?.lines[0]?.quantity;
    const first = capacity === 1 ? 'ALL_HELD' : 'HELD';
    assert.equal(
      [answers(one), answers(two)],
      quantity === 1 ? [[first], ['REQUEST_ID_REUSED']] : [['REQUEST_ID_REUSED'], [first]],
    );
  }
});

test('news of a fault may be about other lines under the same id: the ledger is asked about these', async () => {
  const { skuId } = await database.sku();
  const placeHolds = open({ stream: silentStream });
  const wanted = claim(skuId);
  const answer = place(placeHolds, wanted);
  await until(() => placeHolds.awaits(wanted.orderId));
  placeHolds.heard({ orderId: wanted.orderId, kind: 'FAULT', reason: 'REQUEST_ID_REUSED', metadata: {} });
  assert.is(told(await answer), 'HELD');
});

test('A14, K09: what the ledger does not take is let in again, and nothing is left in the journal', async () => {
  const { skuId } = await database.sku({ capacity: 5 });
  await new SyncGates(database.ledger, new RedisGate(direct), SHARDS).syncSkus([skuId]);
  assert.is(told(await place(open(), claim(skuId, 2))), 'LIMIT_REACHED');
  await until(async () => (await direct.hget(`hf:{s${SHARD}}:gate:${skuId}`, 'undecided')) === '0');
  assert.is(await direct.hget(`hf:{s${SHARD}}:gate:${skuId}`, 'let_in'), '5');
});

test('an unknown sku and a sku of another store are not found, and leave no row', async () => {
  const { skuId } = await database.sku({ storeId: 'store-2' });
  assert.equal(
    [told(await place(open(), claim('no-such-sku'))), told(await place(open(), claim(skuId)))],
    ['SKU_NOT_FOUND', 'SKU_NOT_FOUND'],
  );
  assert.equal(await rows(skuId), {});
});

test('before the opening nobody is let in, and the same request_id works afterwards', async () => {
  const { skuId, etag, ...terms } = await database.sku({ onSaleAt: new Date(Date.now() + 3_600_000) });
  const wanted = claim(skuId);
  const placeHolds = open();
  const outcome = await place(placeHolds, wanted);
  assert.equal(outcome.kind === 'REFUSED' && outcome.refusal.opensAt, terms.onSaleAt);
  const { overbooked: _, onSaleAt: __, ...always } = terms;
  await database.ledger.skuPut({ ...always, skuId }, etag);
  assert.is(told(await place(placeHolds, wanted)), 'HELD');
});

test('E03: with Redis gone an order is held by the ledger; nothing runs in Redis afterwards, and one unit is taken', async () => {
  const { skuId } = await database.sku({ capacity: 3 });
  const placeHolds = open();
  await place(placeHolds, claim(skuId));
  proxy.cut();
  assert.is(told(await place(placeHolds, claim(skuId))), 'HELD');
  proxy.heal();
  await until(() => redis.status === 'ready');
  assert.is(await direct.hget(`hf:{s${SHARD}}:gate:${skuId}`, 'let_in'), '2');
  assert.equal(await rows(skuId), { HELD: 2 });
});

test('E02, E13: a lost reply of the gate is an unknown outcome: the order is held once, the claim left behind is settled', async () => {
  const { skuId } = await database.sku({ capacity: 3 });
  const placeHolds = open();
  await place(placeHolds, claim(skuId));
  proxy.dropReplies();
  const wanted = claim(skuId);
  assert.is(told(await place(placeHolds, wanted)), 'HELD');
  await until(async () => (await sweep()).settled === 1);
  assert.equal(await rows(skuId), { HELD: 2 });
  assert.equal(await new RedisGate(direct).openSkus(SHARD), []);
});

test('a claim that the stream has and nobody decided is PENDING, and the sweep keeps the promise', async () => {
  const { skuId } = await database.sku({ capacity: 3 });
  const placeHolds = open({ stream: silentStream });
  const wanted = claim(skuId);
  assert.is(told(await place(placeHolds, wanted, 600)), 'PENDING');
  assert.equal(await new RedisGate(direct).promised(SHARD, wanted.orderId), wanted);
  await until(async () => (await sweep()).admitted === 1);
  assert.equal(await rows(skuId), { HELD: 1 });
  assert.is(await new RedisGate(direct).promised(SHARD, wanted.orderId), undefined);
});

test('a batch that the stream did not acknowledge is admitted directly, and settled', async () => {
  const { skuId } = await database.sku({ capacity: 3 });
  const placeHolds = open({
    stream: { ...silentStream, store: () => Promise.reject(new Error('no acknowledgement')) },
  });
  assert.is(told(await place(placeHolds, claim(skuId))), 'HELD');
  await until(async () => (await new RedisGate(direct).openSkus(SHARD)).length === 0);
});

test('A20: a claim that nobody carried any further is dropped, and its unit let in again', async () => {
  const { skuId } = await database.sku({ capacity: 1 });
  const gate = new RedisGate(direct);
  await new SyncGates(database.ledger, gate, SHARDS).syncSkus([skuId]);
  const abandoned = claim(skuId);
  await gate.place(SHARD, [abandoned]);
  await direct.hset(`hf:{s${SHARD}}:gate:${skuId}`, `c:${abandoned.orderId}`, `1:${Date.now() - 5000}`);
  assert.is((await sweep()).dropped, 1);
  assert.is(told(await place(open(), claim(skuId))), 'HELD');
});

test('nobody is told no while a yes is under way: who is short because of undecided others waits for them', async () => {
  const { skuId } = await database.sku({ capacity: 1 });
  const gate = new RedisGate(direct);
  await new SyncGates(database.ledger, gate, SHARDS).syncSkus([skuId]);
  const undecided = claim(skuId);
  await gate.place(SHARD, [undecided]);
  const placeHolds = open();
  let answered = false;
  const waiting = place(placeHolds, claim(skuId)).finally(() => {
    answered = true;
  });
  await until(() => placeHolds.stats().parked === 1);
  assert.not(answered);
  await gate.settle(SHARD, [{ orderId: undecided.orderId, skuIds: [skuId], again: true }]);
  assert.is(told(await waiting), 'HELD');
});

test('FLUSHALL and an old dump in the middle of a sale cost time, never a unit', async () => {
  const { skuId } = await database.sku({ capacity: 100 });
  const placeHolds = open();
  const outcomes: Promise<Outcome>[] = [];
  for (let wave = 0; wave < 10; wave += 1) {
    outcomes.push(...Array.from({ length: 30 }, () => place(placeHolds, claim(skuId), 10_000)));
    await outcomes[wave * 30];
    if (wave % 3 === 1) await direct.flushall();
  }
  assert.is((await Promise.all(outcomes)).filter((outcome) => outcome.kind === 'HELD').length, 100);
  assert.equal(await rows(skuId), { HELD: 100, REFUSED: 200 });
});

test('more in flight than allowed is refused at once and takes nothing', async () => {
  const { skuId } = await database.sku();
  const placeHolds = open({ maxInFlight: 1 });
  const [first, second] = await Promise.all([place(placeHolds, claim(skuId)), place(placeHolds, claim(skuId))]);
  assert.equal([told(first), told(second)], ['HELD', 'BUSY']);
  assert.equal(await rows(skuId), { HELD: 1 });
});

test.run();
