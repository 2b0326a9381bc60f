import type { ListLimitsResponse } from '#libs/contracts/gen/holdfast/control/v1/control_service.js';
import { OrderPath, StockPath } from '#libs/contracts/gen/holdfast/control/v1/switch.js';
import { Fault } from '#libs/refusal/fault.js';
import { assert, suite } from '#libs/testing/suite.js';
import { holdfast } from './command-line.js';
import { type FakeGateway, startFakeGateway } from './fake-gateway.js';
import { allScope, change, mug, mugUnits, orderSwitch, skuScope, stockSwitch, storeScope } from './samples.js';

const test = suite('holdfast switch');
let gateway: FakeGateway;

test.before(async () => {
  gateway = await startFakeGateway();
});
test.before.each(() => {
  gateway.asked = [];
  gateway.script = {
    getControl: { switches: [stockSwitch, orderSwitch] },
    setStockPath: { switch: { ...stockSwitch, version: 5 } },
    setOrderPath: { switch: { ...orderSwitch, version: 3 } },
    listControlChanges: { changes: [change], nextPageToken: '' },
    getSku: { sku: mug, availability: mugUnits },
    listLimits: noSkus,
  };
});
test.after(() => gateway.close());

const noSkus: ListLimitsResponse = { configured: undefined, store: undefined, skus: [], nextPageToken: '' };
const run = (...args: string[]) => holdfast(['--gateway', gateway.address, 'switch', ...args]);
const because = ['--reason', 'Redis is slow'];

test('set sends the version that it has read, with who and why', async () => {
  const { code, out } = await run('set', 'postgres', ...because, '--for', '1h30m');
  assert.is(code, 0);
  assert.match(out, /every store +stock path +postgres +5 +bob/);
  const [{ requestId, ...sent } = { requestId: '' }] = gateway.requests('setStockPath');
  assert.equal(sent, {
    scope: allScope,
    path: StockPath.STOCK_PATH_POSTGRES,
    reason: 'Redis is slow',
    expectedVersion: 4,
    expiresInSeconds: 5_400,
  });
  assert.match(requestId, /^[0-9a-f-]{36}$/);
  assert.equal(
    gateway.asked.map(({ method, role, user }) => [method, role, user]),
    [
      ['getControl', 'OPERATOR', 'anna'],
      ['setStockPath', 'OPERATOR', 'anna'],
    ],
  );
});

test('set --expect sends that version and reads none; a switch that was never set has version 0', async () => {
  await run('set', 'redis', ...because, '--expect', '9');
  assert.equal(
    gateway.asked.map(({ method }) => method),
    ['setStockPath'],
  );
  gateway.script.getControl = { switches: [] };
  await run('set', 'redis', ...because);
  const versions = gateway.requests('setStockPath').map(({ expectedVersion }) => expectedVersion);
  assert.equal(versions, [9, 0]);
});

test('the scope is a store, or a sku, whose store is looked up when it is not named', async () => {
  gateway.script.getControl = { switches: [stockSwitch, { ...stockSwitch, scope: storeScope, version: 7 }] };
  await run('set', 'auto', ...because, '--store', 'kiln');
  await run('set', 'auto', ...because, '--sku', 'kiln-mug');
  await run('set', 'auto', ...because, '--store', 'kiln', '--sku', 'kiln-mug');
  const sent = gateway.requests('setStockPath').map(({ scope, expectedVersion }) => [scope, expectedVersion]);
  assert.equal(sent, [
    [storeScope, 7],
    [skuScope, 0],
    [skuScope, 0],
  ]);
  assert.is(gateway.requests('getSku').length, 1);
});

test('of a store without skus it is said that it has none: a name that was misspelt would be for nobody', async () => {
  gateway.script.setStockPath = { switch: { ...stockSwitch, scope: storeScope } };
  const { code, err } = await run('set', 'postgres', ...because, '--store', 'kiln');
  assert.is(code, 0);
  assert.match(err, /^store kiln has no skus yet: check the spelling/);
  gateway.script.listLimits = new Fault('UNAVAILABLE', 'inventory is away');
  assert.equal((await run('set', 'postgres', ...because, '--store', 'kiln')).err, '');
  assert.equal((await run('set', 'postgres', ...because)).err, '');
});

test('set-order sets the other switch over its own version', async () => {
  assert.is((await run('set-order', 'direct', ...because)).code, 0);
  const [sent] = gateway.requests('setOrderPath');
  assert.equal([sent?.path, sent?.expectedVersion, sent?.scope], [OrderPath.ORDER_PATH_DIRECT, 2, allScope]);
});

test('when somebody else was faster it says who, when, why, and how to look', async () => {
  gateway.script.setStockPath = new Fault('SWITCH_CHANGED', 'changed', { metadata: { version: '4', set_by: 'bob' } });
  const { code, err, out } = await run('set', 'redis', ...because);
  assert.equal([code, out], [1, '']);
  assert.match(
    err,
    /bob has set it to postgres at 2026-03-02 09:00:00Z, because "upgrade of Redis": it is version 4 now/,
  );
  assert.match(err, /nothing was changed; look with holdfast switch get/);
  const { error } = JSON.parse((await run('set', 'redis', ...because, '--json')).err);
  assert.is(error.reason, 'SWITCH_CHANGED');
});

test('when that cannot be read, what the refusal itself tells is said', async () => {
  gateway.script.setStockPath = new Fault('SWITCH_CHANGED', 'changed', { metadata: { version: '4', set_by: 'bob' } });
  gateway.script.getControl = new Fault('UNAVAILABLE', 'inventory is away');
  const { code, err } = await run('set', 'redis', ...because, '--expect', '3');
  assert.is(code, 1);
  assert.match(err, /bob has changed it: it is version 4 now/);
});

test('get shows every switch and what holds', async () => {
  const { code, out } = await run('get');
  assert.is(code, 0);
  assert.match(out, /every store +stock path +postgres +4 +bob +2026-03-02 09:00:00Z +- +upgrade of Redis/);
  assert.match(out, /every store: stock path postgres, as bob set it for every store; order path auto/);
});

test('get of a sku leaves out what does not bear on it, and the narrowest that is set decides', async () => {
  const redis = { $case: 'stockPath', value: StockPath.STOCK_PATH_REDIS } as const;
  const others = { ...storeScope, storeId: 'loom' };
  gateway.script.getControl = {
    switches: [
      stockSwitch,
      { ...stockSwitch, scope: others, setBy: 'cleo' },
      { ...stockSwitch, scope: storeScope, path: redis },
      { ...stockSwitch, scope: skuScope, path: { $case: 'stockPath', value: StockPath.STOCK_PATH_AUTO } },
    ],
  };
  const { out } = await run('get', '--sku', 'kiln-mug', '--json');
  const shown = JSON.parse(out);
  assert.is(shown.stock_path, 'redis');
  assert.equal(
    shown.switches.map(({ scope, path }: { scope: { kind: string }; path: string }) => [scope.kind, path]),
    [
      ['all', 'postgres'],
      ['store', 'redis'],
      ['sku', 'auto'],
    ],
  );
});

test('a switch that has run out is auto again', async () => {
  gateway.script.getControl = { switches: [{ ...stockSwitch, expiresAt: new Date('2026-03-02T09:10:00Z') }] };
  const { out } = await run('get');
  assert.match(out, /2026-03-02 09:10:00Z \(over\)/);
  assert.match(out, /stock path auto, the breakers decide/);
});

test('history reads page after page until there are as many as were asked for', async () => {
  gateway.script.listControlChanges = ({ pageToken }) => ({
    changes: Array.from({ length: 500 }, () => change),
    nextPageToken: `${pageToken}x`,
  });
  const { out } = await run('history', '--limit', '700', '--json');
  const { changes, is_more: isMore } = JSON.parse(out);
  assert.equal([changes.length, isMore], [700, true]);
  assert.equal(
    gateway.requests('listControlChanges').map(({ pageSize, pageToken, scope }) => [pageSize, pageToken, scope]),
    [
      [500, '', undefined],
      [200, 'x', undefined],
    ],
  );
  assert.equal(changes[0], {
    what: 'STOCK_PATH',
    scope: { kind: 'all' },
    from: 'AUTO',
    to: 'POSTGRES',
    reason: 'upgrade of Redis',
    changed_by: 'bob',
    changed_at: '2026-03-02T09:00:00.000Z',
    version: 4,
    expires_at: null,
  });
});

test('history tells who, when, why, of one sku when that is asked', async () => {
  const { out } = await run('history', '--sku', 'kiln-mug');
  assert.match(
    out,
    /2026-03-02 09:00:00Z +STOCK_PATH +every store +AUTO -> POSTGRES \(version 4\) +bob +upgrade of Redis/,
  );
  assert.equal(gateway.requests('listControlChanges')[0]?.scope, skuScope);
});

test('a path of the other switch is told where it belongs', async () => {
  const { code, err } = await run('set', 'direct', ...because);
  assert.is(code, 2);
  assert.match(
    err,
    /path "direct": give auto, redis or postgres; direct is an order path, set with holdfast switch set-order/,
  );
});

test.run();
