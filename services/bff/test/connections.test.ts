import { connect, type Socket } from 'node:net';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { type EdgeUnderTest, good, goodHeaders, startEdgeUnderTest } from './edge-under-test.js';
import { orderOf } from './fake-gateway.js';

const test = suite('bff');
let edge: EdgeUnderTest;

test.before(async () => {
  edge = await startEdgeUnderTest();
});
test.before.each(() => edge.reset());
test.after(() => edge.close());

test('what is no HTTP is answered and ends its own connection only', async () => {
  const socket = await open();
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  socket.write('HELLO\r\n\r\n');
  await new Promise((resolve) => socket.once('close', resolve));
  assert.match(text, 'HTTP/1.1 400');
  assert.match(text, 'application/problem+json');
  const { title, detail } = JSON.parse(text.slice(text.indexOf('{')));
  assert.equal([title, detail], ['The request is not valid', 'The request could not be read: Bad Request.']);
  assert.is((await edge.post(good)).status, 201);
});

test('a connection beyond the limit is closed as it comes, and those before it are served', async () => {
  const other = await edge.startAnother({ maxConnections: 2 });
  const sockets = await Promise.all([open(other.base), open(other.base)]);
  const third = await open(other.base);
  await new Promise((resolve) => third.once('close', resolve));
  for (const socket of sockets) {
    const answered = new Promise<string>((resolve) => socket.once('data', (chunk) => resolve(String(chunk))));
    socket.write('GET /v1/skus/sku-1 HTTP/1.1\r\nhost: edge\r\nconnection: close\r\n\r\n');
    assert.match(await answered, 'HTTP/1.1 200');
  }
  await other.life.close();
});

test('closing finishes what is in flight and takes no more', async () => {
  let arrived = (): void => {};
  let letGo = (): void => {};
  const asked = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  edge.asked.answer = async ({ userId }) => {
    arrived();
    await held;
    return { $case: 'held', value: { order: orderOf({ userId }) } };
  };
  const other = await edge.startAnother();
  const send = (): Promise<Response> =>
    fetch(`${other.base}/v1/orders`, { method: 'POST', headers: goodHeaders, body: JSON.stringify(good) });
  const answered = send();
  await asked;
  const closed = other.life.close();
  await until(() =>
    send().then(
      () => false,
      () => true,
    ),
  );
  letGo();
  assert.is((await answered).status, 201);
  assert.ok(await closed);
});

test('a connection that a browser has opened ahead does not keep a process from closing', async () => {
  const other = await edge.startAnother();
  const socket = await open(other.base);
  const ended = new Promise((resolve) => socket.once('close', resolve));
  assert.ok(await other.life.close());
  await ended;
});

function open(base = edge.base): Promise<Socket> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    const socket: Socket = connect(Number(port), hostname, () => resolve(socket)).once('error', reject);
  });
}

test.run();
