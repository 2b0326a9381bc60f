import { randomUUID } from 'node:crypto';
import type { Status } from '#libs/contracts/gen/google/rpc/status.js';
import { ControlServiceDefinition } from '#libs/contracts/gen/holdfast/control/v1/control_service.js';
import { StockPath } from '#libs/contracts/gen/holdfast/control/v1/switch.js';
import { InventoryServiceDefinition } from '#libs/contracts/gen/holdfast/inventory/v1/inventory_service.js';
import { AvailabilityState, LateCancel, LatePayment, type Sku } from '#libs/contracts/gen/holdfast/inventory/v1/sku.js';
import { shardOfStore } from '#libs/contracts/order-id.js';
import { claimOf, lineOf, type TestLedger, testLedger } from '#libs/ledger/test-ledger.js';
import { createRedis, type RedisClient } from '#libs/redis/redis-client.js';
import { Fault } from '#libs/refusal/fault.js';
import { type Client, connect } from '#libs/rpc/client.js';
import { partOf } from '#libs/rpc/definition.js';
import { fromStatus } from '#libs/rpc/status.js';
import { Lifecycle } from '#libs/runtime/lifecycle.js';
import { createLogger } from '#libs/runtime/logger.js';
import { createMetrics } from '#libs/runtime/metrics.js';
import type { PrivateServer } from '#libs/servers/private-server.js';
import { privateRedis } from '#libs/testing/private-servers.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { readConfig } from '../src/config.js';
import { startInventory } from '../src/service.js';

const test = suite('skus by operators, over the wire');
const skuControl = partOf(ControlServiceDefinition, [
  'pauseSku',
  'resumeSku',
  'setCapacity',
  'importSkus',
  'listReleases',
]);
const olga = { metadata: { 'holdfast-actor': 'olga', 'holdfast-actor-role': 'operator' } };
const logger = createLogger('inventory', 'silent');
let database: TestLedger;
let server: PrivateServer;
let redis: RedisClient;
let life: Lifecycle;
let control: Client<typeof skuControl>;
let inventory: Client<InventoryServiceDefinition>;

test.before(async () => {
  [database, server] = await Promise.all([testLedger(), privateRedis()]);
  redis = createRedis({ url: server.url, name: 'test', logger, metrics: createMetrics() });
  await until(() => redis.status === 'ready');
  life = new Lifecycle(logger);
  const address = '127.0.0.1:0';
  const env = { GRPC_ADDRESS: address, ADMIN_ADDRESS: address, LOG_LEVEL: 'silent', REDIS_URL: server.url };
  const { grpcAddress } = await startInventory(readConfig({ DATABASE_URL: database.url, ...env }), life);
  control = connect(skuControl, grpcAddress, { defaultDeadlineMs: 10_000 });
  inventory = connect(InventoryServiceDefinition, grpcAddress, { defaultDeadlineMs: 10_000 });
});
test.after.each(async () => assert.equal(await database.violations(), []));
test.after(async () => {
  control.close();
  inventory.close();
  await life.close();
  redis.disconnect();
  await Promise.all([database.drop(), server.stop()]);
});

const change = ({ skuId, storeId }: { skuId: string; storeId: string }) => ({
  skuId,
  storeId,
  reason: 'the room is flooded',
  requestId: randomUUID(),
});

/** What the gate has of a sku. */
async function gateOf({ skuId, storeId }: { skuId: string; storeId: string }) {
  const key = `hf:{s${shardOfStore(storeId, 4)}}:gate:${skuId}`;
  const [letIn, openUntil] = await redis.hmget(key, 'let_in', 'open_until');
  return { letIn: Number(letIn), isOpen: Number(openUntil) > Date.now() };
}

/** The sku as an operator would send it. */
async function read(skuId: string): Promise<Sku> {
  const { sku } = await inventory.getSku({ skuId });
  if (!sku) throw new Error('no sku');
  return { ...sku, etag: '' };
}

function faultOf(error: Status | undefined): Fault {
  if (!error) throw new Error('no error');
  return fromStatus(error);
}

test('a pause shuts the gate before it is answered, and its end opens it', async () => {
  const sku = await database.sku();
  await inventory.sync({ skuIds: [sku.skuId], openingWithinSeconds: 0 });
  assert.equal(await gateOf(sku), { letIn: 10, isOpen: true });
  const paused = await control.pauseSku(change(sku), olga);
  assert.equal([paused.sku?.paused, (await gateOf(sku)).isOpen], [true, false]);
  const { availability } = await inventory.getSku({ skuId: sku.skuId });
  assert.equal([availability?.onSale, availability?.free], [false, 10]);
  const resumed = await control.resumeSku(change(sku), olga);
  assert.equal([resumed.sku?.paused, await gateOf(sku)], [false, { letIn: 10, isOpen: true }]);
});

test('K07: capacity goes up and down, the gate with it, and what a buyer is told is what can be had', async () => {
  const sku = await database.sku({ perUserLimit: 9 });
  await database.order(claimOf('ann', [lineOf(sku.skuId, 'ann', 4)]));
  const up = await control.setCapacity({ ...change(sku), capacity: 12, force: false }, olga);
  assert.equal([up.sku?.capacity, up.availability?.free, (await gateOf(sku)).letIn], [12, 8, 8]);
  const low = { ...change(sku), capacity: 3 };
  const fault = await rejectionOf(control.setCapacity({ ...low, force: false }, olga), Fault);
  const { capacity, reserved, held, sold, taken } = fault.metadata;
  assert.equal(
    [fault.reason, capacity, reserved, held, sold, taken],
    ['CAPACITY_BELOW_TAKEN', '12', '0', '4', '0', '4'],
  );
  assert.is((await gateOf(sku)).letIn, 8);
  const down = await control.setCapacity({ ...low, force: true }, olga);
  assert.equal([down.sku?.capacity, down.sku?.overbooked, (await gateOf(sku)).letIn], [3, 1, 0]);
  assert.is(down.availability?.state, AvailabilityState.AVAILABILITY_STATE_ALL_HELD);
  const page = { pageSize: 500, pageToken: '', startsAfter: undefined, startsBefore: undefined };
  const { skus, availability } = await inventory.listSkus({ storeId: sku.storeId, ...page });
  const listed = availability[skus.findIndex(({ skuId }) => skuId === sku.skuId)];
  assert.equal([listed?.free, listed?.held], [0, 4]);
});

test('whoever has no name changes nothing, and everything that is wrong is said at once', async () => {
  const sku = await database.sku();
  const nameless = rejectionOf(control.pauseSku(change(sku)), Fault);
  assert.is((await nameless).reason, 'TOKEN_MISSING');
  const bad = { storeId: ' ', skuId: '', reason: '', requestId: 'two words' };
  const fields = async (call: Promise<unknown>): Promise<string[]> =>
    (await rejectionOf(call, Fault)).violations.map(({ field }) => field);
  const common = ['store_id', 'sku_id', 'reason', 'request_id'];
  assert.equal(await fields(control.pauseSku(bad, olga)), common);
  assert.equal(await fields(control.resumeSku(bad, olga)), common);
  assert.equal(await fields(control.setCapacity({ ...bad, capacity: -1, force: true }, olga)), [...common, 'capacity']);
  const page = { storeId: 'two words', withinHours: -1, pageSize: 0, pageToken: '' };
  assert.equal(await fields(control.listReleases(page, olga)), ['store_id', 'within_hours']);
  assert.equal(await fields(control.listReleases({ ...page, storeId: '', withinHours: 1, pageToken: 'x' }, olga)), [
    'page_token',
  ]);
  assert.is((await read(sku.skuId)).paused, false);
});

test("another store's sku is not found by any verb", async () => {
  const { skuId } = await database.sku();
  const foreign = { ...change({ skuId, storeId: 'store-2' }), capacity: 1, force: true };
  for (const call of [
    () => control.pauseSku(foreign, olga),
    () => control.resumeSku(foreign, olga),
    () => control.setCapacity(foreign, olga),
  ]) {
    assert.is((await rejectionOf<Fault>(call(), Fault)).reason, 'SKU_NOT_FOUND');
  }
  assert.is((await read(skuId)).capacity, 10);
});

test('an import says of each bad row what is wrong with it, puts the rest, and a dry run of it puts nothing', async () => {
  const taken = await database.sku({ perUserLimit: 9 });
  await database.order(claimOf('ann', [lineOf(taken.skuId, 'ann', 4)]));
  const other = await database.sku();
  const template = await read(other.skuId);
  const fresh = { ...template, skuId: `sku-${randomUUID()}`, title: 'New' };
  const skus = [
    fresh,
    template,
    { ...template, skuId: other.skuId, title: 'Twice' },
    { ...(await read(taken.skuId)), capacity: 3 },
    { ...fresh, skuId: 'two words', capacity: -1, currency: '', timeZone: 'Nowhere' },
  ];
  const request = { skus, update: true, requestId: randomUUID(), reason: 'the timetable' };
  const rehearsed = await control.importSkus({ ...request, dryRun: true }, olga);
  assert.is((await rejectionOf(inventory.getSku({ skuId: fresh.skuId }), Fault)).reason, 'SKU_NOT_FOUND');
  const imported = await control.importSkus({ ...request, dryRun: false }, olga);
  assert.equal(imported, rehearsed);
  const { created, changed, unchanged, failures } = imported;
  assert.equal([created, changed, unchanged], [1, 0, 1]);
  const faults = failures.map(({ position, error }) => ({ position, fault: faultOf(error) }));
  assert.equal(
    faults.map(({ position, fault }) => [position, fault.reason, fault.violations.map(({ field }) => field)]),
    [
      [2, 'INVALID_REQUEST', ['sku_id']],
      [3, 'CAPACITY_BELOW_TAKEN', []],
      [4, 'INVALID_REQUEST', ['sku_id', 'capacity', 'currency', 'time_zone']],
    ],
  );
  assert.is(faults[1]?.fault.metadata.taken, '4');
  assert.equal(await gateOf(fresh), { letIn: 10, isOpen: true });
});

test('what becomes of late money and late cancels is put, stays when it is left out, and is refused by its name', async () => {
  const { skuId } = await database.sku();
  const put = async (policies: Partial<Sku>): Promise<(number | undefined)[]> => {
    const { sku } = await inventory.getSku({ skuId });
    await inventory.putSku({ sku: sku && { ...sku, ...policies }, requestId: '' });
    const { latePayment, freeCancelSeconds, lateCancel } = await read(skuId);
    return [latePayment, freeCancelSeconds, lateCancel];
  };
  const { LATE_PAYMENT_REFUND, LATE_PAYMENT_RETAKE_IF_FREE } = LatePayment;
  const { LATE_CANCEL_NO_REFUND, LATE_CANCEL_REFUSE } = LateCancel;
  assert.equal(await put({}), [LATE_PAYMENT_RETAKE_IF_FREE, -1, LATE_CANCEL_REFUSE]);
  const strict = { latePayment: LATE_PAYMENT_REFUND, freeCancelSeconds: 0, lateCancel: LATE_CANCEL_NO_REFUND };
  const told = [LATE_PAYMENT_REFUND, 0, LATE_CANCEL_NO_REFUND];
  assert.equal(await put(strict), told);
  assert.equal(await put({ latePayment: undefined, freeCancelSeconds: undefined, lateCancel: undefined }), told);
  assert.equal(await put({ freeCancelSeconds: -1 }), [LATE_PAYMENT_REFUND, -1, LATE_CANCEL_NO_REFUND]);
  const wrong = put({ latePayment: 9 as LatePayment, freeCancelSeconds: -2, lateCancel: 9 as LateCancel });
  assert.equal(
    (await rejectionOf(wrong, Fault)).violations.map(({ field }) => field),
    ['late_payment', 'late_cancel', 'free_cancel_seconds'],
  );
});

test('an import without update changes no sku that exists', async () => {
  const { skuId } = await database.sku();
  const skus = [{ ...(await read(skuId)), title: 'Renamed' }];
  const request = { skus, dryRun: false, update: false, requestId: randomUUID(), reason: '' };
  const { failures } = await control.importSkus(request, olga);
  assert.is(faultOf(failures[0]?.error).reason, 'SKU_EXISTS');
  assert.is((await read(skuId)).title, 'A sku');
  const none = rejectionOf(control.importSkus({ ...request, skus: [], requestId: '' }, olga), Fault);
  assert.equal(
    (await none).violations.map(({ field }) => field),
    ['skus', 'request_id'],
  );
});

test('releases say whether the gate is ready and which path their switches give them', async () => {
  const storeId = `store-${randomUUID()}`;
  const at = (minutes: number): Date => new Date(Date.now() + minutes * 60_000);
  const [soon, later] = [
    await database.sku({ storeId, onSaleAt: at(5) }),
    await database.sku({ storeId, onSaleAt: at(50) }),
  ];
  await inventory.sync({ skuIds: [soon.skuId], openingWithinSeconds: 0 });
  await database.sql(
    `INSERT INTO ledger.switches VALUES ('STOCK_PATH', 'SKU', $1, 'POSTGRES', 1, 'why', 'olga', now(), NULL)`,
    [later.skuId],
  );
  const page = { storeId, withinHours: 0, pageSize: 0, pageToken: '' };
  const { releases, nextPageToken } = await control.listReleases(page, olga);
  assert.equal(
    releases.map(({ sku, gateLoaded, stockPath }) => [sku?.skuId, gateLoaded, StockPath[stockPath]]),
    [
      [soon.skuId, true, 'STOCK_PATH_AUTO'],
      [later.skuId, false, 'STOCK_PATH_POSTGRES'],
    ],
  );
  assert.is(nextPageToken, '');
  assert.is(releases[0]?.availability?.onSale, false);
});

test.run();
