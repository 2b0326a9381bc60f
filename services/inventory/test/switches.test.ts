import { randomUUID } from 'node:crypto';
import { ControlServiceDefinition } from '#libs/contracts/gen/holdfast/control/v1/control_service.js';
import { OrderPath, ScopeKind, StockPath } from '#libs/contracts/gen/holdfast/control/v1/switch.js';
import { type TestLedger, testLedger } from '#libs/ledger/test-ledger.js';
import { Fault } from '#libs/refusal/fault.js';
import { type Client, connect } from '#libs/rpc/client.js';
import { partOf } from '#libs/rpc/definition.js';
import { Lifecycle } from '#libs/runtime/lifecycle.js';
import { createLogger } from '#libs/runtime/logger.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import { readConfig } from '../src/config.js';
import { startInventory } from '../src/service.js';

const test = suite('switches');
const switches = partOf(ControlServiceDefinition, ['getControl', 'setStockPath', 'setOrderPath', 'listControlChanges']);
const ann = { metadata: { 'holdfast-actor': 'ann', 'holdfast-actor-role': 'operator' } };
const everything = { kind: ScopeKind.SCOPE_KIND_ALL, storeId: '', skuId: '' };
const life = new Lifecycle(createLogger('test', 'silent'));

let database: TestLedger;
let control: Client<typeof switches>;

test.before(async () => {
  database = await testLedger();
  const address = '127.0.0.1:0';
  const env = { DATABASE_URL: database.url, GRPC_ADDRESS: address, ADMIN_ADDRESS: address, LOG_LEVEL: 'silent' };
  const { grpcAddress } = await startInventory(readConfig(env), life);
  control = connect(switches, grpcAddress, { defaultDeadlineMs: 20_000 });
});
test.after(async () => {
  control.close();
  await life.close();
  await database.drop();
});

const straight = () => ({
  scope: { kind: ScopeKind.SCOPE_KIND_STORE, storeId: `store-${randomUUID()}`, skuId: '' },
  path: StockPath.STOCK_PATH_POSTGRES,
  reason: 'redis is being moved',
  expectedVersion: 0,
  expiresInSeconds: 0,
  requestId: randomUUID(),
});

test('a stock path that an operator sets is listed, with who set it, when and why', async () => {
  const change = { ...straight(), expiresInSeconds: 60 };
  const { switch: set } = await control.setStockPath(change, ann);
  assert.equal([set?.setBy, set?.reason, set?.version], ['ann', 'redis is being moved', 1]);
  assert.equal(set?.path, { $case: 'stockPath', value: StockPath.STOCK_PATH_POSTGRES });
  assert.equal(
    (await control.getControl({})).switches.find(({ scope }) => scope?.storeId === change.scope.storeId),
    set,
  );
  const { changes } = await control.listControlChanges({ scope: change.scope, pageSize: 0, pageToken: '' });
  assert.equal(
    changes.map(({ what, scope, from, to, changedBy, expiresAt }) => ({ what, scope, from, to, changedBy, expiresAt })),
    [
      {
        what: 'STOCK_PATH',
        scope: change.scope,
        from: 'AUTO',
        to: 'POSTGRES',
        changedBy: 'ann',
        expiresAt: set?.expiresAt,
      },
    ],
  );
});

test('the order path is one for all, with or without saying so', async () => {
  const change = { ...straight(), scope: undefined, path: OrderPath.ORDER_PATH_DIRECT };
  const { switch: set } = await control.setOrderPath(change, ann);
  assert.equal(set?.path, { $case: 'orderPath', value: OrderPath.ORDER_PATH_DIRECT });
  assert.equal(set?.scope, everything);
  const back = { ...change, scope: everything, path: OrderPath.ORDER_PATH_AUTO, expectedVersion: 1, requestId: 'back' };
  assert.is((await control.setOrderPath(back, ann)).switch?.version, 2);
});

test('a stale version is told the version and who set it, and changes nothing', async () => {
  const change = straight();
  await control.setStockPath(change, ann);
  const stale = { ...change, path: StockPath.STOCK_PATH_REDIS, requestId: randomUUID() };
  const fault = await rejectionOf(control.setStockPath(stale, ann), Fault);
  assert.equal([fault.reason, fault.metadata], ['SWITCH_CHANGED', { version: '1', set_by: 'ann' }]);
});

test('all that is wrong is said at once; a scope and a path that nobody knows are wrong', async () => {
  const bad = {
    ...straight(),
    scope: undefined,
    path: 77 as StockPath,
    reason: '',
    expectedVersion: -1,
    requestId: '',
  };
  const fieldsOf = async (call: Promise<unknown>): Promise<string[]> =>
    (await rejectionOf(call, Fault)).violations.map(({ field }) => field);
  assert.equal(await fieldsOf(control.setStockPath(bad, ann)), [
    'scope.kind',
    'path',
    'expected_version',
    'reason',
    'request_id',
  ]);
  const scope = { ...everything, kind: 9 as ScopeKind };
  assert.equal(await fieldsOf(control.setOrderPath({ ...straight(), scope, path: 0 }, ann)), ['scope.kind', 'path']);
  assert.equal(await fieldsOf(control.listControlChanges({ scope, pageSize: 0, pageToken: '' })), ['scope.kind']);
});

test("another store's sku is not found, and whoever has no name sets nothing", async () => {
  const { skuId } = await database.sku({ storeId: 'store-2' });
  const scope = { kind: ScopeKind.SCOPE_KIND_SKU, storeId: 'store-1', skuId };
  assert.is((await rejectionOf(control.setStockPath({ ...straight(), scope }, ann), Fault)).reason, 'SKU_NOT_FOUND');
  assert.is((await rejectionOf(control.setStockPath(straight()), Fault)).reason, 'TOKEN_MISSING');
});

test.run();
