import { cpSync, renameSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { connect } from 'nats';
import { freePort } from '#libs/servers/free-port.js';
import type { PrivateServer } from '#libs/servers/private-server.js';
import { gate } from '#libs/testing/gate.js';
import { privateNats } from '#libs/testing/private-servers.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import type { Consumption, Delivery, Messaging, StreamSpec } from './messaging.js';
import { ackInto, encode, startMessaging } from './test-messaging.js';

const test = suite('messaging through outages');

const stream: StreamSpec = {
  name: 'CLAIMS',
  subjects: ['claims'],
  retention: 'workqueue',
  replicas: 1,
  duplicateWindowMs: 60_000,
};

/** Everything of one service: it stores and it consumes. */
interface Service {
  readonly messaging: Messaging;
  readonly consumption: Consumption;
  readonly seen: readonly string[];
}

const services: Service[] = [];
const servers: PrivateServer[] = [];

function start(url: string, handle = async (seen: string[], batch: Delivery[]) => await ackInto(seen)(batch)): Service {
  const messaging = startMessaging(url);
  const seen: string[] = [];
  const consumption = messaging.consume({
    stream,
    durable: 'order',
    ackWaitMs: 500,
    maxMessages: 50,
    maxAckPending: 500,
    stalledAfterMs: 600,
    onBatch: (batch) => handle(seen, batch),
  });
  const service = { messaging, consumption, seen };
  services.push(service);
  return service;
}

async function startServer(port?: number): Promise<PrivateServer> {
  const server = await privateNats(port === undefined ? {} : { port });
  servers.push(server);
  return server;
}

/** Stores as a publisher does that must not lose anything: the same id again until the stream has it. */
async function storeSurely({ messaging }: Service, word: string): Promise<void> {
  await until(() => messaging.store('claims', encode(word), { timeoutMs: 200, messageId: word }), {
    timeoutMs: 30_000,
  });
}

async function storeMany(service: Service, round: number): Promise<string[]> {
  const words = Array.from({ length: 20 }, (_, n) => `${round}-${n}`);
  await Promise.all(words.map((word) => storeSurely(service, word)));
  return words;
}

test.after.each(async () => {
  for (const { consumption, messaging } of services.splice(0)) {
    await consumption.close();
    await messaging.close();
  }
  for (const server of servers.splice(0)) await server.stop();
});

test('D11 after an outage far longer than the client would bear by itself all goes on', async () => {
  const server = await startServer();
  const service = start(server.url);
  await storeSurely(service, 'before');
  await server.kill();
  await until(() => !service.messaging.connected);

  // The client's own limit is ten tries: this one is turned away thirty times.
  let turnedAway = 0;
  const bouncer = createServer((socket) => {
    turnedAway += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => bouncer.listen(server.port, '127.0.0.1', resolve));
  await until(() => turnedAway >= 30);
  await new Promise((resolve) => bouncer.close(resolve));

  await server.start();
  await storeSurely(service, 'after');
  await until(() => service.seen.includes('before') && service.seen.includes('after'));
});

test('D14 after each freeze of the server, long or short, the consumer receives again', async () => {
  const server = await startServer();
  const service = start(server.url);
  for (let round = 1; round <= 4; round += 1) {
    server.freeze();
    // Once it is so long that the connection is given up, once only so long that a message is stored late.
    if (round % 2 === 0) await until(() => !service.messaging.connected);
    const storing = storeMany(service, round);
    server.thaw();
    const words = await storing;
    await until(() => words.every((word) => service.seen.includes(word)), { timeoutMs: 20_000 });
  }
  await until(() => service.consumption.stats().pending === 0);
});

test('D18 whoever starts before the server works as soon as it is there', async () => {
  const port = await freePort();
  const [publisher, consumer] = [start(`nats://127.0.0.1:${port}`), start(`nats://127.0.0.1:${port}`)];
  const storing = storeSurely(publisher, 'first');
  await startServer(port);
  await storing;
  await until(() => publisher.seen.includes('first') || consumer.seen.includes('first'));
});

test('a server that lost its streams gets them again', async () => {
  const server = await startServer();
  const service = start(server.url);
  await storeSurely(service, 'before');
  await until(() => service.seen.includes('before'));
  await server.stop();
  await startServer(server.port);
  await storeSurely(service, 'after');
  await until(() => service.seen.includes('after'));
});

test('acknowledged messages that a server brings back after a crash do not stay in the work queue', async () => {
  const server = await startServer();
  const acknowledging = gate();
  const service = start(server.url, async (seen, batch) => {
    await acknowledging.passed;
    await ackInto(seen)(batch);
  });
  const client = await connect({ servers: server.url, maxReconnectAttempts: -1, reconnectTimeWait: 20 });
  try {
    const { streams } = await client.jetstreamManager();
    const left = async (): Promise<number> => (await streams.info(stream.name)).state.messages;
    await storeMany(service, 1);
    // As a crash does it by chance: the server kept that they were acknowledged, and not that they went.
    const messages = join(server.directory, 'store', 'jetstream', '$G', 'streams', stream.name, 'msgs');
    const kept = join(server.directory, 'kept');
    cpSync(messages, kept, { recursive: true });
    acknowledging.open();
    await until(async () => (await left()) === 0);
    const before = service.seen.length;
    await server.restart(); // Now it has kept the first.
    await server.kill();
    rmSync(messages, { recursive: true });
    renameSync(kept, messages);
    await server.start();
    await until(async () => (await left()) === 0, { timeoutMs: 30_000 });
    await until(() => service.consumption.running);
    await storeSurely(service, 'after');
    await until(() => service.seen.includes('after'));
    assert.equal(service.seen.slice(before), ['after']);
  } finally {
    await client.close();
  }
});

test.run();
