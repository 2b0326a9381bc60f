import type { LimitsFile } from '#libs/mesh/limits-file.js';
import { assert, suite } from '#libs/testing/suite.js';
import { judge, type Seen } from './check-limits.js';

const test = suite('holding a mesh against its limits');

const limits: LimitsFile = {
  version: 1,
  measured: { at: '', cores: 1, cpu: '', node: '', ledger_per_second: 1, consumer_per_second: 1, path_per_second: 1 },
  predicted: { per_second: 1_000, p99_ms: 400 },
  services: {},
  limits: [],
};

const seen = (parts: Partial<Seen>) =>
  judge(limits, {
    sent: 10_000,
    outcomes: { HELD: 9_000, PENDING: 1_000 },
    p50Ms: 20,
    p99Ms: 400,
    busyShare: 0.5,
    ...parts,
  });

test('it holds when everybody was served in time', () => {
  assert.is(seen({}).holds, true);
  assert.equal(seen({}).remarks, []);
});

test('it does not hold when 99 of 100 took longer', () => {
  assert.is(seen({ p99Ms: 401 }).holds, false);
});

test('it does not hold when more than one of a thousand was turned away, or nobody was served', () => {
  assert.is(seen({ outcomes: { HELD: 9_990, 'status 8': 10 } }).holds, true);
  assert.is(seen({ outcomes: { HELD: 9_989, 'status 8': 11 } }).holds, false);
  assert.is(seen({ sent: 0, outcomes: {}, p99Ms: 0 }).holds, false);
});

test('a driver without time left is remarked upon', () => {
  const { holds, remarks } = seen({ busyShare: 0.95 });
  assert.is(holds, true);
  assert.match(remarks.join(), /driver/);
});

test.run();
