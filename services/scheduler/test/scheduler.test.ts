import { StatusServiceDefinition } from '#libs/contracts/gen/holdfast/status/v1/status_service.js';
import { claimOf } from '#libs/ledger/test-ledger.js';
import { Fault } from '#libs/refusal/fault.js';
import { connect } from '#libs/rpc/client.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { killed, Stage } from './test-stage.js';

const test = suite('the scheduler');
let stage: Stage;

test.before(async () => {
  stage = await Stage.open();
});
test.after(() => stage.close());

/** Holds of one sku that expire in a second, as many as it has units. */
async function shortHolds(count: number): Promise<{ skuId: string; orderIds: string[] }> {
  const { skuId } = await stage.ledger.sku({ capacity: count, holdTtlSeconds: 1 });
  const claims = Array.from({ length: count }, (_, n) => claimOf(`user-${n}`, skuId));
  await stage.ledger.ledger.claimsAdmit(claims);
  return { skuId, orderIds: claims.map(({ orderId }) => orderId) };
}

async function freeUnits(skuId: string): Promise<number | undefined> {
  return (await stage.ledger.stock(skuId)).free;
}

async function assertGivenBackOnce(orderIds: readonly string[]): Promise<void> {
  const rows = await stage.ledger.sql<{ reasons: string[] }>(
    `SELECT array_agg(reason ORDER BY order_version) AS reasons FROM ledger.movements
     WHERE order_id = ANY ($1) GROUP BY order_id`,
    [orderIds],
  );
  assert.is(rows.length, orderIds.length);
  for (const { reasons } of rows) assert.equal(reasons, ['ADMIT', 'EXPIRE']);
}

test('two schedulers bring the units of expired holds back exactly once', async () => {
  const schedulers = await Promise.all([stage.start(), stage.start()]);
  const { skuId, orderIds } = await shortHolds(100);
  await until(async () => (await freeUnits(skuId)) === 100);
  await assertGivenBackOnce(orderIds);
  await Promise.all(schedulers.map((scheduler) => scheduler.stop()));
});

test('a scheduler that is killed between two looks is made up for by another, every unit once', async () => {
  for (const _ of [1, 2, 3]) {
    const doomed = stage.spawnScheduler();
    await until(async () => await ranSince('expire', new Date(Date.now() - 100)));
    const { skuId, orderIds } = await shortHolds(40);
    await killed(doomed);
    const heir = await stage.start();
    await until(async () => (await freeUnits(skuId)) === 40, { timeoutMs: 20_000 });
    await assertGivenBackOnce(orderIds);
    await heir.stop();
  }
});

test('I12 an hour of overdue holds is worked off in batches, each released once', async () => {
  const count = 2_000;
  const { skuId } = await stage.ledger.sku({ capacity: count });
  const claims = Array.from({ length: count }, (_, n) => claimOf(`user-${n}`, skuId));
  for (let from = 0; from < count; from += 500) {
    await stage.ledger.ledger.claimsAdmit(claims.slice(from, from + 500));
  }
  await stage.ledger.sql(`
    UPDATE ledger.orders SET expires_at = ledger.clock() - interval '1 hour' WHERE state = 'HELD';
    UPDATE ledger.order_lines AS l SET held_until = o.expires_at FROM ledger.orders AS o
    WHERE o.order_id = l.order_id AND o.state = 'HELD'`);
  const schedulers = await Promise.all([stage.start(), stage.start()]);
  await until(async () => (await freeUnits(skuId)) === count, { timeoutMs: 30_000 });
  await assertGivenBackOnce(claims.map(({ orderId }) => orderId));
  await Promise.all(schedulers.map((scheduler) => scheduler.stop()));
});

test('a scheduler tells how it is', async () => {
  const scheduler = await stage.start({ instance: 'scheduler-7' });
  const client = connect(StatusServiceDefinition, scheduler.address, { defaultDeadlineMs: 5_000 });
  const { status } = await client.getStatus({});
  client.close();
  await scheduler.stop();
  assert.equal([status?.service, status?.instance], ['scheduler', 'scheduler-7']);
  assert.equal(status?.servers, [{ name: 'postgres', answers: true }]);
  assert.equal(
    status?.pools.map(({ name, size }) => [name, size]),
    [['main', 2]],
  );
});

test('every job is listed with what its last run did and when it runs next', async () => {
  const scheduler = await stage.start();
  const jobs = await until(async () => {
    const listed = (await scheduler.client.listJobs({})).jobs;
    return listed.every((job) => job.lastResult !== '') ? listed : undefined;
  });
  assert.equal(
    jobs.map((job) => job.name),
    [
      ...['alerts', 'cancelled-sales', 'expire', 'payment-sessions', 'payments-parked', 'promote', 'prune-access'],
      ...['reconcile', 'reconcile-ended', 'sweep', 'sync', 'waitlist-end', 'warm-up'],
    ],
  );
  for (const job of jobs) assert.ok(job.nextRunAt && job.lastRunAt && job.nextRunAt > job.lastRunAt, job.name);
  assert.ok(stage.sweeps > 0);
  await scheduler.stop();
});

test('a look that takes long keeps no other job waiting, and ends with the scheduler that asked for it', async () => {
  let ended = 0;
  stage.look = ({ signal }) =>
    new Promise((_, reject) => {
      signal.addEventListener('abort', () => {
        ended += 1;
        reject(signal.reason);
      });
    });
  await stage.ledger.sql(`UPDATE ledger.jobs SET next_run_at = clock_timestamp() WHERE name LIKE 'reconcile%'`);
  const [before, sweeps] = [stage.looks.length, stage.sweeps];
  const scheduler = await stage.start();
  await until(() => stage.looks.length === before + 2 && stage.sweeps > sweeps + 1);
  assert.equal(
    stage.looks
      .slice(before)
      .map(({ request }) => request.endedOnly)
      .sort(),
    [false, true],
  );
  assert.ok(stage.looks.slice(before).every(({ call }) => call.remainingMs() > 600_000));
  await scheduler.stop();
  await until(() => ended === 2);
  stage.look = async () => undefined;
});

test('a look that another one keeps from beginning is no failure', async () => {
  stage.look = async () => {
    throw new Fault('RECONCILE_UNDER_WAY', 'another look is under way');
  };
  const scheduler = await stage.start();
  const { job } = await scheduler.client.runJob({ name: 'reconcile' });
  assert.is(job?.lastResult, 'another look is under way');
  stage.look = async () => undefined;
  assert.is((await scheduler.client.runJob({ name: 'reconcile-ended' })).job?.lastResult, '7 skus, nothing found');
  await scheduler.stop();
});

test('a pause is shared, outlives the process, and needs a reason', async () => {
  const first = await stage.start();
  await until(async () => await ranSince('sweep', new Date(Date.now() - 1_000)));
  const refused = await rejectionOf(first.client.pauseJob({ name: 'sweep', reason: '' }), Fault);
  assert.equal([refused.reason, refused.violations[0]?.field], ['INVALID_REQUEST', 'reason']);
  const { job } = await first.client.pauseJob({ name: 'sweep', reason: 'migrating' });
  assert.equal([job?.paused, job?.pauseReason, job?.nextRunAt], [true, 'migrating', undefined]);
  await first.stop();

  const sweepsBefore = stage.sweeps;
  const expiredBefore = await stage.lastRunAt('expire');
  const second = await stage.start();
  await until(async () => await ranSince('expire', new Date((expiredBefore?.getTime() ?? 0) + 2_000)));
  assert.is(stage.sweeps, sweepsBefore);
  const { job: forced } = await second.client.runJob({ name: 'sweep' });
  assert.is(stage.sweeps, sweepsBefore + 1);
  assert.ok(forced?.paused);
  await second.client.resumeJob({ name: 'sweep' });
  await until(() => stage.sweeps > sweepsBefore + 1);
  await second.stop();
});

test('a job that nobody knows is JOB_NOT_FOUND for every verb', async () => {
  const { client, stop } = await stage.start();
  for (const call of [
    client.runJob({ name: 'x' }),
    client.pauseJob({ name: 'x', reason: 'y' }),
    client.resumeJob({ name: 'x' }),
  ]) {
    assert.is((await rejectionOf(call, Fault)).reason, 'JOB_NOT_FOUND');
  }
  await stop();
});

test('a job whose service is away says so and goes on when it is back', async () => {
  const scheduler = await stage.start();
  stage.inventoryIsAway = true;
  const failedResult = await until(async () => {
    const { jobs } = await scheduler.client.listJobs({});
    return jobs.find((job) => job.name === 'sweep' && job.lastResult.startsWith('failed'))?.lastResult;
  });
  assert.match(failedResult, 'the inventory is away');
  assert.is((await rejectionOf(scheduler.client.runJob({ name: 'sweep' }), Fault)).reason, 'UNAVAILABLE');
  stage.inventoryIsAway = false;
  const sweepsBefore = stage.sweeps;
  await until(() => stage.sweeps > sweepsBefore);
  await scheduler.stop();
});

test('warm-up asks for the sales that open within a minute, sync for the skus in use', async () => {
  const scheduler = await stage.start();
  stage.syncs.length = 0;
  await scheduler.client.runJob({ name: 'warm-up' });
  await scheduler.client.runJob({ name: 'sync' });
  assert.ok(stage.syncs.some((request) => request.openingWithinSeconds === 60 && request.skuIds.length === 0));
  assert.ok(stage.syncs.some((request) => request.openingWithinSeconds === 0 && request.skuIds.length === 0));
  await scheduler.stop();
});

async function ranSince(job: string, since: Date): Promise<boolean> {
  const at = await stage.lastRunAt(job);
  return at !== undefined && at > since;
}

test.run();
