import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert, suite } from '#libs/testing/suite.js';
import {
  LIMITS_FILE,
  type LimitsFile,
  parseLimits,
  readLimitsFile,
  settingsOf,
  writeLimitsFile,
} from './limits-file.js';

const test = suite('limits file');

const whole: LimitsFile = {
  version: 1,
  measured: {
    at: '2026-03-01T12:00:00.000Z',
    cores: 2,
    cpu: 'a cpu',
    node: 'v20.20.2',
    ledger_per_second: 15_000,
    consumer_per_second: 12_000,
    path_per_second: 4_000,
  },
  predicted: { per_second: 4_000, p99_ms: 400 },
  services: {
    gateway: { max_in_flight: 601, shed_after_ms: 250, caller_rate_per_second: 40_000 },
    order: { consume_per_second: 10_500, postgres_connections: 8 },
  },
  limits: [
    {
      store_id: 'kiln',
      sku_id: 'kiln-mug',
      per_second: 400,
      burst: 40,
      sale: { units: 200, crowd: 1_000, over_seconds: 5, target_seconds: 10 },
      sold_out_after_ms: 700,
    },
    { store_id: 'kiln', per_second: 50, burst: 50 },
  ],
};

test('what is written is read back the same, and no draft stays behind', () => {
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-limits-'));
  try {
    assert.is(readLimitsFile(join(directory, LIMITS_FILE)), undefined);
    writeLimitsFile(join(directory, LIMITS_FILE), whole);
    assert.equal(readLimitsFile(join(directory, LIMITS_FILE)), whole);
    assert.equal(readdirSync(directory), [LIMITS_FILE]);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test('settings become variables; what processes share is divided among them', () => {
  const gateway = { SHED_AFTER_MS: '250', CALLER_RATE_PER_SECOND: '40000' };
  assert.equal(settingsOf(whole, 'gateway', 1), { MAX_IN_FLIGHT: '601', ...gateway });
  assert.equal(settingsOf(whole, 'gateway', 2), { MAX_IN_FLIGHT: '301', ...gateway });
  assert.equal(settingsOf(whole, 'order', 3), { CONSUME_PER_SECOND: '3500', POSTGRES_CONNECTIONS: '8' });
  assert.equal(settingsOf(whole, 'bff', 1), {});
});

test('everything that is wrong is said at once, with its place', () => {
  const [mug, kiln] = whole.limits;
  const wrong = {
    ...whole,
    version: 2,
    comment: 'x',
    services: { gateway: { max_in_flight: 0.5, burst: 1 }, bff: {}, order: 7 },
    limits: [{ ...mug, store_id: 'the kiln', burst: '40', sale: { units: 0 } }, kiln, kiln],
  };
  const problems = problemsOf(JSON.stringify(wrong));
  for (const expected of [
    'file: comment is not known here',
    'file: version is not 1',
    'file services: bff is not known here',
    'file services gateway: burst is not known here',
    'file services gateway: max_in_flight is no whole number from 1 to 1000000',
    'file services order: is no object',
    'file limits[0]: store_id is not 1 to 128',
    'file limits[0]: burst is no whole number',
    'file limits[0] sale: units is no whole number',
    'file limits[0] sale: crowd is no whole number',
    'file: limits names ["kiln",""] twice',
  ]) {
    assert.ok(
      problems.some((problem) => problem.startsWith(expected)),
      `${expected} in ${problems.join('\n')}`,
    );
  }
});

test('what is no JSON, or no object, is said in one line', () => {
  assert.match(problemsOf('{"version":').join('\n'), /^file is no JSON: [^\n]+$/);
  assert.ok(problemsOf('[]').includes('file: is no object'));
});

function problemsOf(text: string): string[] {
  try {
    parseLimits(text, 'file');
  } catch (error) {
    return (error as Error).message.split('\n');
  }
  return [];
}

test.run();
