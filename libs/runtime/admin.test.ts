import { assert, suite } from '#libs/testing/suite.js';
import { startAdmin } from './admin.js';
import { Lifecycle } from './lifecycle.js';
import { createLogger } from './logger.js';
import { createMetrics } from './metrics.js';

const test = suite('admin port');

const metrics = createMetrics();
const checks = { postgres: true, nats: true };
let life: Lifecycle;
let address: string;

async function get(path: string): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`http://${address}${path}`);
  const isJson = response.headers.get('content-type') === 'application/json';
  return { status: response.status, body: isJson ? await response.json() : await response.text() };
}

test.before.each(async () => {
  life = new Lifecycle(createLogger('test', 'silent'));
  ({ address } = await startAdmin({
    address: '127.0.0.1:0',
    life,
    metrics,
    checks: {
      postgres: async () => checks.postgres,
      nats() {
        if (!checks.nats) throw new Error('away');
        return true;
      },
    },
    stats: async () => ({ waiting: 3 }),
  }));
});
test.after.each(async () => {
  await life.close();
});

test('a process lives before it is ready, and is ready when it has started and all it needs is there', async () => {
  assert.equal(await get('/livez'), { status: 200, body: { status: 'ok' } });
  assert.is((await get('/readyz')).status, 503);
  life.ready();
  assert.equal(await get('/readyz'), {
    status: 200,
    body: { status: 'ok', checks: { started: true, postgres: true, nats: true } },
  });
});

test('each check that fails or throws is named', async () => {
  life.ready();
  Object.assign(checks, { postgres: false, nats: false });
  assert.equal(await get('/readyz'), {
    status: 503,
    body: { status: 'unavailable', checks: { started: true, postgres: false, nats: false } },
  });
  Object.assign(checks, { postgres: true, nats: true });
  assert.is((await get('/livez')).status, 200);
});

test('the port answers until everything else is closed, and no longer ready', async () => {
  life.ready();
  let statuses: number[] = [];
  life.closer('server', async () => {
    statuses = [(await get('/livez')).status, (await get('/readyz')).status];
  });
  assert.ok(await life.close());
  assert.equal(statuses, [200, 503]);
});

test('metrics are told in the text of Prometheus, with those of the process', async () => {
  metrics.counter('tests_total', 'Tests', ['kind']).inc({ kind: 'admin' });
  const { status, body } = await get('/metrics');
  assert.is(status, 200);
  assert.match(String(body), 'holdfast_tests_total{kind="admin"} 1\n');
  assert.match(String(body), 'process_cpu_seconds_total');
  assert.match(String(body), 'nodejs_eventloop_lag_p99_seconds');
});

test('a metric asked for twice is one, and asked for as another kind an error', () => {
  metrics.counter('asked_total', 'Asked').inc();
  metrics.counter('asked_total', 'Asked').inc();
  assert.throws(() => metrics.gauge('asked_total', 'Asked'), /another kind/);
});

test('statistics come as JSON, and what does not exist is not found', async () => {
  assert.equal(await get('/stats'), { status: 200, body: { waiting: 3 } });
  assert.is((await get('/nothing')).status, 404);
});

test.run();
