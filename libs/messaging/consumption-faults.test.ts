import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { ackInto, decode, TestMessaging } from './test-messaging.js';

const test = suite('consumption under faults');
const nats = new TestMessaging(test);

test('D13 a deleted durable is made again, and everything stored meanwhile is delivered', async () => {
  const seen: string[] = [];
  let remade = 0;
  const onRemade = (): void => {
    remade += 1;
  };
  nats.consume(ackInto(seen), { onRemade });
  await nats.store(0);
  await until(() => seen.length === 1);
  assert.is(remade, 0);
  for (let round = 1; round <= 3; round += 1) {
    await nats.manager.consumers.delete(nats.stream.name, 'worker');
    await nats.store(...Array.from({ length: 10 }, (_, n) => 10 * round + n));
    await until(async () => (await nats.messagesLeft()) === 0);
    await until(() => remade === round);
  }
  assert.is(new Set(seen).size, 31);
});

test('D13 a deleted stream is made again with its settings, and what is stored then is delivered', async () => {
  const seen: string[] = [];
  nats.consume(ackInto(seen));
  await nats.store('before');
  await until(() => seen.length === 1);
  await nats.manager.streams.delete(nats.stream.name);
  await until(() => nats.store('after').then(() => true));
  await until(() => seen.includes('after'));
  const { config } = await nats.manager.streams.info(nats.stream.name);
  assert.equal([config.discard, config.storage, config.retention], ['new', 'file', 'workqueue']);
});

test('an answer to a message of a stream that is gone hits no message of its successor', async () => {
  const stuck = nats.gate();
  const seen: string[] = [];
  nats.consume(async (batch) => {
    seen.push(...batch.map((delivery) => decode(delivery.data)));
    if (seen.length === 1) await stuck.passed;
    if (seen[0] === 'old' && seen.length === 1) for (const delivery of batch) delivery.ack();
  });
  await nats.store('old');
  await until(() => seen.length === 1);
  await nats.manager.streams.delete(nats.stream.name);
  await until(() => nats.store('new').then(() => true));
  assert.is((await nats.manager.streams.info(nats.stream.name)).state.last_seq, 1);
  stuck.open();
  await until(() => seen.includes('new'));
  // A round trip on the connection of the answer: whatever was sent before has arrived.
  await nats.messaging.ensureStream(nats.stream);
  assert.is(await nats.messagesLeft(), 1);
});

test('D17 a message whose ack was lost comes again, and says so', async () => {
  const behindProxy = await nats.open('through proxy');
  const seen: number[] = [];
  nats.consume(
    async (batch) => {
      if (seen.length === 0) nats.proxy.cut();
      for (const delivery of batch) {
        seen.push(delivery.deliveries);
        delivery.ack();
      }
      nats.proxy.heal();
    },
    { ackWaitMs: 300 },
    behindProxy,
  );
  await nats.store('once more');
  await until(() => seen.length === 2);
  assert.equal(seen, [1, 2]);
  await until(async () => (await nats.messagesLeft()) === 0);
});

test.run();
