import { readFileSync } from 'node:fs';
import { testLedger } from '#libs/ledger/test-ledger.js';
import { privateNats, privateRedis } from '#libs/testing/private-servers.js';
import { assert, suite } from '#libs/testing/suite.js';
import { crowdWithout, type Ground, type Without } from './stripped-mesh.js';

const test = suite('layers');
let ground: Ground;

test.before(async () => {
  const [ledger, redis, nats] = await Promise.all([testLedger(), privateRedis(), privateNats()]);
  ground = { ledger, redis, nats };
});
test.after(async () => {
  await Promise.all([ground.ledger.drop(), ground.redis.stop(), ground.nats.stop()]);
});

const removals: Without[] = [
  { gateway: 'bypassed' },
  { redis: 'unset' },
  { redis: 'killed' },
  { stream: 'unset' },
  { stream: 'killed' },
  { sweep: 'absent' },
];

/** Nothing, each one, and any two of different layers. */
function combinations(): Without[] {
  const pairs = removals.flatMap((one, at) =>
    removals
      .slice(at + 1)
      .filter((other) => Object.keys(one)[0] !== Object.keys(other)[0])
      .map((other) => ({ ...one, ...other })),
  );
  return [{}, ...removals, ...pairs];
}

function named(without: Without): string {
  const parts = Object.entries(without).map(([layer, how]) => `${layer} ${how}`);
  return parts.length === 0 ? 'all layers' : parts.join(' and ');
}

for (const without of combinations()) {
  test(`K03: units are exact with ${named(without)}`, async () => {
    const { counts, failures } = await crowdWithout(without, ground);
    assert.equal(failures, []);
    assert.equal((await ground.ledger.ledger.audit()).violations, []);
    assert.is(counts.held + counts.refused, counts.requests);
  });
}

test('where admission reads and then writes, the same crowd is sold more than there is', async () => {
  const rival = { ...ground, ledger: await testLedger() };
  try {
    await rival.ledger.sql(readFileSync(new URL('./read_then_write.sql', import.meta.url), 'utf8'));
    const { counts } = await crowdWithout({ gateway: 'bypassed', redis: 'unset' }, rival);
    assert.ok(counts.oversold > 0);
    assert.not(counts.conserved);
    assert.ok(
      (await rival.ledger.ledger.audit()).violations.some(({ violation }) => violation === 'STOCK_NOT_OF_LINES'),
    );
  } finally {
    await rival.ledger.drop();
  }
});

test.run();
