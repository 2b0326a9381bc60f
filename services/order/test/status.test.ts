import { StatusServiceDefinition } from '#libs/contracts/gen/holdfast/status/v1/status_service.js';
import { claimOf } from '#libs/ledger/test-ledger.js';
import { connect } from '#libs/rpc/client.js';
import { faultProxy } from '#libs/testing/fault-proxy.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { Stage } from './test-stage.js';

const test = suite('status of the order service');
let stage: Stage;

test.before.each(async () => {
  stage = await Stage.open();
});
test.after.each(() => stage.close());

async function statusAt(grpcAddress: string) {
  const client = connect(StatusServiceDefinition, grpcAddress, { defaultDeadlineMs: 10_000 });
  const { status } = await client.getStatus({});
  client.close();
  return status;
}

test('it tells what waits in the streams, in the outbox and for a person', async () => {
  const { grpcAddress } = await stage.start({ instance: 'order-7' });
  await until(async () => (await statusAt(grpcAddress))?.orders?.consumerLag === 0);
  await stage.ledger.ledger.deadLetterAdd({ subject: 's', payload: Buffer.from('x'), error: 'e' });
  await stage.ledger.order(claimOf('ann', (await stage.ledger.sku()).skuId));
  await until(async () => (await stage.count('outbox', 'published_at IS NULL')) === 0);
  const status = await statusAt(grpcAddress);
  assert.equal([status?.instance, status?.service, status?.pools[0]?.name], ['order-7', 'order', 'main']);
  assert.equal(
    status?.servers.map(({ name, answers }) => [name, answers]),
    [
      ['postgres', true],
      ['nats', true],
    ],
  );
  assert.equal(status?.orders, { consumerLag: 0, outboxLag: 0, outboxOldestMs: 0, deadLetters: 1 });
});

test('what is unpublished is counted, with the age of the oldest', async () => {
  const { grpcAddress } = await stage.start({ natsUrl: undefined });
  await stage.ledger.order(claimOf('ann', (await stage.ledger.sku()).skuId));
  await stage.ledger.sql(`UPDATE ledger.outbox SET at = at - interval '1 minute'`);
  // One that the ledger does not tell in time is -1.
  const status = await until(async () => {
    const now = await statusAt(grpcAddress);
    return now?.orders?.outboxLag === -1 ? undefined : now;
  });
  assert.equal([status?.orders?.outboxLag, status?.orders?.consumerLag], [1, 0]);
  assert.ok((status?.orders?.outboxOldestMs ?? 0) >= 60_000);
  assert.equal(
    status?.servers.map(({ name }) => name),
    ['postgres'],
  );
});

test('it answers while the ledger and NATS are away, and says so', async () => {
  const proxy = await faultProxy('127.0.0.1', Number(new URL(stage.ledger.url).port));
  const { grpcAddress } = await stage.start({ databaseUrl: proxy.url(stage.ledger.url) });
  await until(async () => (await statusAt(grpcAddress))?.orders?.consumerLag === 0);
  proxy.cut();
  stage.nats.freeze();
  const away = await until(
    async () => {
      const status = await statusAt(grpcAddress);
      const isAway = status?.servers.every(({ answers }) => !answers) && status.orders?.consumerLag === -1;
      return isAway ? status : undefined;
    },
    { timeoutMs: 30_000 },
  );
  assert.equal(away.orders, { consumerLag: -1, outboxLag: -1, outboxOldestMs: -1, deadLetters: -1 });
  proxy.heal();
  stage.nats.thaw();
  await proxy.close();
});

test.run();
