import { Fault } from '#libs/refusal/fault.js';
import { createMetrics } from '#libs/runtime/metrics.js';
import { assert, suite } from '#libs/testing/suite.js';
import type { Lease } from '../ports.js';
import { CallLimits } from './call-limits.js';
import { LimitedFaults } from './limited-faults.js';

const test = suite('CallLimits');

let isAway = false;
let now = 0;
let leases: string[] = [];

function start() {
  isAway = false;
  now = 0;
  leases = [];
  const metrics = createMetrics();
  const lease = async ({ limit, id }: Lease) => {
    if (isAway) throw new Fault('UNAVAILABLE', 'away');
    leases.push(`${limit} ${id}`);
    return id === 'ben' ? { tokens: 0, retryAfterMs: 70 } : { tokens: 1, retryAfterMs: 0 };
  };
  const limits = new CallLimits({
    requests: { lease, gateways: 1 },
    caller: { perSecond: 20, burst: 20 },
    user: { perSecond: 10, burst: 10 },
    faults: new LimitedFaults(metrics),
    metrics,
    now: () => now,
  });
  return { limits, metrics };
}

test('callers and users have buckets of their own, also by the same name', async () => {
  const { limits } = start();
  assert.is(await limits.spendCaller('ana'), undefined);
  assert.is(await limits.spendUser('ana'), undefined);
  assert.equal(leases, ['CALLER ana', 'USER ana']);
});

test('whoever is refused gets the fault, the first time and every time', async () => {
  const { limits, metrics } = start();
  const first = await limits.spendUser('ben');
  assert.is(first?.metadata.limit, 'USER');
  assert.is(first?.retryAfterMs, 70);
  assert.instance(limits.spendUser('ben'), Fault);
  assert.is((await limits.spendCaller('ben'))?.metadata.limit, 'CALLER');
  assert.match(await metrics.text(), 'holdfast_limited_total{limit="USER"} 2');
});

test('C07: every decision made while Redis is away is counted', async () => {
  const { limits, metrics } = start();
  isAway = true;
  for (; now < 2_000; now += 40) {
    await limits.spendUser('ana');
    await limits.spendCaller('10.0.0.1');
  }
  assert.match(await metrics.text(), 'holdfast_limits_alone_total{limit="USER"} 50');
  assert.match(await metrics.text(), 'holdfast_limits_alone_total{limit="CALLER"} 50');
});

test.run();
