import { claimOf } from '#libs/ledger/test-ledger.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { holdfast } from '../services/operator/test/command-line.js';
import { type HttpSaid, pressHttp } from './press.js';
import { startTestMesh, type TestMesh } from './test-mesh.js';

const test = suite('all held');
let mesh: TestMesh;

test.before(async () => {
  mesh = await startTestMesh({ scheduler: true });
});
test.after(async () => {
  const violations = await mesh.ledger.violations();
  await mesh.close();
  assert.equal(violations, []);
});

/** More than expiry takes in one transaction. */
const capacity = 600;
const each = 10;

async function jobs(...args: string[]): Promise<void> {
  const { code, err } = await holdfast(['--gateway', mesh.gatewayAddresses[0] ?? '', 'jobs', ...args]);
  assert.is(code, 0, err);
}

/** All units are held: some by one who bought at the edge, each of the others by somebody else. Returns the sku. */
async function allHeld(): Promise<string> {
  const { skuId } = await mesh.ledger.sku({ capacity, perUserLimit: each });
  const others = Array.from({ length: capacity - each }, (_, n) => claimOf(`holder-${n}`, skuId));
  await until(async () => (await buy(skuId, 'ann')).status === 201);
  for (let from = 0; from < others.length; from += 500) {
    await mesh.ledger.ledger.claimsAdmit(others.slice(from, from + 500));
  }
  return skuId;
}

function buy(skuId: string, user: string): Promise<HttpSaid> {
  return pressHttp(mesh.http, { skuId, user, key: `key-${user}`, quantity: each });
}

/** What the edge shows of the units, beside what the ledger keeps. */
async function shown(skuId: string): Promise<Record<string, unknown>> {
  const response = await fetch(`${mesh.http}/v1/skus/${skuId}`);
  const { availability } = (await response.json()) as { availability: Record<string, unknown> };
  const { free, held, sold } = await mesh.ledger.stock(skuId);
  assert.equal([availability.free, availability.held, availability.sold], [free, held, sold]);
  return availability;
}

/** A buyer is told when units come back, and the same is shown to everybody. */
async function assertAllHeld(skuId: string, buyer: string): Promise<void> {
  const [soonest] = await mesh.ledger.sql<{ at: Date }>(
    'SELECT min(held_until) AS at FROM ledger.order_lines WHERE sku_id = $1',
    [skuId],
  );
  const releases = soonest?.at.toISOString();
  const { status, body } = await buy(skuId, buyer);
  assert.equal([status, body.reason, body.next_release_at], [409, 'ALL_HELD', releases]);
  const { state, free, held, next_release_at: next } = await shown(skuId);
  assert.equal([state, free, held, next], ['ALL_HELD', 0, capacity, releases]);
}

/** Every hold of the sku is past its expiry from now on. */
async function expireAll(skuId: string): Promise<void> {
  await mesh.ledger.sql(
    `UPDATE ledger.orders SET expires_at = created_at + interval '1 millisecond'
     WHERE state = 'HELD' AND order_id IN (SELECT order_id FROM ledger.order_lines WHERE sku_id = $1)`,
    [skuId],
  );
  await mesh.ledger.sql(
    `UPDATE ledger.order_lines AS l SET held_until = o.expires_at FROM ledger.orders AS o
     WHERE o.order_id = l.order_id AND o.state = 'HELD' AND l.sku_id = $1`,
    [skuId],
  );
}

test('A21: holds that nobody paid are not sold out while expiry is paused; one sweep makes every unit saleable', async () => {
  await jobs('pause', 'expire', '--reason', 'a rehearsal');
  const skuId = await allHeld();
  await assertAllHeld(skuId, 'early');
  await expireAll(skuId);
  await assertAllHeld(skuId, 'late');

  await mesh.ledger.sql("UPDATE ledger.jobs SET last_result = NULL WHERE name = 'expire'");
  await jobs('resume', 'expire');
  await until(async () => {
    const expire = (await mesh.ledger.ledger.jobsRead()).find(({ name }) => name === 'expire');
    return expire?.lastResult !== undefined;
  });
  const { state, free, held, next_release_at: next } = await shown(skuId);
  assert.equal([state, free, held, next], ['AVAILABLE', capacity, 0, undefined]);

  const buyers = Array.from({ length: capacity / each }, (_, n) => buy(skuId, `buyer-${n}`));
  for (const { status, body } of await Promise.all(buyers)) assert.is(status, 201, JSON.stringify(body));
  await assertAllHeld(skuId, 'last');
});

test.run();
