import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { type FaultProxy, faultProxy } from './fault-proxy.js';
import { assert, suite } from './suite.js';
import { until } from './until.js';

const test = suite('fault-proxy');
const heard: string[] = [];
const echo = createServer((socket) => {
  socket.on('data', (chunk) => {
    heard.push(chunk.toString());
    socket.write(chunk);
  });
  socket.on('error', () => {});
});
let proxy: FaultProxy;

test.before(async () => {
  await once(echo.listen(0, '127.0.0.1'), 'listening');
});
test.before.each(async () => {
  heard.length = 0;
  proxy = await faultProxy('127.0.0.1', (echo.address() as AddressInfo).port);
});
test.after.each(() => proxy.close());
test.after(() => void echo.close());

test('passes bytes both ways, in order, and counts them', async () => {
  const client = await open();
  for (const part of ['one ', 'two ', 'three']) client.socket.write(part);
  await until(() => client.received === 'one two three');
  const { connections, toServerBytes, toClientBytes, droppedBytes } = proxy.stats;
  assert.equal([connections, toServerBytes, toClientBytes, droppedBytes], [1, 13, 13, 0]);
});

test('stands in for the server in its URL', () => {
  assert.is(proxy.url('postgres://me@db:5432/sales?x=1'), `postgres://me@127.0.0.1:${proxy.port}/sales?x=1`);
});

test('a delay holds bytes back each way and keeps their order', async () => {
  const client = await open();
  proxy.delay(60);
  const sentAt = performance.now();
  client.socket.write('slow ');
  await until(() => proxy.stats.toServerBytes > 0);
  proxy.delay(0);
  client.socket.write('quick');
  await until(() => client.received === 'slow quick');
  assert.ok(performance.now() - sentAt >= 60);
});

test('a stall holds bytes back until it is healed, and nothing of them is lost', async () => {
  const client = await open();
  proxy.stall();
  for (const part of ['held ', 'back']) client.socket.write(part);
  await open(); // The bytes have had time to pass.
  assert.equal([heard.length, proxy.stats.toServerBytes, client.closed], [0, 0, false]);
  proxy.heal();
  await until(() => client.received === 'held back');
});

test('dropped replies: the server hears and the client does not; healing breaks the connection', async () => {
  const client = await open();
  proxy.dropReplies();
  client.socket.write('deduct one');
  await until(() => proxy.stats.droppedBytes > 0);
  assert.equal(heard, ['deduct one']);
  assert.is(client.received, '');
  assert.not(client.closed);
  proxy.heal();
  await until(() => client.closed);
});

test('a black hole takes connections and bytes and gives nothing', async () => {
  const client = await open();
  proxy.blackhole();
  client.socket.write('anybody');
  const late = await open();
  late.socket.write('there');
  await until(() => proxy.stats.droppedBytes === 12);
  assert.equal([heard.length, client.received, client.closed, late.closed], [0, '', false, false]);
});

test('healing leaves a connection alone that lost nothing', async () => {
  const client = await open();
  proxy.blackhole();
  proxy.heal();
  client.socket.write('still here');
  await until(() => client.received === 'still here');
});

test('a cut resets what is open and what comes, until it is healed', async () => {
  const client = await open();
  proxy.cut();
  await until(() => client.closed);
  const refused = start();
  await until(() => refused.closed);
  proxy.heal();
  const fresh = await open();
  fresh.socket.write('back');
  await until(() => fresh.received === 'back');
});

interface Client {
  socket: Socket;
  received: string;
  closed: boolean;
}

async function open(): Promise<Client> {
  const client = start();
  await once(client.socket, 'connect');
  return client;
}

function start(): Client {
  const socket = connect(proxy.port, '127.0.0.1');
  const client = { socket, received: '', closed: false };
  socket.on('data', (chunk) => {
    client.received += chunk.toString();
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    client.closed = true;
  });
  return client;
}

test.run();
