import { connect } from 'nats';
import { Fault } from '#libs/refusal/fault.js';
import { createLogger } from '#libs/runtime/logger.js';
import { createMetrics } from '#libs/runtime/metrics.js';
import type { PrivateServer } from '#libs/servers/private-server.js';
import { type FaultProxy, faultProxy } from '#libs/testing/fault-proxy.js';
import { privateNats } from '#libs/testing/private-servers.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { type Consumption, connectMessaging, type Messaging, type StreamSpec } from './messaging.js';

const test = suite('messaging');

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (data: Uint8Array): string => new TextDecoder().decode(data);
const opened: Messaging[] = [];
let server: PrivateServer;
let proxy: FaultProxy;
let messaging: Messaging;
let stream: StreamSpec;
let count = 0;

async function open(url: string): Promise<Messaging> {
  const made = connectMessaging({
    url,
    name: 'messaging-test',
    reconnectWaitMs: 20,
    pingIntervalMs: 200,
    logger: createLogger('test', 'silent'),
    metrics: createMetrics(),
  });
  opened.push(made);
  await until(() => made.connected);
  return made;
}

/** Takes everything out of the stream: what was delivered, in order. */
function drain(from: StreamSpec, deliveries: string[]): Consumption {
  return messaging.consume({
    stream: from,
    durable: 'drain',
    ackWaitMs: 5_000,
    maxMessages: 100,
    maxAckPending: 100,
    stalledAfterMs: 3_000,
    async onBatch(batch) {
      for (const delivery of batch) {
        deliveries.push(text(delivery.data));
        delivery.ack();
      }
    },
  });
}

test.before(async () => {
  server = await privateNats();
  proxy = await faultProxy('127.0.0.1', server.port);
  messaging = await open(server.url);
});
test.before.each(async () => {
  proxy.heal();
  count += 1;
  stream = {
    name: `S${count}`,
    subjects: [`s${count}.>`],
    retention: 'workqueue',
    replicas: 1,
    duplicateWindowMs: 60_000,
  };
  await messaging.ensureStream(stream);
});
test.after(async () => {
  await Promise.all(opened.map((each) => each.close()));
  await proxy.close();
  await server.stop();
});

test('what is published is heard by whoever listens, with wildcards, until they stop', async () => {
  const heard: string[] = [];
  const stop = messaging.subscribe('told.*', (data, subject) => heard.push(`${subject} ${text(data)}`));
  messaging.publish('told.a', bytes('1'));
  messaging.publish('told.b.c', bytes('not for us'));
  messaging.publish('told.b', bytes('2'));
  await until(() => heard.length === 2);
  assert.equal(heard, ['told.a 1', 'told.b 2']);
  stop();
  let isOver = false;
  const stopOther = messaging.subscribe('told.c', () => {
    isOver = true;
  });
  messaging.publish('told.c', bytes('3'));
  await until(() => isOver);
  stopOther();
  assert.is(heard.length, 2);
});

test('interest in a subject outlives the connection', async () => {
  const behindProxy = await open(proxy.url(server.url));
  let heard = 0;
  behindProxy.subscribe('outlives', () => {
    heard += 1;
  });
  proxy.cut();
  await until(() => !behindProxy.connected);
  proxy.heal();
  await until(() => behindProxy.connected);
  await until(() => {
    messaging.publish('outlives', bytes('still there?'));
    return heard > 0;
  });
});

test('a stored message is delivered with its subject, headers, place and time', async () => {
  const { sequence } = await messaging.store(`s${count}.a`, bytes('one'), {
    timeoutMs: 2_000,
    headers: { 'ce-type': 'test.v1', 'ce-id': '7' },
  });
  const seen: unknown[] = [];
  const consumption = messaging.consume({
    stream,
    durable: 'look',
    ackWaitMs: 5_000,
    maxMessages: 10,
    maxAckPending: 10,
    stalledAfterMs: 3_000,
    async onBatch([delivery]) {
      if (!delivery) return;
      const { subject, deliveries, storedAt } = delivery;
      const isRecent = Math.abs(Date.now() - storedAt.getTime()) < 60_000;
      seen.push([subject, text(delivery.data), delivery.sequence, deliveries, isRecent]);
      seen.push([delivery.header('ce-type'), delivery.header('ce-id'), delivery.header('none')]);
      delivery.ack();
    },
  });
  await until(() => seen.length === 2);
  assert.equal(seen, [
    [`s${count}.a`, 'one', sequence, 1, true],
    ['test.v1', '7', undefined],
  ]);
  await consumption.close();
});

test('a stream is made once however many ask for it, changed where it may be, refused where not', async () => {
  const many = { ...stream, name: 'MANY', subjects: ['many'] };
  await Promise.all(Array.from({ length: 5 }, () => messaging.ensureStream(many)));
  await messaging.ensureStream({ ...many, maxMessages: 7, maxAgeMs: 60_000 });
  const client = await connect({ servers: server.url.replace('nats://', '') });
  const { config } = await (await client.jetstreamManager()).streams.info('MANY');
  await client.close();
  assert.is(config.max_msgs, 7);
  assert.is(config.discard, 'new');
  assert.is(config.storage, 'file');

  const error = await rejectionOf(messaging.ensureStream({ ...many, retention: 'limits' }));
  assert.match(error.message, 'retention is "workqueue", must be "limits"');
});

test('D05 a message whose acknowledgement was lost is stored, and stored again it is a duplicate', async () => {
  const behindProxy = await open(proxy.url(server.url));
  const store = (from: Messaging) => from.store(`s${count}.a`, bytes('once'), { timeoutMs: 200, messageId: 'claim-1' });
  proxy.dropReplies();
  assert.is((await rejectionOf(store(behindProxy), Fault)).reason, 'UNAVAILABLE');
  proxy.heal();
  assert.equal(await store(messaging), { sequence: 1, duplicate: true });

  const delivered: string[] = [];
  const consumption = drain(stream, delivered);
  await messaging.store(`s${count}.a`, bytes('last'), { timeoutMs: 2_000 });
  await until(() => delivered.includes('last'));
  assert.equal(delivered, ['once', 'last']);
  await consumption.close();
});

test('D07 after the duplicate window the same message is stored and delivered a second time', async () => {
  const short = { ...stream, name: 'SHORT', subjects: ['short'], duplicateWindowMs: 100 };
  await messaging.ensureStream(short);
  const store = () => messaging.store('short', bytes('twice'), { timeoutMs: 2_000, messageId: 'same' });
  await store();
  await until(async () => !(await store()).duplicate);
  const delivered: string[] = [];
  const consumption = drain(short, delivered);
  await until(() => delivered.length === 2);
  assert.equal(delivered, ['twice', 'twice']);
  await consumption.close();
});

test('D10 a full stream refuses what is new at the publisher, keeps what is unread, and takes again once read', async () => {
  const full = { ...stream, name: 'FULL', subjects: ['full'], maxMessages: 3 };
  await messaging.ensureStream(full);
  const store = (word: string) => messaging.store('full', bytes(word), { timeoutMs: 2_000 });
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
  const behindProxy = await open(proxy.url(server.url));
  proxy.cut();
  await until(() => !behindProxy.connected);
  const store = behindProxy.store(`s${count}.a`, bytes('lost'), { timeoutMs: 60_000 });
  assert.is((await rejectionOf(store, Fault)).reason, 'UNAVAILABLE');
  assert.is((await rejectionOf(behindProxy.ensureStream(stream), Fault)).reason, 'UNAVAILABLE');
});

test('a subject that no stream covers is an unknown outcome, not a success', async () => {
  const store = messaging.store('nobody.keeps.this', bytes('x'), { timeoutMs: 2_000 });
  assert.is((await rejectionOf(store, Fault)).reason, 'UNAVAILABLE');
});

test.run();
