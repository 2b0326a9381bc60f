import { connect, type Socket } from 'node:net';
import { RefusalReason } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import { Fault } from '#libs/refusal/fault.js';
import { Lifecycle } from '#libs/runtime/lifecycle.js';
import { createLogger } from '#libs/runtime/logger.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { type FakeGateway, orderOf, startFakeGateway } from './fake-gateway.js';
import { startBff } from './service.js';

const test = suite('bff');

let gateway: FakeGateway;
let life: Lifecycle;
let base: string;

test.before(async () => {
  gateway = await startFakeGateway();
  ({ life, base } = await startEdge());
});
test.before.each(() => gateway.reset());
test.after(async () => {
  await life.close();
  await gateway.server.drain();
});

async function startEdge(): Promise<{ life: Lifecycle; base: string }> {
  const life = new Lifecycle(createLogger('test', 'silent'));
  const { httpAddress } = await startBff(
    {
      httpAddress: '127.0.0.1:0',
      adminAddress: '127.0.0.1:0',
      gatewayTarget: gateway.server.address,
      deadlineMs: 2_000,
      maxInFlight: 100,
      logLevel: 'silent',
    },
    life,
  );
  return { life, base: httpAddress };
}

interface Answer {
  status: number;
  headers: Headers;
  text: string;
  body: Record<string, unknown>;
}

const good = { store_id: 'store-1', lines: [{ sku_id: 'sku-1', quantity: 2 }] };
const goodHeaders = { 'content-type': 'application/json', 'x-holdfast-user': 'ana', 'idempotency-key': 'key-1' };

async function ask(path: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(base + path, init);
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') ?? false;
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : {} };
}

function post(body: unknown, headers: Record<string, string> = goodHeaders, path = '/v1/orders'): Promise<Answer> {
  return ask(path, { method: 'POST', headers, body: typeof body === 'string' ? body : JSON.stringify(body) });
}

function get(path: string, user = 'ana'): Promise<Answer> {
  return ask(path, { headers: { 'x-holdfast-user': user } });
}

/** Where the errors of a problem point. */
function placesOf({ body }: Answer): unknown[] {
  const errors = (body.errors ?? []) as { pointer?: string; header?: string; parameter?: string }[];
  return errors.map(({ pointer, header, parameter }) => pointer ?? header ?? parameter).sort();
}

test('a held order is 201 with its place and all of it, int64 as text, times with Z', async () => {
  const answer = await post({ ...good, lines: [{ sku_id: 'sku-1', quantity: 2, attendee_id: 'kid' }] });
  assert.is(answer.status, 201);
  assert.is(answer.headers.get('location'), '/v1/orders/0a1b0000-0000-8000-8000-000000000001');
  assert.equal(answer.body, {
    order_id: '0a1b0000-0000-8000-8000-000000000001',
    store_id: 'store-1',
    user_id: 'ana',
    request_id: 'key-1',
    state: 'HELD',
    version: 1,
    lines: [{ sku_id: 'sku-1', quantity: 2, attendee_id: 'ana', unit_price_minor: '1500' }],
    amount_minor: '9007199254740991',
    currency: 'EUR',
    created_at: '2030-01-01T00:00:00.000Z',
    expires_at: '2030-01-01T00:15:00.000Z',
  });
  const [item] = gateway.reserved;
  assert.is(item?.userId, 'ana');
  assert.equal(item?.request, {
    storeId: 'store-1',
    requestId: 'key-1',
    lines: [{ skuId: 'sku-1', quantity: 2, attendeeId: 'kid', unitPriceMinor: 0 }],
  });
});

test('a pending order is 202 with the place where it will be', async () => {
  gateway.answer = () => ({ $case: 'pending', value: { orderId: 'o-1' } });
  const answer = await post(good);
  assert.is(answer.status, 202);
  assert.is(answer.headers.get('location'), '/v1/orders/o-1');
  assert.equal(answer.body, { order_id: 'o-1', state: 'PENDING' });
});

test('a refusal is 409 with its reason and facts', async () => {
  const at = new Date('2030-01-01T00:15:00.000Z');
  const facts: [RefusalReason, object, object][] = [
    [RefusalReason.REFUSAL_REASON_NOT_ENOUGH, { free: 3 }, { reason: 'NOT_ENOUGH', free: 3 }],
    [
      RefusalReason.REFUSAL_REASON_ALL_HELD,
      { nextReleaseAt: at },
      { reason: 'ALL_HELD', next_release_at: at.toISOString() },
    ],
    [RefusalReason.REFUSAL_REASON_SOLD_OUT, {}, { reason: 'SOLD_OUT' }],
    [RefusalReason.REFUSAL_REASON_NOT_ON_SALE, { opensAt: at }, { reason: 'NOT_ON_SALE', opens_at: at.toISOString() }],
    [
      RefusalReason.REFUSAL_REASON_NOT_ON_SALE,
      { closedAt: at },
      { reason: 'NOT_ON_SALE', closed_at: at.toISOString() },
    ],
    [RefusalReason.REFUSAL_REASON_NOT_ON_SALE, { slotPast: true }, { reason: 'NOT_ON_SALE', slot_past: true }],
    [RefusalReason.REFUSAL_REASON_MAX_PER_ORDER, { limit: 4 }, { reason: 'MAX_PER_ORDER', limit: 4 }],
    [RefusalReason.REFUSAL_REASON_PAUSED, {}, { reason: 'PAUSED' }],
  ];
  for (const [reason, given, expected] of facts) {
    const refusal = { ...noRefusal, reason, ...given };
    gateway.answer = () => ({ $case: 'refused', value: { refusal, ownOrder: undefined } });
    const answer = await post(good);
    const { type, title, detail, instance, request_id, status, sku_id, ...rest } = answer.body;
    assert.is(answer.status, 409);
    assert.is(answer.headers.get('content-type'), 'application/problem+json');
    assert.equal([status, instance, request_id, sku_id], [409, '/v1/orders', 'key-1', 'sku-1']);
    assert.ok(type && title && detail);
    assert.equal(rest, expected);
  }
});

test('a refusal names the own order of whoever has one', async () => {
  const reason = RefusalReason.REFUSAL_REASON_LIMIT_REACHED;
  const refusal = { ...noRefusal, reason, limit: 1, ownOrderId: 'own-1' };
  gateway.answer = () => ({ $case: 'refused', value: { refusal, ownOrder: orderOf({ orderId: 'own-1' }) } });
  const { body } = await post(good);
  assert.equal([body.reason, body.limit, body.own_order_id], ['LIMIT_REACHED', 1, 'own-1']);
  assert.is((body.own_order as { state: string }).state, 'HELD');
});

test('a key is one key, quoted or bare', async () => {
  for (const key of ['k-1', '"k-1"']) await post(good, { ...goodHeaders, 'idempotency-key': key });
  await post(good, { ...goodHeaders, 'idempotency-key': '"a\\"b\\\\c"' });
  assert.equal(
    gateway.reserved.map(({ request }) => request?.requestId),
    ['k-1', 'k-1', 'a"b\\c'],
  );
});

test('a change without a usable key is 400', async () => {
  const { 'idempotency-key': _, ...keyless } = goodHeaders;
  const headers = [
    keyless,
    ...['', '"open', 'a b', 'x'.repeat(256), '"a""b"'].map((key) => ({ ...keyless, 'idempotency-key': key })),
  ];
  for (const given of headers) {
    const answer = await post(good, given);
    assert.equal([answer.status, answer.body.reason, placesOf(answer)], [400, 'INVALID_REQUEST', ['Idempotency-Key']]);
  }
  assert.is((await post({}, keyless, '/v1/orders/o-1:cancel')).status, 400);
  assert.equal([gateway.reserved.length, gateway.cancelled.length], [0, 0]);
});

test('whoever names no user is 401, before anything else is judged', async () => {
  const answer = await ask('/v1/orders', { method: 'POST', headers: { 'content-type': 'text/plain' }, body: '{' });
  assert.equal([answer.status, answer.body.reason], [401, 'USER_MISSING']);
  assert.is((await ask('/v1/orders/o-1')).status, 401);
  const odd = await post(good, { ...goodHeaders, 'x-holdfast-user': 'x'.repeat(300) });
  assert.equal([odd.status, placesOf(odd)], [400, ['X-Holdfast-User']]);
});

test('everything that is wrong is named at once', async () => {
  const { 'idempotency-key': _, ...keyless } = goodHeaders;
  const lines = [{ sku_id: '', quantity: 0, 'a/b~': 1 }, { quantity: '1' }, 'x'];
  const answer = await post({ store_id: null, lines, note: 'hi' }, keyless);
  assert.is(answer.status, 400);
  assert.equal(placesOf(answer), [
    '#/lines/0/a~1b~0',
    '#/lines/0/quantity',
    '#/lines/0/sku_id',
    '#/lines/1/quantity',
    '#/lines/1/sku_id',
    '#/lines/2',
    '#/note',
    '#/store_id',
    'Idempotency-Key',
  ]);
  assert.is(gateway.reserved.length, 0);
});

test('A29: a quantity is a whole number from 1 to a million, and nothing else', async () => {
  for (const quantity of ['0', '-3', '2.5', '"1e9"', '2147483648', 'null', '1e9', '1e400', '[1]', 'true', '"1"']) {
    const answer = await post(`{"store_id":"store-1","lines":[{"sku_id":"sku-1","quantity":${quantity}}]}`);
    assert.equal([answer.status, placesOf(answer)], [400, ['#/lines/0/quantity']], quantity);
  }
  const nan = await post('{"store_id":"store-1","lines":[{"sku_id":"sku-1","quantity":NaN}]}');
  assert.equal([nan.status, placesOf(nan)], [400, ['#']]);
  assert.is(gateway.reserved.length, 0);
});

test('an order has 1 to 100 lines', async () => {
  const line = { sku_id: 'sku-1', quantity: 1 };
  assert.is((await post({ ...good, lines: new Array(100).fill(line) })).status, 201);
  for (const lines of [[], new Array(101).fill(line), {}, null]) {
    const answer = await post({ ...good, lines });
    assert.equal([answer.status, placesOf(answer)], [400, ['#/lines']]);
  }
});

test('ids are printable ASCII of bounded length, in bodies and in paths', async () => {
  for (const id of ['', 'a b', 'a\u0000', '🎟️', 'x'.repeat(300)]) {
    const answer = await post({ store_id: id, lines: [{ sku_id: id, quantity: 1, attendee_id: id }] });
    assert.equal([answer.status, placesOf(answer)], [400, ['#/lines/0/attendee_id', '#/lines/0/sku_id', '#/store_id']]);
    if (id === '') continue;
    for (const path of [`/v1/skus/${encodeURIComponent(id)}`, `/v1/orders/${encodeURIComponent(id)}`]) {
      const read = await get(path);
      assert.equal([read.status, placesOf(read)], [400, ['id']], path);
    }
  }
  const odd = await get(`/v1/skus/${encodeURIComponent('a/b:c%')}`);
  assert.equal([odd.status, odd.body.sku_id], [200, 'a/b:c%']);
});

test('a body that is too large, broken, of another type or absent is refused', async () => {
  const cases: [() => Promise<Answer>, number, string][] = [
    [() => post(`{"store_id":"${'x'.repeat(2_000_000)}"}`), 413, 'BODY_TOO_LARGE'],
    [() => post(`{"store_id":"${'x'.repeat(65_536)}"}`), 413, 'BODY_TOO_LARGE'],
    [() => post('{"store_id":'), 400, 'INVALID_REQUEST'],
    [() => post('{"store_id":"store-1","__proto__":{}}'), 400, 'INVALID_REQUEST'],
    [() => post(''), 400, 'INVALID_REQUEST'],
    [() => post('[]'), 400, 'INVALID_REQUEST'],
    [() => post('null'), 400, 'INVALID_REQUEST'],
    [() => post(good, { ...goodHeaders, 'content-type': 'text/plain' }), 415, 'CONTENT_TYPE_UNSUPPORTED'],
    [
      () => post(good, { ...goodHeaders, 'content-type': 'application/x-www-form-urlencoded' }),
      415,
      'CONTENT_TYPE_UNSUPPORTED',
    ],
  ];
  for (const [asked, status, reason] of cases) {
    const { body, ...answer } = await asked();
    assert.equal([answer.status, body.status, body.reason], [status, status, reason]);
    assert.is(answer.headers.get('content-type'), 'application/problem+json');
  }
  assert.is(gateway.reserved.length, 0);
  assert.is((await post(good)).status, 201);
});

test('more errors than an answer can name do not make it large', async () => {
  const many = await post(`{${Array.from({ length: 5_000 }, (_, i) => `"m${i}":1`).join()}}`);
  assert.is(many.status, 400);
  assert.ok(many.text.length < 20_000, `${many.text.length}`);
});

test('a path that is not there is 404, a method that is not there 405 with what is', async () => {
  for (const path of ['/', '/v1', '/v1/orders/a/b', '/v2/orders']) {
    const answer = await get(path);
    assert.equal([answer.status, answer.body.reason, answer.body.instance], [404, 'RESOURCE_NOT_FOUND', path]);
  }
  const wrong: [string, string, string][] = [
    ['DELETE', '/v1/orders/o-1', 'GET, HEAD'],
    ['GET', '/v1/orders', 'POST'],
    ['PUT', '/v1/orders', 'POST'],
    ['GET', '/v1/orders/o-1:cancel', 'POST'],
    ['POST', '/v1/skus/s-1', 'GET, HEAD'],
  ];
  for (const [method, path, allow] of wrong) {
    const answer = await ask(path, { method });
    assert.equal([answer.status, answer.headers.get('allow')], [405, allow], `${method} ${path}`);
  }
  assert.is((await get('/v1/skus/%zz')).status, 400);
  assert.is((await get(`/v1/skus/${'x'.repeat(2_000)}`)).status, 414);
});

test('faults of the gateway become problems, with when to come again', async () => {
  const cases: [Fault, number, string | null][] = [
    [new Fault('SKU_NOT_FOUND', 'There is no such sku', { metadata: { sku_id: 'sku-1' } }), 404, null],
    [new Fault('REQUEST_ID_REUSED', 'The request id was used'), 422, null],
    [new Fault('CURRENCY_MIXED', 'The lines have more than one currency'), 400, null],
    [new Fault('BUSY', 'lane 127.0.0.1 is full', { retryAfterMs: 1_200 }), 503, '2'],
    [new Fault('TOO_LATE', 'redis at 10.0.0.1 took too long'), 504, null],
  ];
  for (const [fault, status, retryAfter] of cases) {
    gateway.answer = () => fault;
    const answer = await post(good);
    assert.equal(
      [answer.status, answer.body.reason, answer.headers.get('retry-after')],
      [status, fault.reason, retryAfter],
    );
    if (status >= 500) assert.not.match(answer.text, /0\.0\.1/);
  }
});

test('violations that the gateway found point where the app gave the field', async () => {
  const fields = ['lines[2].quantity', 'store_id', 'request_id', 'user_id'];
  const violations = fields.map((field) => ({ field, description: 'is odd' }));
  gateway.answer = () => new Fault('INVALID_REQUEST', 'odd', { violations });
  const answer = await post(good);
  assert.equal(placesOf(answer), ['#/lines/2/quantity', '#/store_id', 'Idempotency-Key', 'X-Holdfast-User']);
});

test('nothing of the inside leaves with a 500', async () => {
  gateway.fault = new Fault('INTERNAL', 'select * from secrets', { cause: new Error('at /srv/app.js') });
  const answer = await get('/v1/orders/o-1');
  assert.equal([answer.status, answer.body.reason], [500, 'INTERNAL']);
  assert.not.match(answer.text, /secrets|srv|stack/);
});

test('a gateway that breaks off is asked again with the same key', async () => {
  let tries = 0;
  gateway.answer = ({ userId }) => {
    tries += 1;
    return tries < 3 ? 'break' : { $case: 'held', value: { order: orderOf({ userId }) } };
  };
  assert.is((await post(good)).status, 201);
  assert.equal([...new Set(gateway.reserved.map(({ request }) => request?.requestId))], ['key-1']);
});

test('no answer within the deadline is a 5xx that may be sent again', async () => {
  gateway.answer = () => 'never';
  const answer = await post(good);
  assert.is(answer.status, 504);
  assert.match(String(answer.body.detail), 'cannot count twice');
});

test('an order is read and cancelled in the name of the user', async () => {
  const read = await get('/v1/orders/o-1', 'ben');
  assert.equal([read.status, read.body.order_id, read.body.user_id], [200, 'o-1', 'ben']);
  const bodies = ['', '{}', '{"reason":"ill"}'];
  for (const body of bodies) {
    const answer = await post(body, goodHeaders, '/v1/orders/o-1:cancel');
    assert.equal([answer.status, answer.body.state], [200, 'CANCELLED']);
  }
  const bare = await ask('/v1/orders/o-1:cancel', {
    method: 'POST',
    headers: { 'x-holdfast-user': 'ana', 'idempotency-key': 'c-9' },
  });
  assert.is(bare.status, 200);
  assert.equal(
    gateway.cancelled.map(({ userId, request }) => [userId, request.requestId, request.reason]),
    [
      ['ana', 'key-1', ''],
      ['ana', 'key-1', ''],
      ['ana', 'key-1', 'ill'],
      ['ana', 'c-9', ''],
    ],
  );
  for (const body of ['{"reason":1}', '{"reasons":"x"}', '[]', '{"reason":"a\\u0000"}']) {
    assert.is((await post(body, goodHeaders, '/v1/orders/o-1:cancel')).status, 400, body);
  }
});

test('an order that is not decided yet is 409 with when to come again', async () => {
  gateway.fault = new Fault('ORDER_PENDING', 'The order is not decided yet');
  const answer = await post({}, goodHeaders, '/v1/orders/o-1:cancel');
  assert.equal([answer.status, answer.body.reason, answer.headers.get('retry-after')], [409, 'ORDER_PENDING', '1']);
});

test('a sku is shown to anybody, with what a buyer is told', async () => {
  const { status, body } = await ask('/v1/skus/sku-9');
  assert.is(status, 200);
  assert.equal(
    [body.sku_id, body.title, body.price_minor, body.starts_at, body.time_zone],
    ['sku-9', 'A slot at ten', '1500', '2030-01-01T10:00:00.000Z', 'Europe/Vienna'],
  );
  assert.equal(body.availability, {
    state: 'AVAILABLE',
    free: 7,
    reserved: 0,
    held: 1,
    sold: 0,
    opens_in_ms: '0',
    on_sale: true,
  });
});

test('the skus of a store come in pages', async () => {
  const { status, body } = await ask('/v1/stores/store-1/skus?page_size=2&page_token=abc');
  assert.equal([status, (body.skus as unknown[]).length, body.next_page_token], [200, 2, 'more']);
  await ask('/v1/stores/store-1/skus');
  assert.equal(gateway.pages, [
    { pageSize: 2, pageToken: 'abc' },
    { pageSize: 0, pageToken: '' },
  ]);
  for (const [query, place] of [
    ['page_size=-1', 'page_size'],
    ['page_size=two', 'page_size'],
    ['page_size=1&page_size=2', 'page_size'],
    ['pages=1', 'pages'],
  ]) {
    const answer = await ask(`/v1/stores/store-1/skus?${query}`);
    assert.equal([answer.status, placesOf(answer)], [400, [place]], query);
  }
});

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
  assert.is((await post(good)).status, 201);
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
  gateway.answer = async ({ userId }) => {
    arrived();
    await held;
    return { $case: 'held', value: { order: orderOf({ userId }) } };
  };
  const edge = await startEdge();
  const send = (): Promise<Response> =>
    fetch(`${edge.base}/v1/orders`, { method: 'POST', headers: goodHeaders, body: JSON.stringify(good) });
  const answered = send();
  await asked;
  const closed = edge.life.close();
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

function open(): Promise<Socket> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    const socket: Socket = connect(Number(port), hostname, () => resolve(socket)).once('error', reject);
  });
}

const noRefusal = {
  reason: RefusalReason.REFUSAL_REASON_UNSPECIFIED,
  skuId: 'sku-1',
  free: 0,
  nextReleaseAt: undefined,
  opensAt: undefined,
  closedAt: undefined,
  slotPast: false,
  limit: 0,
  ownOrderId: '',
};

test.run();
