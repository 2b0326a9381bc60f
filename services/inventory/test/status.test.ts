import {
  BreakerState,
  type InstanceStatus,
  OrderPathInUse,
  StockPathInUse,
} from '#libs/contracts/gen/holdfast/status/v1/instance.js';
import { StatusServiceDefinition } from '#libs/contracts/gen/holdfast/status/v1/status_service.js';
import { shardOfStore } from '#libs/contracts/order-id.js';
import { type TestLedger, testLedger } from '#libs/ledger/test-ledger.js';
import { createRedis } from '#libs/redis/redis-client.js';
import { connect } from '#libs/rpc/client.js';
import { Lifecycle } from '#libs/runtime/lifecycle.js';
import { createLogger } from '#libs/runtime/logger.js';
import { createMetrics } from '#libs/runtime/metrics.js';
import type { PrivateServer } from '#libs/servers/private-server.js';
import { privateNats, privateRedis } from '#libs/testing/private-servers.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { RedisGate } from '../src/adapters/redis-gate.js';
import { SyncGates } from '../src/app/sync-gates.js';
import { readConfig } from '../src/config.js';
import { startInventory } from '../src/service.js';
import { claimOf } from './test-placing.js';

const test = suite('status');
const logger = createLogger('test', 'silent');
const SHARDS = 4;
const lives: Lifecycle[] = [];
let database: TestLedger;
let redis: PrivateServer;
let nats: PrivateServer;

test.before(async () => {
  [database, redis, nats] = await Promise.all([testLedger(), privateRedis(), privateNats()]);
});
test.after(async () => {
  for (const life of lives) await life.close();
  await Promise.all([database.drop(), redis.stop(), nats.stop()]);
});

/** Starts a process; what is given back asks it how it is. */
async function start(env: Record<string, string>): Promise<() => Promise<InstanceStatus>> {
  const address = '127.0.0.1:0';
  const own = { DATABASE_URL: database.url, GRPC_ADDRESS: address, ADMIN_ADDRESS: address, INSTANCE: 'inventory-7' };
  const life = new Lifecycle(logger);
  lives.push(life);
  const { grpcAddress } = await startInventory(readConfig({ ...own, LOG_LEVEL: 'silent', ...env }), life);
  const client = connect(StatusServiceDefinition, grpcAddress, { defaultDeadlineMs: 20_000 });
  life.closer('client', () => client.close());
  return async () => (await client.getStatus({})).status as InstanceStatus;
}

test('a process on the ledger alone goes straight, and has no breakers', async () => {
  const { service, instance, servers, pools, stock } = await (await start({}))();
  assert.equal([service, instance, servers], ['inventory', 'inventory-7', [{ name: 'postgres', answers: true }]]);
  assert.equal(
    pools.map(({ name, size }) => [name, size]),
    [
      ['main', 6],
      ['direct', 2],
    ],
  );
  assert.equal(stock, {
    stockPath: StockPathInUse.STOCK_PATH_IN_USE_POSTGRES,
    orderPath: OrderPathInUse.ORDER_PATH_IN_USE_DIRECT,
    gateBreaker: BreakerState.BREAKER_STATE_UNSPECIFIED,
    streamBreaker: BreakerState.BREAKER_STATE_UNSPECIFIED,
    ...{ journalSize: 0, journalOldestMs: 0, inFlight: 0, parked: 0, undecided: 0 },
  });
});

test('it tells the paths in use and the size of the journal; while Redis is frozen it answers all the same', async () => {
  const status = await start({ REDIS_URL: redis.url, NATS_URL: nats.url });
  const client = createRedis({ url: redis.url, name: 'test', logger, metrics: createMetrics() });
  await until(() => client.status === 'ready');
  const gate = new RedisGate(client);
  const { skuId } = await database.sku();
  await new SyncGates(database.ledger, gate, SHARDS).syncSkus([skuId]);
  await gate.place(shardOfStore('store-1', SHARDS), [claimOf(skuId), claimOf(skuId)]);
  client.disconnect();
  await until(async () => (await status()).stock?.journalSize === 2);
  const { stock } = await status();
  assert.equal(
    [stock?.stockPath, stock?.orderPath, stock?.gateBreaker],
    [
      StockPathInUse.STOCK_PATH_IN_USE_REDIS,
      OrderPathInUse.ORDER_PATH_IN_USE_STREAM,
      BreakerState.BREAKER_STATE_CLOSED,
    ],
  );
  await redis.freeze();
  await until(async () => (await status()).servers.some(({ name, answers }) => name === 'redis' && !answers));
  const silent = await status();
  assert.equal([silent.stock?.journalSize, silent.stock?.journalOldestMs], [-1, -1]);
  await redis.thaw();
});

test.run();
