import { createLogger } from '#libs/runtime/logger.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { PolledClaimsAge } from './claims-age.js';

const test = suite('age of claims');

const opened: PolledClaimsAge[] = [];
test.after.each(() => {
  for (const age of opened.splice(0)) age.close();
});

/** Polls what the test says a stream has. */
function openOn(oldestStoredAt: (stream: string) => Promise<Date | undefined>, now = new Date()): PolledClaimsAge {
  const age = new PolledClaimsAge({ oldestStoredAt }, () => now, createLogger('test', 'silent'));
  opened.push(age);
  return age;
}

test('nothing is known of a stream before it was asked, and each shard is asked about its own', async () => {
  const asked: string[] = [];
  const age = openOn(async (stream) => {
    asked.push(stream);
    return undefined;
  });
  assert.is(age.oldestMs(3), undefined);
  await until(() => age.oldestMs(3) !== undefined);
  assert.is(age.oldestMs(1), undefined);
  assert.equal(asked, ['CLAIMS_3', 'CLAIMS_1']);
});

test('the oldest message is as old as it is by the clock of the ledger', async () => {
  const now = new Date('2030-01-07T09:00:00Z');
  const age = openOn(async () => new Date(now.getTime() - 700), now);
  await until(() => age.oldestMs(0) !== undefined);
  assert.is(age.oldestMs(0), 700);
});

test('what came into an empty stream since it was asked is no older than that', async () => {
  const age = openOn(async () => undefined);
  await until(() => age.oldestMs(0) !== undefined);
  const before = age.oldestMs(0) ?? Number.NaN;
  await until(() => (age.oldestMs(0) ?? 0) > before);
});

test('a stream that does not answer is not known any more', async () => {
  let isAway = false;
  const age = openOn(async () => {
    if (isAway) throw new Error('away');
    return undefined;
  });
  await until(() => age.oldestMs(0) !== undefined);
  isAway = true;
  await until(() => age.oldestMs(0) === undefined);
  isAway = false;
  await until(() => age.oldestMs(0) !== undefined);
});

test.run();
