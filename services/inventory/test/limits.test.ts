import {
  InventoryServiceDefinition,
  type SetLimitsRequest,
} from '#libs/contracts/gen/holdfast/inventory/v1/inventory_service.js';
import { LimitSource, OnBusy, type Sku } from '#libs/contracts/gen/holdfast/inventory/v1/sku.js';
import { type TestLedger, testLedger } from '#libs/ledger/test-ledger.js';
import { Fault } from '#libs/refusal/fault.js';
import { type Client, connect } from '#libs/rpc/client.js';
import { Lifecycle } from '#libs/runtime/lifecycle.js';
import { createLogger } from '#libs/runtime/logger.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import { readConfig } from '../src/config.js';
import { startInventory } from '../src/service.js';

const test = suite('limits over the wire');
let database: TestLedger;
let life: Lifecycle;
let client: Client<InventoryServiceDefinition>;

test.before(async () => {
  database = await testLedger();
  life = new Lifecycle(createLogger('inventory', 'silent'));
  const config = readConfig({
    DATABASE_URL: database.url,
    GRPC_ADDRESS: '127.0.0.1:0',
    ADMIN_ADDRESS: '127.0.0.1:0',
    LOG_LEVEL: 'silent',
  });
  const { grpcAddress } = await startInventory(config, life);
  client = connect(InventoryServiceDefinition, grpcAddress, { defaultDeadlineMs: 5_000 });
});
test.after(async () => {
  client.close();
  await life.close();
  await database.drop();
});

function put(skuId: string, storeId: string, some: Partial<Sku> = {}): Promise<Sku | undefined> {
  const sku = {
    skuId,
    storeId,
    title: skuId,
    capacity: 1,
    overbooked: 0,
    startsAt: undefined,
    timeZone: '',
    onSaleAt: undefined,
    offSaleAt: undefined,
    perUserLimit: 0,
    maxPerOrder: 0,
    holdTtlSeconds: 0,
    paymentRequired: true,
    priceMinor: 0,
    currency: 'EUR',
    rateLimit: undefined,
    paused: false,
    cancelledAt: undefined,
    limitGroup: '',
    etag: '',
    ...some,
  };
  return client.putSku({ sku, requestId: '' }).then((response) => response.sku);
}

function set(storeId: string, skuId: string, some: Partial<SetLimitsRequest> = {}) {
  return client.setLimits({ storeId, skuId, rateLimit: undefined, clearRateLimit: false, requestId: '', ...some });
}

test('a sku that says nothing has no rate limit of its own, and who is beyond the limit of others waits in line', async () => {
  const plain = await put('plain', 'store-1');
  assert.equal([plain?.rateLimit, plain?.onBusy], [undefined, OnBusy.ON_BUSY_QUEUE]);
  const own = await put('own', 'store-1', { rateLimit: { perSecond: 5, burst: 0 }, onBusy: OnBusy.ON_BUSY_FAIL });
  assert.equal([own?.rateLimit, own?.onBusy], [{ perSecond: 5, burst: 5 }, OnBusy.ON_BUSY_FAIL]);
  assert.equal((await client.getSku({ skuId: 'own' })).sku, own);
});

test('what a person may have goes over the wire, and the group of a sku', async () => {
  const own = await put('grouped', 'store-9', { limitGroup: 'trial' });
  assert.is(own?.limitGroup, 'trial');
  await set('store-9', '', { perAttendeeLimit: 3, openOrdersPerUser: 2, unfulfilledPerUser: 1 });
  const { store } = await set('store-9', '', { groupId: 'trial', perAttendeeLimit: 1, openOrdersPerUser: undefined });
  assert.equal(store?.groups, [{ groupId: 'trial', perAttendeeLimit: 1 }]);
  assert.equal([store?.perAttendeeLimit, store?.openOrdersPerUser, store?.unfulfilledPerUser], [3, 2, 1]);
});

test('limits say who set them', async () => {
  for (const skuId of ['a', 'b']) await put(skuId, 'store-2');
  const store = await set('store-2', '', {
    rateLimit: { perSecond: 20, burst: 40 },
    requireIssuedRequestId: true,
  });
  const sku = await set('store-2', 'a', { rateLimit: { perSecond: 2, burst: 3 }, onBusy: OnBusy.ON_BUSY_FAIL });
  assert.equal(store, {
    sku: undefined,
    store: {
      storeId: 'store-2',
      rateLimit: { perSecond: 20, burst: 40 },
      requireIssuedRequestId: true,
      ...{ perAttendeeLimit: 0, openOrdersPerUser: 0, unfulfilledPerUser: 0, groups: [] },
    },
  });
  const ofA = {
    storeId: 'store-2',
    skuId: 'a',
    rateLimit: { perSecond: 2, burst: 3 },
    source: LimitSource.LIMIT_SOURCE_SKU,
    onBusy: OnBusy.ON_BUSY_FAIL,
    requireIssuedRequestId: true,
  };
  assert.equal(sku, { sku: ofA, store: undefined });
  const ofB = {
    ...ofA,
    skuId: 'b',
    rateLimit: { perSecond: 20, burst: 40 },
    source: LimitSource.LIMIT_SOURCE_STORE,
    onBusy: OnBusy.ON_BUSY_QUEUE,
  };
  assert.equal(await client.listLimits({ storeId: 'store-2', pageSize: 0, pageToken: '' }), {
    store: store.store,
    skus: [ofA, ofB],
    nextPageToken: '',
  });
  const keys = [
    { storeId: 'store-2', skuId: 'b' },
    { storeId: 'store-2', skuId: 'a' },
    { storeId: 'nobody', skuId: 'a' },
  ];
  assert.equal((await client.batchGetLimits({ keys })).limits, [
    ofB,
    ofA,
    {
      storeId: 'nobody',
      skuId: 'a',
      rateLimit: undefined,
      source: LimitSource.LIMIT_SOURCE_CONFIGURED,
      onBusy: OnBusy.ON_BUSY_QUEUE,
      requireIssuedRequestId: false,
    },
  ]);
});

test('a limit that was set can be cleared', async () => {
  await put('cleared', 'store-3', { rateLimit: { perSecond: 5, burst: 5 } });
  const { sku } = await set('store-3', 'cleared', { clearRateLimit: true });
  assert.equal([sku?.rateLimit, sku?.source], [undefined, LimitSource.LIMIT_SOURCE_CONFIGURED]);
});

test('limits of an unknown sku, and of one of another store, are not found', async () => {
  await put('owned', 'store-4');
  for (const skuId of ['nothing', 'owned']) {
    const fault = await rejectionOf(set('store-5', skuId, { clearRateLimit: true }), Fault);
    assert.equal([fault.reason, fault.metadata], ['SKU_NOT_FOUND', { sku_id: skuId }]);
  }
});

test('everything that is wrong with limits is said at once, a word that nobody knows included', async () => {
  const request = { rateLimit: { perSecond: 0, burst: 1_000_001 }, clearRateLimit: true, onBusy: 7 as OnBusy };
  const fault = await rejectionOf(set('', 'a', request), Fault);
  assert.equal(fault.violations.map(({ field }) => field).sort(), [
    'clear_rate_limit',
    'on_busy',
    'rate_limit.burst',
    'rate_limit.per_second',
    'store_id',
  ]);
  assert.is((await rejectionOf(client.batchGetLimits({ keys: [] }), Fault)).reason, 'INVALID_REQUEST');
  const many = Array.from({ length: 1_001 }, () => ({ storeId: 's', skuId: 'a' }));
  assert.is((await rejectionOf(client.batchGetLimits({ keys: many }), Fault)).reason, 'INVALID_REQUEST');
});

test.run();
