import { lookup } from 'node:dns/promises';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { type HttpSenderOptions, httpSender } from '../src/adapters/http-sender.js';
import type { Answer } from '../src/domain/outcome.js';
import { type Receiver, startReceiver } from './receiver.js';

const test = suite('sending by http');
let receiver: Receiver;
let sender: ReturnType<typeof httpSender> | undefined;

test.before.each(async () => {
  receiver = await startReceiver();
});
test.after.each(async () => {
  sender?.close();
  await receiver.close();
});

const standard = { allowPrivate: true, timeoutMs: 5_000, resolve: (host: string) => lookup(host, { all: true }) };

function post(url = receiver.url, options: Partial<HttpSenderOptions> = {}): Promise<Answer> {
  sender ??= httpSender({ ...standard, ...options });
  return sender.send({ url, headers: { 'webhook-id': '1' }, body: '{}' });
}
function postOnce(url: string, options: Partial<HttpSenderOptions>): Promise<Answer> {
  sender?.close();
  sender = undefined;
  return post(url, options);
}

test('tells the status, why it is no success, and when to come again', async () => {
  assert.equal(await postOnce(receiver.url, {}), { status: 204, error: '' });
  receiver.answer = (response) => response.writeHead(503, { 'retry-after': '7' }).end();
  assert.equal(await post(), { status: 503, error: 'it answered 503', retryAfterMs: 7_000 });
});

test('a redirect is not followed', async () => {
  const target = await startReceiver();
  receiver.answer = (response) => response.writeHead(307, { location: target.url }).end();
  const answer = await postOnce(receiver.url, {});
  await target.close();
  assert.equal([answer.status, target.received.length], [307, 0]);
  assert.match(answer.error, /redirects are not followed/);
});

test('the head of an answer decides; of an endless body little is read', async () => {
  let written = 0;
  let isEnded = false;
  receiver.answer = (response) => {
    const chunk = Buffer.alloc(65_536);
    const more = (): void => {
      while (!isEnded && response.write(chunk)) written += chunk.length;
    };
    response.on('drain', more).on('close', () => {
      isEnded = true;
    });
    response.writeHead(200);
    more();
  };
  assert.equal(await postOnce(receiver.url, {}), { status: 200, error: '' });
  await until(() => isEnded);
  assert.ok(written < 50_000_000, `${written} bytes`);
});

test('an endpoint that hangs is given up in time', async () => {
  receiver.answer = () => undefined;
  assert.equal(await postOnce(receiver.url, { timeoutMs: 100 }), { error: 'no answer within 100 ms' });
});

test('a name server that hangs is given up in time', async () => {
  const resolve = (): Promise<never> => new Promise(() => undefined);
  assert.equal(await postOnce('http://shop.test/', { timeoutMs: 100, resolve }), { error: 'no answer within 100 ms' });
});

test('nothing goes to an address that is not public, by number or by any address of a name', async () => {
  const mixed = async () => [
    { address: '1.1.1.1', family: 4 },
    { address: '127.0.0.1', family: 4 },
  ];
  const port = new URL(receiver.url).port;
  const closed = { allowPrivate: false, resolve: mixed };
  for (const host of ['shop.test', '127.0.0.1', '[::1]', '0x7f000001']) {
    const { status, error } = await postOnce(`https://${host}:${port}/`, closed);
    assert.is(status, undefined);
    assert.match(error, /^not sent: /, host);
  }
  assert.equal(receiver.received, []);
});

test('the socket goes to the address that was checked, though the name means another one by then', async () => {
  const { port } = new URL(receiver.url);
  const asked: string[] = [];
  const resolve = async (host: string) => {
    asked.push(host);
    return [{ address: asked.length === 1 ? '127.0.0.1' : '127.0.0.2', family: 4 }];
  };
  assert.equal(await postOnce(`http://shop.test:${port}/hooks`, { resolve }), { status: 204, error: '' });
  assert.equal(asked, ['shop.test']);
  assert.is(receiver.received[0]?.headers.host, `shop.test:${port}`);
});

test('an idle connection that the endpoint has closed is no failure', async () => {
  const sockets = new Set<unknown>();
  let isCut = false;
  receiver.answer = (response) => {
    // The first request that comes on a connection which was used before is cut off.
    const isUsed = sockets.has(response.socket);
    sockets.add(response.socket);
    if (isUsed && !isCut) {
      isCut = true;
      response.socket?.destroy();
    } else response.writeHead(204).end();
  };
  assert.is((await postOnce(receiver.url, {})).status, 204);
  await until(async () => {
    assert.is((await post()).status, 204);
    return isCut;
  });
});

test('what never listens is told of in few words', async () => {
  const { url } = receiver;
  await receiver.close();
  assert.equal(await postOnce(url, {}), { error: 'no answer: ECONNREFUSED' });
  receiver = await startReceiver();
});

test.run();
