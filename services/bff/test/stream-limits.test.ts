import { connect, type Socket } from 'node:net';
import { OrderState } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import type { Lifecycle } from '#libs/runtime/lifecycle.js';
import { freePort } from '#libs/servers/free-port.js';
import { type Listening, listen } from '#libs/testing/listen.js';
import { assert, suite } from '#libs/testing/suite.js';
import { bearerOf } from '#libs/testing/test-issuer.js';
import { until } from '#libs/testing/until.js';
import { type EdgeUnderTest, good, startEdgeUnderTest } from './edge-under-test.js';
import { orderOf } from './fake-gateway.js';

const test = suite('bff stream limits');
const opened: Listening[] = [];
let edge: EdgeUnderTest;
/** The process that the test has started, with its own settings. */
let other: { base: string; life: Lifecycle };
let adminAddress: string;

test.before(async () => {
  edge = await startEdgeUnderTest();
});
test.before.each(async () => {
  edge.reset();
  adminAddress = `127.0.0.1:${await freePort()}`;
});
test.after.each(async () => {
  for (const listening of opened.splice(0)) listening.close();
  await other.life.close();
});
test.after(() => edge.close());

const path = '/v1/orders/o-1/events';

async function start(settings: Parameters<EdgeUnderTest['startAnother']>[0] = {}): Promise<void> {
  other = await edge.startAnother({ adminAddress, ...settings });
  edge.asked.orders.now = orderOf({ orderId: 'o-1' });
}

async function hear(user = 'ana', where = path): Promise<Listening> {
  const listening = await listen(other.base + where, { authorization: bearerOf(user) });
  opened.push(listening);
  return listening;
}

async function metric(name: string): Promise<number> {
  const lines = (await (await fetch(`http://${adminAddress}/metrics`)).text()).split('\n');
  const samples = lines.filter((line) => line.startsWith(`holdfast_${name}`));
  return samples.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

/** Asks for the stream and never reads a byte of it. */
function neverReads(): Promise<Socket> {
  const { hostname, port } = new URL(other.base);
  return new Promise((resolve, reject) => {
    const socket: Socket = connect(Number(port), hostname, () => {
      socket.pause();
      socket.write(`GET ${path} HTTP/1.1\r\nhost: edge\r\nauthorization: ${bearerOf('ana')}\r\n\r\n`);
      resolve(socket);
    });
    socket.once('error', reject);
  });
}

test('a comment comes when nothing else did, and again and again', async () => {
  await start({ streamHeartbeatMs: 10 });
  const listening = await hear();
  await until(() => listening.comments >= 3);
  assert.equal([listening.events.length, listening.end], [1, undefined]);
});

test('a thousand streams of one user: twenty are open, the rest are refused, and others are unharmed', async () => {
  await start();
  const heard = await Promise.all(Array.from({ length: 1_000 }, () => hear()));
  const refused = heard.filter(({ status }) => status === 429);
  assert.equal([heard.length - refused.length, refused.length], [20, 980]);
  for (const { text, headers } of refused) {
    const { reason, limit, streams } = JSON.parse(text);
    assert.equal([reason, limit, streams, headers.get('retry-after')], ['RATE_LIMITED', 'USER_STREAMS', 20, '5']);
  }
  assert.equal(edge.asked.orders.asked, ['ana o-1']);
  assert.equal([await metric('streams_open'), await metric('stream_sources')], [20, 1]);
  assert.is(await metric('streams_refused_total{limit="USER_STREAMS"}'), 980);
  const bob = await hear('bob');
  assert.is(bob.status, 200);
  assert.is((await fetch(`${other.base}/v1/skus/sku-1`)).status, 200);
  for (const listening of heard) listening.close();
  await until(async () => (await metric('streams_open')) === 1);
  assert.is((await hear()).status, 200);
  assert.is(bob.end, undefined);
});

test('an address that names nobody has its own limit, and a process one for all', async () => {
  await start({ streamsPerAddress: 3, streamsMax: 5 });
  const anonymous = await Promise.all(
    Array.from({ length: 4 }, () => hear('ana', '/v1/skus/sku-1/availability/events')),
  );
  assert.equal(anonymous.map(({ status }) => status).toSorted(), [200, 200, 200, 429]);
  assert.match(anonymous.map(({ text }) => text).join(''), '"limit":"ADDRESS_STREAMS"');
  assert.equal([(await hear('ana')).status, (await hear('bob')).status], [200, 200]);
  const full = await hear('cy');
  assert.equal([full.status, JSON.parse(full.text).reason], [503, 'BUSY']);
  assert.is(full.headers.get('retry-after'), '5');
});

test('a reader who takes nothing is dropped; memory stays flat, and the reader beside it hears everything', async () => {
  await start();
  const quick = await hear();
  const slow = await neverReads();
  await until(async () => (await metric('streams_open')) === 2);
  const lines = Array.from({ length: 100 }, (_, n) => {
    return { skuId: `sku-${n}-${'x'.repeat(100)}`, quantity: 1, attendeeId: 'ana', unitPriceMinor: 1_500 };
  });
  const before = process.memoryUsage();
  let version = 1;
  await until(
    async () => {
      for (let n = 0; n < 20; n += 1) {
        version += 1;
        edge.asked.orders.say(orderOf({ orderId: 'o-1', version, lines }));
      }
      await until(() => quick.events.at(-1)?.id === String(version));
      quick.events.length = 0;
      return (await metric('streams_dropped_total')) === 1;
    },
    { timeoutMs: 30_000 },
  );
  const after = process.memoryUsage();
  const grownBytes = after.external + after.arrayBuffers - before.external - before.arrayBuffers;
  assert.ok(grownBytes < 20_000_000, `${grownBytes} bytes after ${version} states of 20 kB`);
  await until(async () => (await metric('streams_open')) === 1);
  assert.is(quick.end, undefined);
  slow.destroy();
});

test('a stream ends when it was long enough, and what follows is heard by who comes back', async () => {
  await start({ streamLifetimeMs: 50 });
  const listening = await hear();
  await until(() => listening.end === 'clean');
  assert.equal([listening.events.length, listening.retries.length], [1, 2]);
  await until(() => edge.asked.orders.watching === 0);
  edge.asked.orders.now = orderOf({ orderId: 'o-1', version: 2, state: OrderState.ORDER_STATE_CANCELLED });
  const again = await hear();
  await until(() => again.end === 'clean');
  assert.equal(
    again.events.map(({ id }) => id),
    ['2'],
  );
});

test('a stream ends with the token that let it in: who comes back with it is told to show another', async () => {
  await start();
  // A clock may differ by five seconds: it is believed for one more.
  const short = { authorization: bearerOf('ana', { seconds: -4 }) };
  const listening = await listen(other.base + path, short);
  const longer = await hear('ben');
  assert.is(listening.status, 200);
  await until(() => listening.end === 'clean');
  assert.equal([listening.events.length, longer.end], [1, undefined]);
  assert.is((await fetch(other.base + path, { headers: short })).status, 401);
});

test('a reader who leaves before the first word leaves nothing behind', async () => {
  await start();
  edge.asked.orders.isSilent = true;
  const abort = new AbortController();
  const asked = fetch(other.base + path, { headers: { authorization: bearerOf('ana') }, signal: abort.signal });
  await until(() => edge.asked.orders.watching === 1);
  abort.abort();
  await asked.catch(() => undefined);
  await until(() => edge.asked.orders.watching === 0);
  assert.equal([await metric('streams_open'), await metric('stream_sources')], [0, 0]);
});

test('who hears nothing in time is told so', async () => {
  await start({ deadlineMs: 50 });
  edge.asked.orders.isSilent = true;
  const said = await hear();
  assert.equal([said.status, JSON.parse(said.text).reason], [504, 'TOO_LATE']);
  assert.is(await metric('streams_open'), 0);
});

test('a process that closes ends its streams, tells each when to come back, and does not hang', async () => {
  await start();
  const heard = await Promise.all([hear(), hear(), hear('bob'), hear('cy', '/v1/skus/sku-1/availability/events')]);
  for (const { events } of heard) await until(() => events.length === 1);
  const slow = await neverReads();
  edge.asked.orders.isSilent = true;
  const waiting = hear('dora');
  await until(() => edge.asked.orders.watching === 3);
  assert.ok(await other.life.close());
  for (const { end, retries } of heard) {
    await until(() => end === 'clean');
    assert.ok(retries.length === 2 && Number(retries[1]) >= 1_000 && Number(retries[1]) <= 5_000, `${retries}`);
  }
  assert.equal([(await waiting).status, JSON.parse((await waiting).text).reason], [503, 'UNAVAILABLE']);
  await until(() => edge.asked.orders.watching === 0);
  slow.destroy();
});

test('streams and other requests do not stand in each other\u2019s way', async () => {
  await start();
  const heard = await Promise.all(Array.from({ length: 300 }, (_, n) => hear(`user-${n}`)));
  assert.equal([...new Set(heard.map(({ status }) => status))], [200]);
  assert.is(edge.asked.orders.watching, 300);
  const post = await fetch(`${other.base}/v1/orders`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: bearerOf('ana'), 'idempotency-key': 'k' },
    body: JSON.stringify(good),
  });
  assert.is(post.status, 201);
});

test.run();
