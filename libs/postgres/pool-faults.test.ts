import { Fault } from '#libs/refusal/fault.js';
import { createLogger } from '#libs/runtime/logger.js';
import { createMetrics } from '#libs/runtime/metrics.js';
import type { PrivateServer } from '#libs/servers/private-server.js';
import { type FaultProxy, faultProxy } from '#libs/testing/fault-proxy.js';
import { privatePostgres } from '#libs/testing/private-servers.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { transient } from './errors.js';
import { createPool, type PoolOptions, type PostgresPool } from './pool.js';
import type { Statement } from './statement.js';

const test = suite('postgres pool under faults');

const MAX = 4;
/** For what must succeed, on a machine that has much else to do. */
const PATIENT_MS = 20_000;
const echo: Statement = { name: 'echo', text: 'SELECT $1::int AS number' };
const backendPid: Statement = { name: 'backend_pid', text: 'SELECT pg_backend_pid() AS pid' };
const terminate: Statement = { name: 'terminate', text: 'SELECT pg_terminate_backend($1, 5000)' };
const backends: Statement = {
  name: 'backends',
  text: 'SELECT count(*)::int AS count FROM pg_stat_activity WHERE application_name = $1',
};
const opened: PostgresPool[] = [];
let server: PrivateServer;
let proxy: FaultProxy;
/** Goes straight to the server, whatever the proxy does. */
let observer: PostgresPool;

function open(options: Partial<PoolOptions> = {}): PostgresPool {
  const pool = createPool({
    url: proxy.url(server.url),
    max: MAX,
    applicationName: 'faults-test',
    connectTimeoutMs: PATIENT_MS,
    statementTimeoutMs: PATIENT_MS,
    lockTimeoutMs: PATIENT_MS,
    maxWaiting: 200,
    metrics: createMetrics(),
    logger: createLogger('test', 'silent'),
    ...options,
  });
  opened.push(pool);
  return pool;
}

async function echoed(pool: PostgresPool, number: number, deadlineMs: number): Promise<'right' | 'wrong' | 'fault'> {
  try {
    const [row] = await pool.query<{ number: number }>(echo, [number], { deadlineMs });
    return row?.number === number ? 'right' : 'wrong';
  } catch (error) {
    if (transient(error)) return 'fault';
    throw error;
  }
}

function hundred(pool: PostgresPool, deadlineMs: number): Promise<('right' | 'wrong' | 'fault')[]> {
  return Promise.all(Array.from({ length: 100 }, (_, number) => echoed(pool, number, deadlineMs)));
}

async function backendCount(applicationName: string): Promise<number> {
  const [row] = await observer.query<{ count: number }>(backends, [applicationName]);
  return row?.count ?? Number.NaN;
}

async function pidOf(tx: Pick<PostgresPool, 'query'>): Promise<number | undefined> {
  const [row] = await tx.query<{ pid: number }>(backendPid);
  return row?.pid;
}

test.before(async () => {
  server = await privatePostgres();
  proxy = await faultProxy('127.0.0.1', server.port);
  observer = open({ url: server.url, applicationName: 'observer' });
});
test.before.each(() => proxy.heal());
test.after(async () => {
  await Promise.all(opened.map((pool) => pool.close()));
  await proxy.close();
  await server.stop();
});

test('F01 a backend terminated in an open transaction fails the transaction and nothing else', async () => {
  const pool = open();
  const attempt = pool.transaction(async (tx) => {
    await observer.query(terminate, [await pidOf(tx)]);
    // The news has come when the connection is out of the pool: nothing was asked meanwhile.
    await until(async () => (await echoed(observer, 1, PATIENT_MS)) === 'right');
    await tx.query(echo, [1]);
  });
  assert.is((await rejectionOf(attempt, Fault)).reason, 'UNAVAILABLE');
  assert.is(await echoed(pool, 7, PATIENT_MS), 'right');
});

test('F01 a backend terminated under a running statement is an unknown outcome', async () => {
  const pool = open({ applicationName: 'terminated' });
  const sleeping = rejectionOf(pool.query({ name: '', text: 'SELECT pg_sleep(60)' }), Fault);
  const pid = await until(async () => {
    const [row] = await observer.query<{ pid: number }>({
      name: '',
      text: `SELECT pid FROM pg_stat_activity WHERE application_name = 'terminated' AND wait_event = 'PgSleep'`,
    });
    return row?.pid;
  });
  await observer.query(terminate, [pid]);
  assert.is((await sleeping).reason, 'UNAVAILABLE');
  assert.is(await echoed(pool, 7, PATIENT_MS), 'right');
});

test('F02 a server restarted under idle connections is found again', async () => {
  const pool = open({ url: server.url });
  await Promise.all(Array.from({ length: MAX }, () => pool.transaction(async (tx) => await tx.query(echo, [1]))));
  await server.restart();
  await until(async () => (await echoed(pool, 7, PATIENT_MS)) === 'right');
  assert.equal(new Set(await hundred(pool, PATIENT_MS)), new Set(['right']));
});

test('F02 while the server is away every call fails by its deadline, and the line empties', async () => {
  const pool = open({ url: server.url });
  assert.is(await echoed(pool, 1, PATIENT_MS), 'right');
  await server.kill();
  assert.equal(new Set(await hundred(pool, 300)), new Set(['fault']));
  assert.is(pool.stats().waiting, 0);
  await server.start();
  await until(async () => (await echoed(pool, 7, PATIENT_MS)) === 'right');
});

test('F04 after a blackhole heals no call gets the result of another', async () => {
  const pool = open();
  assert.equal(new Set(await hundred(pool, PATIENT_MS)), new Set(['right']));
  proxy.blackhole();
  assert.equal(new Set(await hundred(pool, 200)), new Set(['fault']));
  proxy.heal();
  await until(async () => (await echoed(pool, 7, PATIENT_MS)) === 'right');
  assert.equal(new Set(await hundred(pool, PATIENT_MS)), new Set(['right']));
  assert.ok(pool.stats().total <= MAX);
});

test('F04 a client whose reply comes after the deadline is never used again', async () => {
  const pool = open({ max: 1 });
  const before = await pidOf(pool);
  proxy.delay(100);
  assert.is(await echoed(pool, 1, 50), 'fault');
  proxy.delay(0);
  assert.is(await echoed(pool, 2, PATIENT_MS), 'right');
  assert.is.not(await pidOf(pool), before);
});

test('a commit without an answer is unknown, and may have happened', async () => {
  const pool = open();
  await observer.query({ name: '', text: 'CREATE TABLE witness (id int)' });
  const attempt = pool.transaction(
    async (tx) => {
      await tx.query({ name: '', text: 'INSERT INTO witness VALUES (1)' });
      proxy.dropReplies();
    },
    { deadlineMs: 2_000 },
  );
  assert.is((await rejectionOf(attempt, Fault)).reason, 'UNAVAILABLE');
  const rows = await observer.query({ name: '', text: 'SELECT id FROM witness' });
  assert.equal(rows, [{ id: 1 }]);
});

test('F12 connections that come too slowly leave no backends behind, and the pool recovers', async () => {
  const pool = open({ applicationName: 'slow', connectTimeoutMs: 400 });
  proxy.delay(500);
  assert.equal(new Set(await hundred(pool, 1_500)), new Set(['fault']));
  proxy.delay(0);
  await until(async () => (await echoed(pool, 7, PATIENT_MS)) === 'right');
  await hundred(pool, PATIENT_MS);
  await until(async () => (await backendCount('slow')) === pool.stats().total);
  assert.ok(pool.stats().total <= MAX);
});

test.run();
