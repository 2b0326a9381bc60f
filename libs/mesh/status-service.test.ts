import { readFileSync } from 'node:fs';
import { StatusServiceDefinition } from '#libs/contracts/gen/holdfast/status/v1/status_service.js';
import { connect } from '#libs/rpc/client.js';
import { startServer } from '#libs/rpc/server.js';
import { createLogger } from '#libs/runtime/logger.js';
import { assert, suite } from '#libs/testing/suite.js';
import { StatusReader, statusService } from './status-service.js';

const test = suite('status service');

test('a process tells how it is while a server under it hangs and another is away', async () => {
  const before = Date.now();
  const reader = new StatusReader({
    instance: 'order-1',
    service: 'order',
    servers: {
      postgres: async () => true,
      redis: () => new Promise(() => undefined),
      nats: () => Promise.reject(new Error('away')),
    },
    pools: { main: { stats: () => ({ size: 6, total: 4, idle: 1, inUse: 3, waiting: 2, longestWaitMs: 17 }) } },
    own: async () => ({ orders: { consumerLag: 5, outboxLag: 0, outboxOldestMs: 0, deadLetters: 1 } }),
  });
  const logger = createLogger('test', 'silent');
  const services = [statusService(reader)];
  const server = await startServer({ address: '127.0.0.1:0', services, logger, reflection: false });
  const client = connect(StatusServiceDefinition, server.address, { defaultDeadlineMs: 20_000 });
  const { status } = await client.getStatus({});
  client.close();
  await server.drain();
  assert.equal(status?.servers, [
    { name: 'postgres', answers: true },
    { name: 'redis', answers: false },
    { name: 'nats', answers: false },
  ]);
  assert.equal(status?.pools, [{ name: 'main', size: 6, inUse: 3, waiting: 2, longestWaitMs: 17 }]);
  assert.equal([status?.instance, status?.service, status?.orders?.consumerLag], ['order-1', 'order', 5]);
  assert.is(status?.stock, undefined);
  const declared = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  assert.is(status?.version, declared.version);
  assert.ok(Number(status?.startedAt) >= before - 1_000);
});

test.run();
