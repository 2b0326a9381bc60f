import { shardOfStore } from '#libs/contracts/order-id.js';
import { claimsStream } from '#libs/contracts/subjects.js';
import { claimOf } from '#libs/ledger/test-ledger.js';
import { assert, suite } from '#libs/testing/suite.js';
import { Stage, shards } from './test-stage.js';

const test = suite('order at a pace');
let stage: Stage;

test.before(async () => {
  stage = await Stage.open();
});
test.after(() => stage.close());

test('claims that wait here longer than the ack-wait come once', async () => {
  const { skuId } = await stage.ledger.sku({ capacity: 60 });
  const claims = Array.from({ length: 60 }, (_, n) => claimOf(`user-${n}`, skuId));
  await stage.start({ consumePerSecond: 20, claimsAckWaitMs: 1_000 });
  await stage.place(...claims.slice(0, 3)); // Waits for the stream to be made.
  const rest = Array.from({ length: 19 }, (_, n) => claims.slice(3 + 3 * n, 6 + 3 * n));
  await Promise.all(rest.map((some) => stage.place(...some)));
  await stage.drained();
  assert.is(await stage.count('orders', `state = 'HELD'`), 60);
  const shard = shardOfStore('store-1', shards);
  const { delivered } = await stage.streams.consumers.info(claimsStream(shard), `order_${shard}`);
  assert.is(delivered.consumer_seq, 20, 'no message was delivered twice');
});

test.run();
