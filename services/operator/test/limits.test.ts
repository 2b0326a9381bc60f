import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OnBusy } from '#libs/contracts/gen/holdfast/inventory/v1/sku.js';
import { type LimitsFile, writeLimitsFile } from '#libs/mesh/limits-file.js';
import { Fault } from '#libs/refusal/fault.js';
import { assert, suite } from '#libs/testing/suite.js';
import { holdfast } from './command-line.js';
import { type LimitsGateway, startLimitsGateway } from './limits-gateway.js';

const test = suite('holdfast limits');
let gateway: LimitsGateway;

test.before(async () => {
  gateway = await startLimitsGateway();
});
test.before.each(() => {
  Object.assign(gateway, { listed: [], set: [], roles: [], fault: undefined, missing: '' });
  Object.assign(gateway, { hasSkus: true, listFault: undefined });
});
test.after(() => gateway.close());

const run = (...args: string[]) => holdfast(['--gateway', gateway.address, 'limits', ...args]);
const words = (line: string | undefined) => (line ?? '').split(/ {2,}/);

test('show reads every page, and says who set what', async () => {
  const { code, out } = await run('show', '--store', 'kiln');
  assert.is(code, 0);
  const [heading, ...table] = out.trimEnd().split('\n');
  assert.is(heading, `gateway ${gateway.address} (--gateway)`);
  assert.equal(table.map(words), [
    ['of', 'a second', 'burst', 'set by', 'when busy', 'request ids'],
    ['every store', '50', '60', 'configured'],
    ['store kiln', '50', '60', 'configured', '-', 'issued only'],
    ['kiln-mug', '4,000', '80', 'sku', 'fail', 'issued only'],
    ['kiln-wheel', '50', '60', 'configured', 'queue', 'issued only'],
  ]);
  assert.equal(
    gateway.listed.map(({ storeId, pageToken }) => [storeId, pageToken]),
    [
      ['kiln', ''],
      ['kiln', 'second'],
    ],
  );
  assert.equal(gateway.roles, ['OPERATOR', 'OPERATOR']);
});

test('show --json prints one document with what the table has', async () => {
  const { out } = await run('show', '--store', 'kiln', '--sku', 'kiln-mug', '--json');
  assert.equal(JSON.parse(out), {
    gateway: gateway.address,
    configured: { per_second: 50, burst: 60 },
    store: {
      store_id: 'kiln',
      rate_limit: null,
      require_issued_request_id: true,
      per_attendee_limit: null,
      open_orders_per_user: null,
      unfulfilled_per_user: null,
      groups: [],
    },
    skus: [
      {
        store_id: 'kiln',
        sku_id: 'kiln-mug',
        rate_limit: { per_second: 4_000, burst: 80 },
        source: 'sku',
        on_busy: 'fail',
        require_issued_request_id: true,
      },
    ],
  });
});

test('a sku that the store does not have is said to be missing', async () => {
  const { code, err } = await run('show', '--store', 'kiln', '--sku', 'kiln-mgu');
  assert.is(code, 1);
  assert.match(err, /store kiln has no sku kiln-mgu/);
});

test('set sends what was named and nothing else', async () => {
  const { code, out } = await run('set', '--store', 'kiln', '--sku', 'mug', '--rate', '400', '--burst', '500');
  assert.is(code, 0);
  assert.match(out, /mug +400 +500 +sku/);
  await run('set', '--store', 'kiln', '--sku', 'mug', '--on-busy', 'fail');
  await run('set', '--store', 'kiln', '--clear', '--require-issued-request-id', 'false');
  const sent = gateway.set.map(({ requestId, ...rest }) => rest);
  const noOrderLimits = { perAttendeeLimit: undefined, openOrdersPerUser: undefined, unfulfilledPerUser: undefined };
  const untouched = {
    storeId: 'kiln',
    rateLimit: undefined,
    clearRateLimit: false,
    ...noOrderLimits,
    groupId: undefined,
  };
  assert.equal(sent, [
    {
      ...untouched,
      skuId: 'mug',
      rateLimit: { perSecond: 400, burst: 500 },
      onBusy: undefined,
      requireIssuedRequestId: undefined,
    },
    { ...untouched, skuId: 'mug', onBusy: OnBusy.ON_BUSY_FAIL, requireIssuedRequestId: undefined },
    { ...untouched, skuId: '', clearRateLimit: true, onBusy: undefined, requireIssuedRequestId: false },
  ]);
  assert.is(new Set(gateway.set.map(({ requestId }) => requestId)).size, 3);
});

test('what a person may have is set for a store or a group, and none takes it away', async () => {
  await run('set', '--store', 'kiln', '--per-attendee', '2', '--open-orders', 'none', '--unfulfilled', '1');
  await run('set', '--store', 'kiln', '--group', 'trial', '--per-attendee', '1');
  const sent = gateway.set.map(({ perAttendeeLimit, openOrdersPerUser, unfulfilledPerUser, groupId }) => [
    ...[perAttendeeLimit, openOrdersPerUser, unfulfilledPerUser, groupId],
  ]);
  assert.equal(sent, [
    [2, 0, 1, undefined],
    [1, undefined, undefined, 'trial'],
  ]);
  const wrong = ['--group', 'a b', '--open-orders', '0', '--unfulfilled', 'many', '--sku', 'mug'];
  const { code, err } = await run('set', '--store', 'kiln', ...wrong);
  assert.is(code, 2);
  for (const problem of [
    '--group "a b"',
    '--group goes with',
    '--open-orders 0',
    '--unfulfilled many',
    'leave --sku',
  ]) {
    assert.ok(err.includes(problem), `${problem} in ${err}`);
  }
});

test('set prints the rate that holds, also when it is the configured one', async () => {
  const store = await run('set', '--store', 'kiln', '--require-issued-request-id', 'true');
  assert.equal(words(store.out.trimEnd().split('\n').at(-1)), [
    'store kiln',
    '50',
    '60',
    'configured',
    '-',
    'issued only',
  ]);
  const sku = await run('set', '--store', 'kiln', '--sku', 'mug', '--on-busy', 'fail', '--json');
  const { configured, sku: set } = JSON.parse(sku.out);
  assert.equal([configured, set.rate_limit], [{ per_second: 50, burst: 60 }, null]);
  assert.equal([store.err, sku.err], ['', '']);
});

test('a change that was made is told, also when what holds beside it cannot be read', async () => {
  gateway.listFault = new Fault('UNAVAILABLE', 'inventory is away');
  const { code, out, err } = await run('set', '--store', 'kiln', '--clear');
  assert.equal([code, err], [0, '']);
  assert.match(out, /store kiln +- +- +configured/);
});

test('of a store without skus it is said that it has none, as a name that was misspelt has', async () => {
  gateway.hasSkus = false;
  const about = /^store klin has no skus yet: check the spelling/;
  for (const command of [
    ['set', '--store', 'klin', '--rate', '5', '--burst', '5'],
    ['show', '--store', 'klin'],
  ]) {
    const { code, out, err } = await run(...command);
    assert.is(code, 0);
    assert.match(out, /^store klin/m);
    assert.match(err, about);
    assert.match(JSON.parse((await run(...command, '--json')).err).warning, about);
  }
});

test('everything that is wrong with a command is said at once, and nothing is sent', async () => {
  const { code, err, out } = await run('set', '--rate', '0', '--on-busy', 'wait', '--require-issued-request-id', 'yes');
  assert.is(code, 2);
  assert.is(out, '');
  for (const problem of [
    '--store is missing',
    '--rate 0',
    '--burst is missing',
    '--on-busy wait',
    '-id yes: give true',
  ]) {
    assert.ok(err.includes(problem), `${problem} in ${err}`);
  }
  assert.match(err, /see npx --no-install holdfast limits set --help/);
  assert.equal(gateway.set, []);
});

test('every violation that the gateway finds is said', async () => {
  const violations = [
    { field: 'rate_limit.burst', description: 'must be at most 1000' },
    { field: 'store_id', description: 'is closed' },
  ];
  gateway.fault = new Fault('INVALID_REQUEST', 'not valid', { violations });
  const { code, err } = await run('set', '--store', 'kiln', '--clear');
  assert.is(code, 1);
  assert.equal(err.split('\n').slice(0, 2), ['rate_limit.burst must be at most 1000', 'store_id is closed']);
});

test('with --json errors are one document on stderr, wherever the option stands', async () => {
  gateway.fault = new Fault('PERMISSION_DENIED', 'operators only');
  const { code, out, err } = await run('show', '--store', 'kiln', '--json');
  assert.is(code, 1);
  assert.is(out, '');
  const { error } = JSON.parse(err);
  assert.equal([error.reason, error.problems, error.exit_code], ['PERMISSION_DENIED', ['operators only'], 1]);
  const unknown = await holdfast(['--json', 'limits', 'show', '--sotre', 'kiln']);
  assert.is(JSON.parse(unknown.err).error.exit_code, 2);
});

test('a part behind the gateway that is away is told apart from a gateway that is away', async () => {
  gateway.fault = new Fault('UNAVAILABLE', 'inventory is away');
  const behind = await run('show', '--store', 'kiln');
  assert.is(behind.code, 3);
  assert.match(behind.err, /answers, but a part behind it is away: inventory is away/);
  const nobody = await holdfast(['limits', 'show', '--store', 'kiln', '--gateway', '127.0.0.1:1']);
  assert.is(nobody.code, 3);
  assert.match(nobody.err, /no gateway answers at 127.0.0.1:1 \(--gateway\)\n.*npm start/);
});

test('apply sets every limit of a file, and a sku that is not there stops nothing', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-apply-'));
  const path = join(directory, 'limits.json');
  try {
    writeLimitsFile(path, limitsOf('mug', 'gone', 'wheel'));
    gateway.missing = 'gone';
    const { code, out, err } = await run('apply', path);
    assert.is(code, 1);
    assert.equal(
      gateway.set.map(({ storeId, skuId, rateLimit }) => [storeId, skuId, rateLimit?.perSecond, rateLimit?.burst]),
      [
        ['kiln', 'mug', 10, 5],
        ['kiln', 'gone', 10, 5],
        ['kiln', 'wheel', 10, 5],
      ],
    );
    for (const skuId of ['mug', 'wheel']) assert.match(out, new RegExp(`${skuId} +10 +5 +sku`));
    assert.match(err, /not set: gone of store kiln: no such sku/);
    const { applied, failed } = JSON.parse((await run('apply', path, '--json')).out);
    assert.equal([applied.length, failed[0].sku_id, failed[0].reason], [2, 'gone', 'SKU_NOT_FOUND']);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test('a file that cannot be used is refused with all that is wrong, and nothing is sent', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-apply-'));
  const path = join(directory, 'limits.json');
  try {
    writeFileSync(path, JSON.stringify({ ...limitsOf('mug'), version: 7, limits: [{ store_id: 'kiln', burst: 0 }] }));
    const { code, err } = await run('apply', path);
    assert.is(code, 2);
    for (const problem of ['version is not 1', 'per_second is no whole', 'burst is no whole'])
      assert.ok(err.includes(problem), err);
    assert.match(err, /docs\/limits\.md shows what such a file looks like[^\n]*\n$/);
    assert.match((await run('apply', join(directory, 'absent'))).err, /there is no file .*absent; npm run calibrate/);
    assert.equal(gateway.set, []);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

function limitsOf(...skuIds: string[]): LimitsFile {
  return {
    version: 1,
    measured: { at: '', cores: 1, cpu: '', node: '', ledger_per_second: 1, consumer_per_second: 1, path_per_second: 1 },
    predicted: { per_second: 1, p99_ms: 1 },
    services: {},
    limits: skuIds.map((sku_id) => ({ store_id: 'kiln', sku_id, per_second: 10, burst: 5 })),
  };
}

test('the store of a sku is looked up', async () => {
  assert.is((await run('show', '--sku', 'kiln-mug')).code, 0);
  assert.equal(
    gateway.listed.map(({ storeId }) => storeId),
    ['kiln', 'kiln'],
  );
});

test('colours are for terminals', async () => {
  const args = ['--gateway', gateway.address, 'limits', 'show', '--store', 'kiln'];
  assert.match((await holdfast(args, { isTTY: true })).out, '\u001b[');
  assert.not.match((await holdfast(args)).out, '\u001b[');
  assert.not.match((await holdfast(args, { isTTY: true, env: { NO_COLOR: '1' } })).out, '\u001b[');
});

test.run();
