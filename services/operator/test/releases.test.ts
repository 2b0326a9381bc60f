import { StockPath } from '#libs/contracts/gen/holdfast/control/v1/switch.js';
import { BreakerState } from '#libs/contracts/gen/holdfast/status/v1/instance.js';
import { assert, suite } from '#libs/testing/suite.js';
import { holdfast } from './command-line.js';
import { everyAnswer } from './commands.js';
import { type FakeGateway, startFakeGateway } from './fake-gateway.js';
import { release } from './repair-samples.js';
import { mug, mugUnits, withoutGate } from './samples.js';

const test = suite('holdfast releases');
let gateway: FakeGateway;

test.before(async () => {
  gateway = await startFakeGateway();
});
test.before.each(() => {
  gateway.asked = [];
  gateway.script = { ...everyAnswer };
});
test.after(() => gateway.close());

const run = (...args: string[]) => holdfast(['--gateway', gateway.address, 'releases', ...args]);
const opening = (opensInMs: number) => ({ ...release, availability: { ...mugUnits, opensInMs, onSale: false } });

/** The warnings of each that is shown. */
async function warnings(...args: string[]): Promise<string[][]> {
  const { releases } = JSON.parse((await run(...args, '--json')).out);
  return releases.map(({ warnings: its }: { warnings: string[] }) => its);
}

test('a sale that is an hour away and cold is ready', async () => {
  const { code, out } = await run('--store', 'kiln', '--within', '90m');
  assert.is(code, 0);
  assert.match(
    out,
    /2026-03-02 09:00:00Z +60 min +kiln +kiln-mug +100 +60 +cold +auto +400\/s +-\n\nall of them are ready\n$/,
  );
  assert.equal(
    gateway.requests('listReleases').map(({ storeId, withinHours }) => [storeId, withinHours]),
    [['kiln', 2]],
  );
});

test('what opens later than was asked for is left out', async () => {
  gateway.script.listReleases = { releases: [opening(0), opening(5_400_000), opening(5_400_001)], nextPageToken: '' };
  assert.equal(await warnings('--within', '90m'), [[], []]);
});

test('what looks wrong stands beside it: paused, without units, none free, cold a minute before', async () => {
  const cold = opening(59_000);
  const releases = [
    { ...release, sku: { ...mug, paused: true } },
    { ...release, sku: { ...mug, capacity: 0 }, availability: { ...mugUnits, free: 0, opensInMs: 1 } },
    { ...release, availability: { ...mugUnits, free: 0, opensInMs: 3_600_000 } },
    cold,
    { ...cold, gateLoaded: true },
    { ...cold, stockPath: StockPath.STOCK_PATH_POSTGRES },
  ];
  gateway.script.listReleases = { releases, nextPageToken: '' };
  assert.equal(await warnings(), [
    ['it is paused'],
    ['it has no units', 'its gate is cold'],
    ['none of its units is free'],
    ['its gate is cold'],
    [],
    ['it goes round the gate'],
  ]);
  assert.match((await run()).out, /5 to look at; next: holdfast sku show kiln-mug\n$/);
});

test('where there is no gate, none is cold', async () => {
  const inventory = withoutGate();
  if (inventory.status?.stock) inventory.status.stock.gateBreaker = BreakerState.BREAKER_STATE_UNSPECIFIED;
  gateway.script.getMeshStatus = { instances: [inventory], switches: [], openAlerts: {} };
  gateway.script.listReleases = { releases: [opening(59_000)], nextPageToken: '' };
  assert.equal(await warnings(), [[]]);
});

test.run();
