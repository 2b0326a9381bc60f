import { randomUUID } from 'node:crypto';
import { assert, suite } from '#libs/testing/suite.js';
import { bearerOf } from '#libs/testing/test-issuer.js';
import { onSale } from './on-sale.js';
import { startTestMesh, type TestMesh } from './test-mesh.js';

const test = suite('conventions: HTTP');
let mesh: TestMesh;

test.before(async () => {
  mesh = await startTestMesh({ gatewayEnv: { CALLER_RATE: '100000', CALLER_BURST: '100000' } });
});
test.after(() => mesh.close());

const generous = { perSecond: 1_000, burst: 1_000 };

interface Said {
  status: number;
  headers: Headers;
  body: Record<string, unknown>;
}

interface Asked {
  method?: string;
  user?: string;
  key?: string | null;
  headers?: Record<string, string>;
  body?: unknown;
}

async function ask(path: string, { method = 'GET', user = 'ada', key, headers, body }: Asked = {}): Promise<Said> {
  const isChange = method !== 'GET';
  const own = {
    authorization: bearerOf(user),
    ...(isChange && key !== null && { 'idempotency-key': key ?? randomUUID() }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const init = { method, headers: { ...own, ...headers }, ...(body !== undefined && { body: text }) };
  const response = await fetch(mesh.http + path, init);
  const read = await response.text();
  return { status: response.status, headers: response.headers, body: read === '' ? {} : JSON.parse(read) };
}

async function wishOf(parts: Parameters<typeof onSale>[2] = {}, limit: Parameters<typeof onSale>[1] = generous) {
  const { storeId, skuId } = await onSale(mesh, limit, parts);
  return { store_id: storeId, lines: [{ sku_id: skuId, quantity: 1 }] };
}

const place = (body: unknown, more: Asked = {}): Promise<Said> => ask('/v1/orders', { method: 'POST', body, ...more });

test('what goes wrong is problem+json with type, title, status, detail, instance, reason and request_id', async () => {
  const problems: [Said, number, string, string][] = [
    [await ask('/v1/orders/o-1'), 404, 'ORDER_NOT_FOUND', '/v1/orders/o-1'],
    [await ask('/v1/nothing'), 404, 'RESOURCE_NOT_FOUND', '/v1/nothing'],
    [await ask('/v1/orders', { method: 'PUT' }), 405, 'METHOD_NOT_ALLOWED', '/v1/orders'],
    [await ask('/v1/orders/o-1', { headers: { authorization: '' } }), 401, 'TOKEN_MISSING', '/v1/orders/o-1'],
    [await place('{'), 400, 'INVALID_REQUEST', '/v1/orders'],
    [await place('x'.repeat(70_000)), 413, 'BODY_TOO_LARGE', '/v1/orders'],
  ];
  for (const [{ status, headers, body }, expected, reason, instance] of problems) {
    assert.equal([status, body.status, body.reason, body.instance], [expected, expected, reason, instance]);
    assert.is(headers.get('content-type'), 'application/problem+json');
    for (const member of ['type', 'title', 'detail', 'request_id']) {
      assert.ok(typeof body[member] === 'string' && body[member] !== '', `${reason} ${member}`);
    }
  }
});

test('everything that is wrong is in errors, each with its detail and where it is', async () => {
  const wrong = await place({ store_id: '', lines: [{ sku_id: 'a', quantity: 0 }], extra: 1 }, { key: null });
  assert.is(wrong.status, 400);
  const errors = wrong.body.errors as { detail: string; pointer?: string; header?: string }[];
  assert.equal(errors.map(({ pointer, header }) => pointer ?? header).sort(), [
    ...['#/extra', '#/lines/0/quantity', '#/store_id', 'Idempotency-Key'],
  ]);
  assert.ok(errors.every(({ detail }) => detail !== ''));
});

test('Idempotency-Key is required on changes', async () => {
  const wish = await wishOf();
  const { body } = await place(wish);
  const changes: [string, string, unknown][] = [
    ['POST', '/v1/orders', wish],
    ['POST', `/v1/orders/${body.order_id}:cancel`, {}],
    ['POST', `/v1/orders/${body.order_id}/move`, { to_sku_id: 'other' }],
    ['DELETE', '/v1/waitlist/e-1', undefined],
  ];
  for (const [method, path, given] of changes) {
    const answer = await ask(path, { method, key: null, ...(given !== undefined && { body: given }) });
    assert.equal([answer.status, answer.body.reason], [400, 'INVALID_REQUEST'], path);
    assert.equal((answer.body.errors as { header: string }[])[0]?.header, 'Idempotency-Key');
  }
});

test('Idempotency-Key is one key, quoted or bare, and gives the same answer when it is done', async () => {
  const wish = await wishOf();
  const key = randomUUID();
  const first = await place(wish, { key });
  for (const again of [key, `"${key}"`]) {
    const answer = await place(wish, { key: again });
    assert.equal(
      [answer.status, answer.body, answer.headers.get('location')],
      [201, first.body, first.headers.get('location')],
    );
  }
});

test('Idempotency-Key with another body is 422', async () => {
  const [wish, other] = [await wishOf(), await wishOf()];
  const key = randomUUID();
  assert.is((await place(wish, { key })).status, 201);
  const reused = await place({ ...wish, lines: other.lines }, { key });
  assert.equal([reused.status, reused.body.reason], [422, 'REQUEST_ID_REUSED']);
});

test('accepted work is 202 with Location, and is decided there', async () => {
  const wish = await wishOf({ capacity: 1, onSoldOut: 'JOIN_WAITLIST' });
  assert.is((await place(wish, { user: 'first' })).status, 201);
  const waiting = await place(wish);
  assert.equal([waiting.status, waiting.body.state], [202, 'WAITING']);
  const location = waiting.headers.get('location') ?? '';
  const entry = await ask(location);
  assert.equal([entry.status, entry.body.entry_id, entry.body.state], [200, waiting.body.entry_id, 'WAITING']);
});

test('a limit is 429 with Retry-After, RateLimit and RateLimit-Policy of the current draft', async () => {
  const wish = await wishOf({}, { perSecond: 1, burst: 1, onBusy: 'FAIL' });
  const answers = await Promise.all(Array.from({ length: 10 }, (_, i) => place(wish, { user: `u-${i}` })));
  const limited = answers.filter(({ status }) => status === 429);
  assert.ok(limited.length > 0);
  for (const { headers, body } of limited) {
    assert.is(body.reason, 'RATE_LIMITED');
    assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/);
    assert.match(headers.get('ratelimit-policy') ?? '', /^"[a-z-]+";q=\d+;w=\d+$/);
    assert.match(headers.get('ratelimit') ?? '', /^"[a-z-]+";r=\d+;t=\d+$/);
  }
});

test('sold out is 409 with its reason, never 429', async () => {
  const wish = await wishOf({ capacity: 1 });
  assert.is((await place(wish, { user: 'first' })).status, 201);
  const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => place(wish, { user: `u-${i}` })));
  for (const { status, body } of answers) {
    assert.is(status, 409);
    assert.match(String(body.reason), /^(SOLD_OUT|ALL_HELD|NOT_ENOUGH)$/);
  }
});

test('reads have an ETag, 304 is for who has it, and HEAD is GET without the body', async () => {
  const wish = await wishOf();
  const { body } = await place(wish);
  const sku = wish.lines[0]?.sku_id;
  const reads = [
    `/v1/orders/${body.order_id}`,
    '/v1/me/orders',
    `/v1/skus/${sku}/availability`,
    `/v1/stores/${wish.store_id}/skus`,
  ];
  for (const path of reads) {
    const { status, headers } = await ask(path);
    const tag = headers.get('etag') ?? '';
    assert.equal([status, /^"[\w-]+"$/.test(tag)], [200, true], path);
    const known = await ask(path, { headers: { 'if-none-match': `W/${tag}` } });
    assert.equal([known.status, known.body, known.headers.get('etag')], [304, {}, tag]);
    const head = await fetch(mesh.http + path, { method: 'HEAD', headers: { authorization: bearerOf('ada') } });
    assert.equal([head.status, head.headers.get('etag'), await head.text()], [200, tag, '']);
  }
  await ask(`/v1/orders/${body.order_id}:cancel`, { method: 'POST', body: {} });
  const [path = ''] = reads;
  const after = await ask(path);
  assert.is(after.body.state, 'CANCELLED');
});

test('a page is as large as asked for, its token leads on, and an empty token is the only end', async () => {
  const { store_id: store } = await wishOf({ storeId: `store-${randomUUID()}` });
  await mesh.ledger.sku({ storeId: store });
  const first = await ask(`/v1/stores/${store}/skus?page_size=1`);
  const token = String(first.body.next_page_token);
  assert.equal([(first.body.skus as unknown[]).length, token !== ''], [1, true]);
  const second = await ask(`/v1/stores/${store}/skus?page_size=1&page_token=${token}`);
  assert.equal([(second.body.skus as unknown[]).length, second.body.next_page_token], [1, '']);
  const all = await ask(`/v1/stores/${store}/skus?page_size=9999999999`);
  assert.equal([all.status, (all.body.skus as unknown[]).length], [200, 2]);
  for (const query of [`page_token=${token}&starts_after=2030-01-01T00:00:00Z`, 'page_token=made-up', 'page_size=-1']) {
    const { status, body } = await ask(`/v1/stores/${store}/skus?${query}`);
    assert.is(status, 400, query);
    assert.equal((body.errors as { parameter: string }[])[0]?.parameter, query.split('=')[0]);
  }
});

test('an id of an order or an entry is read in either case, and one that is no UUID names nothing', async () => {
  const wish = await wishOf({ capacity: 1, onSoldOut: 'JOIN_WAITLIST' });
  const { body: order } = await place(wish, { user: 'first' });
  const { body: entry } = await place(wish);
  const [orderId, entryId] = [String(order.order_id), String(entry.entry_id)];
  const read = await ask(`/v1/orders/${orderId.toUpperCase()}`, { user: 'first' });
  assert.equal([read.status, read.body.order_id], [200, orderId]);
  const waiting = await ask(`/v1/waitlist/${entryId.toUpperCase()}`);
  assert.equal([waiting.status, waiting.body.entry_id], [200, entryId]);
  const told = await mesh.gateway.getOrder(
    { orderId: orderId.toUpperCase() },
    { metadata: { authorization: bearerOf('first') } },
  );
  assert.is(told.order?.orderId, orderId);
  for (const [path, reason] of [
    ['/v1/orders/xx', 'ORDER_NOT_FOUND'],
    ['/v1/waitlist/xx', 'WAITLIST_ENTRY_NOT_FOUND'],
  ] as const) {
    const { status, body } = await ask(path);
    assert.equal([status, body.reason], [404, reason]);
  }
  const left = await ask(`/v1/waitlist/${entryId.toUpperCase()}`, { method: 'DELETE' });
  assert.equal([left.status, left.body.entry_id, left.body.state], [200, entryId, 'LEFT']);
  const cancelled = await ask(`/v1/orders/${orderId.toUpperCase()}:cancel`, {
    method: 'POST',
    body: {},
    user: 'first',
  });
  assert.equal([cancelled.status, cancelled.body.state], [200, 'CANCELLED']);
});

test('int64 is text, and times are RFC 3339 with Z', async () => {
  const wish = await wishOf({
    paymentRequired: true,
    priceMinor: 1_500,
    startsAt: new Date(Date.now() + 86_400_000),
    timeZone: 'Asia/Tokyo',
  });
  const { body } = await place(wish);
  const { body: sku } = await ask(`/v1/skus/${wish.lines[0]?.sku_id}`);
  assert.equal([body.amount_minor, sku.price_minor], ['1500', '1500']);
  for (const time of [body.created_at, body.expires_at, sku.starts_at]) {
    assert.match(String(time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  }
});

test('unknown members, parameters and content types are refused, and nothing is coerced', async () => {
  const wish = await wishOf();
  assert.is((await place({ ...wish, note: 'hi' })).status, 400);
  assert.is((await place({ ...wish, lines: [{ ...wish.lines[0], quantity: '1' }] })).status, 400);
  assert.is((await ask(`/v1/skus/${wish.lines[0]?.sku_id}?verbose=1`)).status, 400);
  assert.is((await place('a=1', { headers: { 'content-type': 'application/x-www-form-urlencoded' } })).status, 415);
  assert.is((await place(wish, { headers: { 'content-encoding': 'gzip' } })).status, 415);
});

test('Prefer: wait is applied and said', async () => {
  const answer = await place(await wishOf(), { headers: { prefer: 'wait=3' } });
  assert.equal([answer.status, answer.headers.get('preference-applied')], [201, 'wait=3']);
});

test('OpenAPI 3.1 is served, and a page of it', async () => {
  const { status, body } = await ask('/openapi.json');
  assert.equal([status, body.openapi], [200, '3.1.1']);
  const page = await fetch(`${mesh.http}/docs`);
  assert.equal([page.status, page.headers.get('content-type')], [200, 'text/html; charset=utf-8']);
});

test.run();
