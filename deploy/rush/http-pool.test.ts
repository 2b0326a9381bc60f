import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { type HttpAsk, headerOf } from './http-connection.js';
import { HttpPool } from './http-pool.js';

const test = suite('http pool');
const ASK: HttpAsk = { method: 'POST', path: '/', headers: { 'x-a': '1' }, body: '{"ü":1}', timeoutMs: 5_000 };

let server: Server;
let sockets: Socket[];
let pool: HttpPool;
/** What the server does with a request. */
let answer: (socket: Socket, request: string) => void;

test.before.each(async () => {
  sockets = [];
  server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    socket.on('data', (data) => answer(socket, data.toString()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  pool = new HttpPool(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 2);
});
test.after.each(() => {
  pool.close();
  for (const socket of sockets) socket.destroy();
  server.close();
});

const ok = (body: string): string =>
  `HTTP/1.1 201 Created\r\nContent-Length: ${Buffer.byteLength(body)}\r\nRetry-After: 2\r\n\r\n${body}`;

test('an answer that comes in pieces is read whole, and the socket serves again', async () => {
  answer = (socket) => {
    const bytes = Buffer.from(ok('{"ü":2}'));
    const pieces = [bytes.subarray(0, 5), bytes.subarray(5, 40), bytes.subarray(40)];
    const writeNext = (): void => {
      const piece = pieces.shift();
      if (piece) socket.write(piece, () => setImmediate(writeNext));
    };
    writeNext();
  };
  for (let i = 0; i < 3; i += 1) {
    const { status, body, head } = await pool.ask(ASK);
    assert.equal([status, body, headerOf(head, 'retry-after')], [201, '{"ü":2}', '2']);
  }
  assert.is(sockets.length, 1);
});

test('the request carries its headers and the length of its body in bytes', async () => {
  let heard = '';
  answer = (socket, request) => {
    heard = request;
    socket.write(ok(''));
  };
  await pool.ask(ASK);
  assert.match(heard, /^POST \/ HTTP\/1\.1\r\nhost: 127/);
  assert.match(heard, '\r\nx-a: 1\r\n');
  assert.match(heard, '\r\ncontent-length: 8\r\n\r\n{"ü":1}');
});

test('requests beyond the most sockets wait for one to fall free', async () => {
  const held: Socket[] = [];
  answer = (socket) => held.push(socket);
  const asks = [1, 2, 3].map(() => pool.ask(ASK));
  await until(() => held.length === 2);
  held[0]?.write(ok('first'));
  await until(() => held.length === 3);
  for (const socket of held.slice(1)) socket.write(ok('then'));
  assert.equal((await Promise.all(asks)).map(({ body }) => body).sort(), ['first', 'then', 'then']);
  assert.is(sockets.length, 2);
});

test('a broken connection, no answer in time and an answer without length reject, and the socket is gone', async () => {
  const rejection = (ask: HttpAsk): Promise<string> =>
    pool.ask(ask).then(
      () => 'answered',
      (error: Error) => error.message,
    );
  answer = (socket) => socket.destroy();
  assert.match(await rejection(ASK), /closed|broken/);
  answer = () => {};
  assert.is(await rejection({ ...ASK, timeoutMs: 50 }), 'no answer in time');
  answer = (socket) => socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
  assert.is(await rejection(ASK), 'an answer without content-length');
  answer = (socket) => socket.write(ok('fine'));
  assert.is(await rejection(ASK), 'answered');
  assert.is(sockets.length, 4);
});

test('nobody there rejects when the time is over', async () => {
  const closed = new HttpPool('http://127.0.0.1:1', 2);
  const error = await closed.ask({ ...ASK, timeoutMs: 120 }).catch((reason: Error) => reason.message);
  assert.is(error, 'no connection in time');
  closed.close();
});

test('sockets opened ahead are used', async () => {
  answer = (socket) => socket.write(ok('warm'));
  await pool.warmUp(10);
  await until(() => sockets.length === 2);
  await Promise.all([pool.ask(ASK), pool.ask(ASK)]);
  assert.is(sockets.length, 2);
});

test.run();
