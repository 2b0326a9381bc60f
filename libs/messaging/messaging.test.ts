import { Fault } from '#libs/refusal/fault.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import type { Consumption, Messaging, StreamSpec } from './messaging.js';
import { ackInto, decode, encode, TestMessaging } from './test-messaging.js';

const test = suite('messaging');
const nats = new TestMessaging(test);

/** Takes everything out of the stream: what was delivered, in order. */
function drain(from: StreamSpec, deliveries: string[]): Consumption {
  return nats.messaging.consume({
    stream: from,
    durable: 'drain',
    ackWaitMs: 5_000,
    maxMessages: 100,
    maxAckPending: 100,
    stalledAfterMs: 3_000,
    onBatch: ackInto(deliveries),
  });
}

test('what is published is heard by whoever listens, with wildcards, until they stop', async () => {
  const heard: string[] = [];
  const stop = nats.messaging.subscribe('told.*', (data, subject) => heard.push(`${subject} ${decode(data)}`));
  nats.messaging.publish('told.a', encode('1'));
  nats.messaging.publish('told.b.c', encode('not for us'));
  nats.messaging.publish('told.b', encode('2'));
  await until(() => heard.length === 2);
  assert.equal(heard, ['told.a 1', 'told.b 2']);
  stop();
  let isOver = false;
  const stopOther = nats.messaging.subscribe('told.c', () => {
    isOver = true;
  });
  nats.messaging.publish('told.c', encode('3'));
  await until(() => isOver);
  stopOther();
  assert.is(heard.length, 2);
});

test('interest in a subject outlives the connection', async () => {
  const behindProxy = await nats.open('through proxy');
  let heard = 0;
  behindProxy.subscribe('outlives', () => {
    heard += 1;
  });
  nats.proxy.cut();
  await until(() => !behindProxy.connected);
  nats.proxy.heal();
  await until(() => behindProxy.connected);
  await until(() => {
    nats.messaging.publish('outlives', encode('still there?'));
    return heard > 0;
  });
});

test('a stored message is delivered with its subject, headers, place and time', async () => {
  const { sequence } = await nats.messaging.store(nats.subject, encode('one'), {
    timeoutMs: 10_000,
    headers: { 'ce-type': 'test.v1', 'ce-id': '7' },
  });
  const seen: unknown[] = [];
  const consumption = nats.messaging.consume({
    stream: nats.stream,
    durable: 'look',
    ackWaitMs: 5_000,
    maxMessages: 10,
    maxAckPending: 10,
    stalledAfterMs: 3_000,
    async onBatch([delivery]) {
      if (!delivery) return;
      const { subject, deliveries, storedAt } = delivery;
      const isRecent = Math.abs(Date.now() - storedAt.getTime()) < 60_000;
      seen.push([subject, decode(delivery.data), delivery.sequence, deliveries, isRecent]);
      seen.push([delivery.header('ce-type'), delivery.header('ce-id'), delivery.header('none')]);
      delivery.ack();
    },
  });
  await until(() => seen.length === 2);
  assert.equal(seen, [
    [nats.subject, 'one', sequence, 1, true],
    ['test.v1', '7', undefined],
  ]);
  await consumption.close();
});

test('a stream is made once however many ask for it, changed where it may be, refused where not', async () => {
  const many = { ...nats.stream, name: 'MANY', subjects: ['many'] };
  await Promise.all(Array.from({ length: 5 }, () => nats.messaging.ensureStream(many)));
  await nats.messaging.ensureStream({ ...many, maxMessages: 7, maxAgeMs: 60_000 });
  const { config } = await nats.manager.streams.info('MANY');
  assert.is(config.max_msgs, 7);
  assert.is(config.discard, 'new');
  assert.is(config.storage, 'file');

  const error = await rejectionOf(nats.messaging.ensureStream({ ...many, retention: 'limits' }));
  assert.match(error.message, 'retention is "workqueue", must be "limits"');
});

test('D05 a message whose acknowledgement was lost is stored, and stored again it is a duplicate', async () => {
  const behindProxy = await nats.open('through proxy');
  const store = (from: Messaging) =>
    from.store(nats.subject, encode('once'), { timeoutMs: 1_000, messageId: 'claim-1' });
  nats.proxy.dropReplies();
  assert.is((await rejectionOf(store(behindProxy), Fault)).reason, 'UNAVAILABLE');
  nats.proxy.heal();
  assert.equal(await store(nats.messaging), { sequence: 1, duplicate: true });

  const delivered: string[] = [];
  const consumption = drain(nats.stream, delivered);
  await nats.messaging.store(nats.subject, encode('last'), { timeoutMs: 10_000 });
  await until(() => delivered.includes('last'));
  assert.equal(delivered, ['once', 'last']);
  await consumption.close();
});

test('what no stream wants, or no server would take, is UNAVAILABLE at once', async () => {
  const store = (subject: string, bytes: number) =>
    rejectionOf(nats.messaging.store(subject, new Uint8Array(bytes), { timeoutMs: 600_000 }), Fault);
  assert.is((await store('nobody.listens', 1)).reason, 'UNAVAILABLE');
  assert.is((await store(nats.subject, 2 * 1024 * 1024)).reason, 'UNAVAILABLE');
});

test('D07 after the duplicate window the same message is stored and delivered a second time', async () => {
  const short = { ...nats.stream, name: 'SHORT', subjects: ['short'], duplicateWindowMs: 100 };
  await nats.messaging.ensureStream(short);
  const store = () => nats.messaging.store('short', encode('twice'), { timeoutMs: 10_000, messageId: 'same' });
  await store();
  await until(async () => !(await store()).duplicate);
  const delivered: string[] = [];
  const consumption = drain(short, delivered);
  await until(() => delivered.length === 2);
  assert.equal(delivered, ['twice', 'twice']);
  await consumption.close();
});

test('D10 a full stream refuses what is new at the publisher, keeps what is unread, and takes again once read', async () => {
  const full = { ...nats.stream, name: 'FULL', subjects: ['full'], maxMessages: 3 };
  await nats.messaging.ensureStream(full);
  const store = (word: string) => nats.messaging.store('full', encode(word), { timeoutMs: 10_000 });
  for (const word of ['a', 'b', 'c']) await store(word);
  for (const word of ['d', 'e']) assert.is((await rejectionOf(store(word), Fault)).reason, 'BUSY');

  const delivered: string[] = [];
  const consumption = drain(full, delivered);
  await until(() => delivered.length === 3);
  await until(() => store('f').catch(() => undefined));
  await until(() => delivered.length === 4);
  assert.equal(delivered, ['a', 'b', 'c', 'f']);
  await consumption.close();
});

test('D12 while NATS is away nothing is taken that would be lost', async () => {
  const behindProxy = await nats.open('through proxy');
  nats.proxy.cut();
  await until(() => !behindProxy.connected);
  const store = behindProxy.store(nats.subject, encode('lost'), { timeoutMs: 60_000 });
  assert.is((await rejectionOf(store, Fault)).reason, 'UNAVAILABLE');
  assert.is((await rejectionOf(behindProxy.ensureStream(nats.stream), Fault)).reason, 'UNAVAILABLE');
});

test('the oldest message that is there still says when it was stored; an empty stream has none', async () => {
  const { stream } = nats;
  assert.is(await nats.messaging.oldestStoredAt(stream.name), undefined);
  const before = Date.now();
  await nats.store('first');
  const first = await nats.messaging.oldestStoredAt(stream.name);
  assert.ok(first && first.getTime() >= before - 1 && first.getTime() <= Date.now());
  await until(() => Date.now() > first.getTime() + 1);
  await nats.store('second');
  assert.equal(await nats.messaging.oldestStoredAt(stream.name), first);
  const seen: string[] = [];
  nats.consume(async ([delivery, ...rest]) => {
    if (delivery) seen.push(decode(delivery.data));
    delivery?.ack();
    for (const other of rest) other.nak(60_000);
  });
  await until(async () => ((await nats.messaging.oldestStoredAt(stream.name)) ?? first) > first);
  assert.equal(seen, ['first']);
  await rejectionOf(nats.messaging.oldestStoredAt('nothing'));
});

test('a subject that no stream covers is an unknown outcome, not a success', async () => {
  const store = nats.messaging.store('nobody.keeps.this', encode('x'), { timeoutMs: 10_000 });
  assert.is((await rejectionOf(store, Fault)).reason, 'UNAVAILABLE');
});

test.run();
