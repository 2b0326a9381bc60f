import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert, suite } from '#libs/testing/suite.js';
import { bearerOf } from '#libs/testing/test-issuer.js';
import { until } from '#libs/testing/until.js';
import { holdfast } from '../services/operator/test/command-line.js';
import { startTestMesh, type TestMesh } from './test-mesh.js';

const test = suite("the operators' commands on a mesh");
let mesh: TestMesh;
let directory: string;

test.before(async () => {
  mesh = await startTestMesh({ scheduler: true });
  directory = mkdtempSync(join(tmpdir(), 'holdfast-operator-'));
});
test.after(async () => {
  rmSync(directory, { recursive: true });
  await mesh.close();
});

const run = (...args: string[]) => holdfast(['--gateway', mesh.gatewayAddresses[0] ?? '', ...args]);

/** What it prints for programs; fails the test when it does not end with 0. */
async function told(...args: string[]) {
  const { code, out, err } = await run(...args, '--json');
  assert.is(code, 0, `${args.join(' ')}: ${err}`);
  return JSON.parse(out);
}

/** Imports two skus of 10 units each, on sale at once; their ids begin with `prefix`. */
async function importTwo(prefix: string, ...options: string[]) {
  const path = join(directory, 'skus.csv');
  const header = 'sku_id,store_id,title,capacity,price,currency,payment_required,per_user_limit,max_per_order';
  const rows = ['mug', 'cup'].map((name) => `${prefix}-${name},kiln,A ${name},10,12.50,EUR,yes,10,10`);
  writeFileSync(path, `${[header, ...rows].join('\n')}\n`);
  return told('sku', 'import', path, ...options);
}

async function reserve(skuId: string, quantity: number, user: string): Promise<string | undefined> {
  const lines = [{ skuId, quantity, attendeeId: '', unitPriceMinor: 0 }];
  const metadata = { authorization: bearerOf(user) };
  const request = { storeId: 'kiln', lines, requestId: `of-${user}`, onBusy: undefined };
  return (await mesh.gateway.reserve(request, { metadata })).outcome?.$case;
}

test('skus are imported once, and the same file again leaves them as they are', async () => {
  const counts = ({ imported, created, unchanged, failed }: Record<string, unknown>) => {
    return { imported, created, unchanged, failed };
  };
  assert.equal(counts(await importTwo('once', '--dry-run')), { imported: false, created: 2, unchanged: 0, failed: 0 });
  assert.is((await run('sku', 'show', 'once-mug')).code, 1);
  assert.equal(counts(await importTwo('once')), { imported: true, created: 2, unchanged: 0, failed: 0 });
  assert.equal(counts(await importTwo('once')), { imported: true, created: 0, unchanged: 2, failed: 0 });
  const { sku, availability } = await told('sku', 'show', 'once-mug');
  assert.equal([sku.price_minor, sku.payment_required, availability.free], [1_250, true, 10]);
});

test('a switch is set over what was read, runs out by itself, and its history names who and why', async () => {
  const set = await told('switch', 'set', 'postgres', '--for', '1h', '--reason', 'upgrade of Redis');
  assert.equal([set.switch.path, set.switch.set_by, set.switch.version], ['postgres', 'anna', 1]);
  const late = await run('switch', 'set', 'redis', '--expect', '0', '--reason', 'back to the gate');
  assert.is(late.code, 1);
  assert.match(late.err, /^anna has set it to postgres at .*, because "upgrade of Redis": it is version 1 now/);
  await told('switch', 'set-order', 'direct', '--reason', 'NATS is moved', '--as', 'bob');
  const { stock_path: stockPath, order_path: orderPath } = await told('switch', 'get');
  assert.equal([stockPath, orderPath], ['postgres', 'direct']);
  await told('switch', 'set', 'auto', '--reason', 'upgrade is done');
  await told('switch', 'set-order', 'auto', '--reason', 'NATS is back');
  const { changes } = await told('switch', 'history', '--limit', '4');
  assert.equal(
    changes.map(({ what, changed_by: by, reason }: Record<string, string>) => [what, by, reason]),
    [
      ['ORDER_PATH', 'anna', 'NATS is back'],
      ['STOCK_PATH', 'anna', 'upgrade is done'],
      ['ORDER_PATH', 'bob', 'NATS is moved'],
      ['STOCK_PATH', 'anna', 'upgrade of Redis'],
    ],
  );
});

test('a paused sku is sold to nobody until it is resumed', async () => {
  await importTwo('paused');
  assert.is((await told('sku', 'pause', 'paused-mug', '--reason', 'the price is wrong')).sku.paused, true);
  assert.is(await reserve('paused-mug', 1, 'early'), 'refused');
  assert.is((await told('sku', 'resume', 'paused-mug', '--reason', 'the price is right')).sku.paused, false);
  assert.is(await reserve('paused-mug', 1, 'later'), 'held');
});

test('a capacity below what is taken is refused with the figure, and forced leaves the sku overbooked by it', async () => {
  await importTwo('capacity');
  assert.is(await reserve('capacity-mug', 6, 'one'), 'held');
  const command = ['sku', 'set-capacity', 'capacity-mug', '4', '--reason', 'a table broke'];
  const refused = await run(...command);
  assert.is(refused.code, 1);
  assert.match(refused.err, /^6 units of capacity-mug are taken, more than 4\n--force .* overbooked by 2/);
  const { sku, availability } = await told(...command, '--force');
  assert.equal([sku.capacity, sku.overbooked, availability.free, availability.held], [4, 2, 0, 6]);
});

test('every process of the mesh is up, and the jobs are those of its scheduler', async () => {
  const { instances } = await told('status');
  assert.equal(
    instances.map(({ service, answers, problem }: Record<string, unknown>) => [service, answers, problem]),
    ['gateway', 'inventory', 'order', 'scheduler'].map((service) => [service, true, '']),
  );
  const usual = /^inventory .* up +redis, stream +closed +/m;
  await until(async () => {
    const { code, out } = await run('status');
    return code === 0 && usual.test(out);
  });
  const { job } = await told('jobs', 'pause', 'warm-up', '--reason', 'a rehearsal');
  assert.equal([job.paused, job.pause_reason], [true, 'a rehearsal']);
  assert.is((await told('jobs', 'run', 'warm-up')).job.paused, true);
  assert.is((await told('jobs', 'resume', 'warm-up')).job.paused, false);
  const unknown = await run('jobs', 'run', 'dance');
  assert.is(unknown.code, 1);
  assert.match(unknown.err, /holdfast jobs list has them all/);
});

test('an alert is listed until somebody clears it, and status tells of it', async () => {
  const facts = { units: 3 };
  const command = 'holdfast prove some-mug';
  await mesh.ledger.ledger.alertRaise({ kind: 'DRIFT', subject: 'some-mug', facts, command });
  const { well, open_alerts: open } = await told('status');
  assert.equal([well, open.DRIFT], [false, 1]);
  const mine = ({ subject }: { subject: string }) => subject === 'some-mug';
  const [alert] = (await told('alerts')).alerts.filter(mine);
  assert.equal([alert.kind, alert.facts, alert.command, alert.cleared_at], ['DRIFT', facts, command, null]);
  const { alert: cleared } = await told('alerts', 'clear', String(alert.alert_id), '--reason', 'a rehearsal');
  assert.equal([cleared.cleared_by, cleared.cleared_reason], ['anna', 'a rehearsal']);
  assert.equal((await told('alerts')).alerts.filter(mine), []);
  assert.is((await told('alerts', '--all')).alerts.filter(mine).length, 1);
});

test('the story of a person tells of the order, and the story of the order how it was held', async () => {
  await importTwo('story');
  assert.is(await reserve('story-mug', 2, 'teller'), 'held');
  const { orders, units } = await told('explain', 'user', 'teller', '--sku', 'story-mug');
  assert.equal([orders.length, orders[0].state, units], [1, 'HELD', 2]);
  const { order, events } = await told('explain', 'order', orders[0].order_id);
  assert.is(order.order_id, orders[0].order_id);
  assert.ok(events.some(({ what }: { what: string }) => what === 'HELD'));
});

test('a sale is proved right; a counter that somebody changed is found, and mended by a plan that is applied', async () => {
  await importTwo('proof');
  assert.is(await reserve('proof-mug', 3, 'prover'), 'held');
  const proof = await told('prove', 'proof-mug');
  assert.equal([proof.conserved, proof.oversold, proof.kept.held, proof.of_orders.held], [true, false, 3, 3]);
  await mesh.ledger.sql("UPDATE ledger.stock SET held = held + 2, free = free - 2 WHERE sku_id = 'proof-mug'");
  const broken = await run('prove', 'proof-mug');
  assert.is(broken.code, 1);
  assert.match(broken.out, /^held +5 +3 +3$/m);
  assert.match(broken.err, /next: holdfast reconcile plan --sku proof-mug/);
  const { plan } = await told('reconcile', 'plan', '--sku', 'proof-mug');
  assert.is(plan.state, 'open');
  assert.match((await run('reconcile', 'plans')).out, new RegExp(`^ *${plan.plan_id} +open`, 'm'));
  const applied = await told('reconcile', 'apply', String(plan.plan_id), '--reason', 'a rehearsal');
  assert.equal([applied.plan.state, applied.plan.applied_by], ['applied', 'anna']);
  assert.is((await told('prove', 'proof-mug')).kept.held, 3);
  assert.is((await told('reconcile', 'show', String(plan.plan_id))).plan.state, 'applied');
});

test('a sku that is on sale is among the releases when it has an opening', async () => {
  const onSaleAt = new Date(Date.now() + 3_600_000);
  const { skuId } = await mesh.ledger.sku({ onSaleAt });
  const { releases } = await told('releases', '--within', '2h');
  const found = releases.find(({ sku }: { sku: { sku_id: string } }) => sku.sku_id === skuId);
  assert.equal([found.sku.on_sale_at, found.warnings, found.stock_path], [onSaleAt.toISOString(), [], 'auto']);
});

test.run();
