import type { AlertThresholds, AlertToRaise } from '#libs/ledger/alerts.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import { AlertCheck, type ShardStanding } from './check-alerts.js';

const test = suite('check of alerts');

/** A check over shards as they are told, on a ledger that may be away. */
function checkOf(shards: readonly ShardStanding[] = []) {
  const ledger = { raised: [] as AlertToRaise[], checked: [] as AlertThresholds[], isAway: false };
  const unlessAway = (): void => {
    if (ledger.isAway) throw new Error('away');
  };
  const check = new AlertCheck({
    ledger: {
      async alertRaise(alert) {
        unlessAway();
        ledger.raised.push(alert);
        return true;
      },
      async alertsCheck(thresholds) {
        unlessAway();
        ledger.checked.push(thresholds);
        return { raised: 0, cleared: 0, open: {} };
      },
    },
    relays: true,
    shards: () => shards,
    failed: () => undefined,
  });
  return { check, ledger };
}

test('a shard whose claims wait and do not move for over ten seconds is stalled; one that moves flows', async () => {
  const { check, ledger } = checkOf([
    { shard: 0, waiting: 3, stillMs: 10_001 },
    { shard: 1, waiting: 3, stillMs: 9_999 },
    { shard: 2, waiting: 0, stillMs: 0 },
    { shard: 3, waiting: 3, stillMs: undefined },
  ]);
  assert.is((await check.look()).raised, 1);
  assert.equal(
    ledger.raised.map(({ kind, subject, facts }) => [kind, subject, facts.messages]),
    [['STALLED_CONSUMER', 'shard-0', 3]],
  );
  // Of a shard that nobody can ask about nothing is said.
  assert.equal(ledger.checked[0]?.flowing, ['shard-1', 'shard-2']);
});

test('a consumer that had vanished is told of at once, or with the first look that reaches the ledger', async () => {
  const { check, ledger } = checkOf();
  ledger.isAway = true;
  check.consumerRemade(2);
  await rejectionOf(check.look(), Error);
  ledger.isAway = false;
  assert.is((await check.look()).raised, 1);
  assert.is((await check.look()).raised, 0);
  check.consumerRemade(1);
  await Promise.resolve();
  assert.equal(
    ledger.raised.map(({ subject }) => subject),
    ['shard-2', 'shard-1'],
  );
});

test.run();
