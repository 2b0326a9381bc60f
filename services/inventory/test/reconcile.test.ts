import { randomUUID } from 'node:crypto';
import {
  type Finding,
  type Plan,
  PlanState,
  ReconcileServiceDefinition,
} from '#libs/contracts/gen/holdfast/control/v1/reconcile_service.js';
import { shardOfStore } from '#libs/contracts/order-id.js';
import { claimOf, lineOf, type TestLedger, testLedger } from '#libs/ledger/test-ledger.js';
import { key } from '#libs/redis/keys.js';
import { createRedis, type RedisClient } from '#libs/redis/redis-client.js';
import { Fault } from '#libs/refusal/fault.js';
import { type Client, connect } from '#libs/rpc/client.js';
import { Lifecycle } from '#libs/runtime/lifecycle.js';
import { createLogger } from '#libs/runtime/logger.js';
import { createMetrics } from '#libs/runtime/metrics.js';
import type { PrivateServer } from '#libs/servers/private-server.js';
import { privateRedis } from '#libs/testing/private-servers.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { RedisGate } from '../src/adapters/redis-gate.js';
import { SyncGates } from '../src/app/sync-gates.js';
import { readConfig } from '../src/config.js';
import { startInventory } from '../src/service.js';

const test = suite('ReconcileService');
const SHARDS = 4;
const shard = shardOfStore('store-1', SHARDS);
const logger = createLogger('test', 'silent');
let db: TestLedger;
let redisServer: PrivateServer;
let redis: RedisClient;
let gate: RedisGate;
let syncGates: SyncGates;
let clients: Client<typeof ReconcileServiceDefinition>[];
const lives: Lifecycle[] = [];

test.before(async () => {
  [db, redisServer] = await Promise.all([testLedger(), privateRedis()]);
  const options = { url: redisServer.url, name: 'test', commandTimeoutMs: 2_000, logger, metrics: createMetrics() };
  redis = createRedis(options);
  await until(() => redis.status === 'ready');
  gate = new RedisGate(redis);
  syncGates = new SyncGates(db.ledger, gate, SHARDS);
  clients = await Promise.all(['one', 'two'].map(start));
});
test.after(async () => {
  for (const client of clients) client.close();
  for (const life of lives) await life.close();
  redis.disconnect();
  await redisServer.stop();
  await db.drop();
});

async function start(instance: string): Promise<Client<typeof ReconcileServiceDefinition>> {
  const life = new Lifecycle(logger);
  lives.push(life);
  const anyAddress = { GRPC_ADDRESS: '127.0.0.1:0', ADMIN_ADDRESS: '127.0.0.1:0', LOG_LEVEL: 'silent' };
  const servers = { DATABASE_URL: db.url, REDIS_URL: redisServer.url, INSTANCE: instance };
  const { grpcAddress } = await startInventory(readConfig({ ...anyAddress, ...servers }), life);
  return connect(ReconcileServiceDefinition, grpcAddress, { defaultDeadlineMs: 60_000 });
}

function client(): Client<typeof ReconcileServiceDefinition> {
  const [first] = clients;
  if (!first) throw new Error('not started yet');
  return first;
}

const operator = { metadata: { 'holdfast-actor': 'olga', 'holdfast-actor-role': 'operator' } };

async function plan(of: { skuIds?: string[]; endedOnly?: boolean; requestId?: string } = {}): Promise<Plan> {
  const request = { skuIds: [], endedOnly: false, requestId: randomUUID(), ...of };
  const { plan: made } = await client().planReconcile(request);
  if (!made) throw new Error('no plan');
  return made;
}

const found = ({ findings }: Plan): Pick<Finding, 'kind' | 'skuId' | 'orderId' | 'mended'>[] =>
  findings.map(({ kind, skuId, orderId, mended }) => ({ kind, skuId, orderId, mended }));
const gateKey = (skuId: string): string => key(shard, 'gate', skuId);

/** A sku with two units held, whose gate is loaded and in use by nobody. */
async function atRest(): Promise<{ skuId: string; held: string }> {
  const { skuId } = await db.sku({ perUserLimit: 9 });
  const { orderId } = await db.order(claimOf(`ann-${skuId}`, [lineOf(skuId, 'ann', 2)]));
  await syncGates.syncSkus([skuId]);
  return { skuId, held: orderId };
}

const letIn = async (skuId: string): Promise<string | null> => redis.hget(gateKey(skuId), 'let_in');

const gateDamages: [what: string, kind: string, damage: (skuId: string) => Promise<unknown>][] = [
  ['lets in too many', 'GATE_WRONG', (skuId) => redis.hset(gateKey(skuId), 'let_in', 80)],
  ['lets in nobody', 'GATE_WRONG', (skuId) => redis.hset(gateKey(skuId), 'let_in', 0)],
  ['is of a version that the ledger never had', 'GATE_WRONG', (skuId) => redis.hset(gateKey(skuId), 'version', 9_999)],
  ['counts units that no claim has', 'GATE_MISCOUNTED', (skuId) => redis.hset(gateKey(skuId), 'undecided', 5)],
  ['has a word for a number', 'GATE_UNREADABLE', (skuId) => redis.hset(gateKey(skuId), 'let_in', 'many')],
  ['lacks a field', 'GATE_UNREADABLE', (skuId) => redis.hdel(gateKey(skuId), 'open_until')],
  ['has a claim that says nothing', 'GATE_UNREADABLE', (skuId) => redis.hset(gateKey(skuId), 'c:x', 'y')],
];

for (const [what, kind, damage] of gateDamages) {
  test(`a gate that ${what} is mended and named, and nobody has to decide`, async () => {
    const { skuId } = await atRest();
    await damage(skuId);
    const made = await plan();
    assert.equal(found(made), [{ kind, skuId, orderId: '', mended: true }]);
    assert.equal([made.state, made.findingsCount, made.mended], [PlanState.PLAN_STATE_CLEAN, 1, 1]);
    assert.is(await letIn(skuId), '8');
    assert.equal((await plan()).findings, []);
  });
}

test('a gate that lags behind the ledger is set, and nothing is said of it: orders may go past it', async () => {
  const { skuId } = await atRest();
  await redis.hset(gateKey(skuId), 'version', 1, 'let_in', 3);
  assert.equal((await plan()).findings, []);
  assert.is(await letIn(skuId), '8');
});

test('a gate of another type is dropped and loaded anew', async () => {
  const { skuId } = await atRest();
  await redis.del(gateKey(skuId));
  await redis.set(gateKey(skuId), 'text');
  assert.equal(found(await plan()), [{ kind: 'GATE_UNREADABLE', skuId, orderId: '', mended: true }]);
  assert.is(await letIn(skuId), '8');
});

test('E09: a gate whose key is gone is loaded anew; one that nobody ever loaded is nothing to find', async () => {
  const { skuId } = await atRest();
  const { skuId: idle } = await db.sku();
  await redis.del(gateKey(skuId));
  assert.equal(found(await plan()), [{ kind: 'GATE_MISSING', skuId, orderId: '', mended: true }]);
  assert.equal([await letIn(skuId), await letIn(idle)], ['8', null]);
});

test('claims that no list names are listed again, so that the sweep finds them', async () => {
  const { skuId } = await atRest();
  await gate.place(shard, [claimOf('eve', skuId)]);
  await syncGates.syncUsed();
  await redis.del(key(shard, 'open'));
  assert.equal(found(await plan()), [{ kind: 'JOURNAL_UNLISTED', skuId, orderId: '', mended: true }]);
  assert.equal(await gate.openSkus(shard), [skuId]);
  await redis.del(gateKey(skuId), key(shard, 'open'), key(shard, 'closing'));
});

test('a decided claim that nobody took out of the journal is settled and named', async () => {
  const { skuId, held } = await atRest();
  const claim = `2:${Date.now() - 20_000}`;
  await redis.hset(gateKey(skuId), `c:${held}`, claim, 'undecided', 2, 'let_in', 6);
  await redis.sadd(key(shard, 'open'), skuId);
  assert.equal(found(await plan()), [{ kind: 'CLAIM_SETTLED', skuId, orderId: held, mended: true }]);
  assert.equal(await gate.undecided(shard, skuId, 0), []);
  await syncGates.syncUsed();
  assert.is(await letIn(skuId), '8');
});

test('a promise that nobody kept in time is kept, and its order named', async () => {
  const { skuId } = await atRest();
  const claim = claimOf('fay', skuId);
  await gate.promise(shard, [{ claim, notAfter: new Date(Date.now() + 1_000) }]);
  const promised = key(shard, 'promised');
  const text = (await redis.hget(promised, claim.orderId)) ?? '';
  await redis.hset(promised, claim.orderId, `${Date.now() - 60_000}${text.slice(text.indexOf(':'))}`);
  const made = await plan();
  assert.equal(found(made), [{ kind: 'PROMISE_LATE', skuId, orderId: claim.orderId, mended: true }]);
  assert.is((await db.ledger.ordersRead([claim.orderId]))[0]?.state, 'HELD');
  assert.is(await redis.hlen(promised), 0);
  await syncGates.syncSkus([skuId]);
});

test('a key of a shard that is of another type is dropped', async () => {
  await redis.del(key(shard, 'used'));
  await redis.set(key(shard, 'used'), 'text');
  assert.equal(
    found(await plan()).map(({ kind }) => kind),
    ['KEY_UNREADABLE'],
  );
  assert.is(await redis.exists(key(shard, 'used')), 0);
});

test('a gate that somebody uses is in motion: nothing is said of it', async () => {
  const { skuId } = await atRest();
  await redis.hset(gateKey(skuId), 'let_in', 3);
  await redis.sadd(key(shard, 'used'), skuId);
  assert.equal((await plan()).findings, []);
  await syncGates.syncUsed();
});

test('A30: an order without its movement is found with its ids, counted and alerted; apply repairs it and clears', async () => {
  const { skuId, held } = await atRest();
  await db.sql('DELETE FROM ledger.movements WHERE order_id = $1', [held]);
  const made = await plan();
  const kinds = ['ORDER_WITHOUT_MOVEMENT', 'STOCK_NOT_OF_MOVEMENTS'];
  assert.equal(
    found(made),
    kinds.map((kind, place) => ({ kind, skuId, orderId: place === 0 ? held : '', mended: false })),
  );
  assert.is(made.state, PlanState.PLAN_STATE_OPEN);
  const alerts = (): Promise<object[]> =>
    db.sql(`SELECT kind, subject, facts, command FROM ledger.alerts WHERE sku_id = $1 AND cleared_at IS NULL`, [skuId]);
  const facts = Object.fromEntries(kinds.map((kind) => [kind, 1]));
  const command = `holdfast reconcile apply ${made.planId}`;
  assert.equal(await alerts(), [{ kind: 'DRIFT', subject: skuId, facts, command }]);

  const request = { planId: made.planId, reason: 'found by the look', requestId: randomUUID() };
  const { plan: applied } = await client().applyReconcile(request, operator);
  assert.equal([applied?.state, applied?.appliedBy], [PlanState.PLAN_STATE_APPLIED, 'olga']);
  assert.equal(await alerts(), []);
  assert.equal(await db.violations(), []);
  assert.equal((await client().applyReconcile(request, operator)).plan, applied);
  assert.equal((await client().getPlan({ planId: made.planId })).plan?.state, PlanState.PLAN_STATE_APPLIED);
});

test('an alert whose cause is gone is cleared by the next look at everything', async () => {
  const { skuId } = await atRest();
  const change = 'UPDATE ledger.attendee_units SET units = units + $2 WHERE sku_id = $1';
  await db.sql(change, [skuId, 2]);
  await plan();
  const cleared = (): Promise<{ cleared_by: string | null }[]> =>
    db.sql(`SELECT cleared_by FROM ledger.alerts WHERE sku_id = $1`, [skuId]);
  assert.equal(await cleared(), [{ cleared_by: null }]);
  await db.sql(change, [skuId, -2]);
  await plan({ skuIds: [skuId] });
  assert.equal(await cleared(), [{ cleared_by: null }]);
  await plan();
  assert.equal(await cleared(), [{ cleared_by: 'system' }]);
});

test('money that pays for nothing raises an alert of its order, with the command that looks closer', async () => {
  const orderId = '00000000-0000-8000-8000-00000000dead';
  await db.sql(`INSERT INTO ledger.payments VALUES ('bank', 'lost', $1, 1500, 'EUR', 'CAPTURED', now())`, [orderId]);
  const made = await plan();
  assert.equal(found(made), [{ kind: 'PAYMENT_WITHOUT_ORDER', skuId: '', orderId, mended: false }]);
  assert.equal(await db.sql(`SELECT kind, subject, command FROM ledger.alerts WHERE subject = $1`, [orderId]), [
    { kind: 'MONEY_UNACCOUNTED', subject: orderId, command: `holdfast explain order ${orderId}` },
  ]);
  await db.sql('DELETE FROM ledger.payments WHERE order_id = $1', [orderId]);
});

test('skus that sold out are looked at once, and nothing is kept of a look at none', async () => {
  await plan({ endedOnly: true });
  assert.equal((await plan({ endedOnly: true })).planId, 0);
  const { skuId } = await db.sku({ capacity: 1 });
  await db.order(claimOf('gus', skuId));
  assert.is((await plan({ endedOnly: true })).skus, 1);
  assert.is((await plan({ endedOnly: true })).skus, 0);
});

test('of two processes one looks and the other answers that it is under way; the same request gets the same plan', async () => {
  const { skuId } = await atRest();
  // A gate that is wrong makes the look last a moment.
  await redis.hset(gateKey(skuId), 'let_in', 3);
  const requestId = randomUUID();
  const request = { skuIds: [], endedOnly: false, requestId };
  const outcomes = await Promise.allSettled(
    clients.map((one, place) => one.planReconcile({ ...request, requestId: place === 0 ? requestId : randomUUID() })),
  );
  const reasons = outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason.reason : 'planned')).sort();
  assert.equal(reasons, ['RECONCILE_UNDER_WAY', 'planned']);
  const first = (await client().planReconcile(request)).plan;
  assert.equal((await client().planReconcile(request)).plan, first);
});

test('a look whose caller goes away ends, keeps nothing, and leaves the lock to the next', async () => {
  const { skuId } = await atRest();
  await redis.hset(gateKey(skuId), 'let_in', 3);
  const leaves = new AbortController();
  const requestId = randomUUID();
  const look = client().planReconcile({ skuIds: [], endedOnly: false, requestId }, { signal: leaves.signal });
  await until(async () => (await db.sql(`SELECT FROM pg_locks WHERE locktype = 'advisory'`)).length > 0);
  leaves.abort();
  assert.is((await rejectionOf(look, Fault)).reason, 'CANCELLED');
  await until(() => plan().then(Boolean));
  assert.is(await db.ledger.planOfRequest(requestId), undefined);
});

test('a proof adds everything up twice, with the gate beside it', async () => {
  const { skuId } = await atRest();
  const units = { capacity: 10, overbooked: 0, free: 8, reserved: 0, held: 2, sold: 0 };
  const proof = await client().proveSku({ skuId });
  assert.equal([proof.kept, proof.ofOrders, proof.ofMovements], [units, units, units]);
  assert.equal([proof.conserved, proof.oversold, proof.findings, proof.orders], [true, false, [], { HELD: 1 }]);
  assert.equal([proof.gate?.loaded, proof.gate?.letIn, proof.gate?.claims, proof.streamMessages], [true, 8, 0, -1]);

  await db.sql('UPDATE ledger.stock SET held = 1, free = 9 WHERE sku_id = $1', [skuId]);
  const drifted = await client().proveSku({ skuId });
  assert.equal([drifted.kept?.held, drifted.ofOrders?.held, drifted.ofMovements?.held], [1, 2, 2]);
  assert.equal([drifted.conserved, drifted.oversold], [false, false]);
  assert.equal(
    drifted.findings.map(({ kind }) => kind),
    ['STOCK_NOT_OF_LINES', 'STOCK_NOT_OF_MOVEMENTS'],
  );
  await db.sql('UPDATE ledger.stock SET held = 2, free = 8 WHERE sku_id = $1', [skuId]);
  assert.is((await rejectionOf(client().proveSku({ skuId: 'nothing' }), Fault)).reason, 'SKU_NOT_FOUND');
});

test('what is not well asked is refused, with every field named', async () => {
  const bad = client().planReconcile({ skuIds: ['a b'], endedOnly: true, requestId: '' });
  assert.equal(
    (await rejectionOf(bad, Fault)).violations.map(({ field }) => field),
    ['sku_ids[0]', 'ended_only', 'request_id'],
  );
  const empty = client().applyReconcile({ planId: 0, reason: ' ', requestId: '' }, operator);
  assert.equal(
    (await rejectionOf(empty, Fault)).violations.map(({ field }) => field),
    ['plan_id', 'reason', 'request_id'],
  );
  assert.is((await rejectionOf(plan({ skuIds: ['nothing'] }), Fault)).reason, 'SKU_NOT_FOUND');
  assert.is((await rejectionOf(client().getPlan({ planId: 1_000_000 }), Fault)).reason, 'PLAN_NOT_FOUND');
});

test.run();
