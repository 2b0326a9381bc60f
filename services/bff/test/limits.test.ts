import { OnBusy } from '#libs/contracts/gen/holdfast/inventory/v1/sku.js';
import { Fault } from '#libs/refusal/fault.js';
import { assert, suite } from '#libs/testing/suite.js';
import { type EdgeUnderTest, good, goodHeaders, placesOf, startEdgeUnderTest } from './edge-under-test.js';

const test = suite('bff limits');
let edge: EdgeUnderTest;

test.before(async () => {
  edge = await startEdgeUnderTest();
});
test.before.each(() => edge.reset());
test.after(() => edge.close());

const metadata = {
  limit: 'STORE_SKU',
  store: 'store-1',
  sku: 'sku-1',
  rate: '50',
  burst: '60',
  remaining: '0',
  reset_ms: '1180',
};

test('a place in line is 202 with who is ahead, and when to come back in whole seconds, rounded up', async () => {
  for (const [retryAfterMs, header] of [
    [0, '1'],
    [200, '1'],
    [1_000, '1'],
    [1_001, '2'],
    [5_000, '5'],
  ] as const) {
    edge.asked.answer = () => ({ $case: 'queued', value: { skuId: 'sku-1', peopleAhead: 42, retryAfterMs } });
    const answer = await edge.post(good);
    assert.equal([answer.status, answer.headers.get('retry-after')], [202, header]);
    assert.is(answer.headers.get('location'), null);
    assert.equal(answer.body, {
      state: 'QUEUED',
      sku_id: 'sku-1',
      people_ahead: 42,
      retry_after_ms: retryAfterMs,
    });
  }
});

test('whoever exceeds a limit is told which, its figures, and when to come back', async () => {
  edge.asked.answer = () => new Fault('RATE_LIMITED', 'The limit of sku-1 is reached', { metadata, retryAfterMs: 20 });
  const answer = await edge.post(good);
  const { type, title, detail, ...rest } = answer.body;
  assert.equal(rest, {
    status: 429,
    reason: 'RATE_LIMITED',
    instance: '/v1/orders',
    request_id: 'key-1',
    limit: 'STORE_SKU',
    store: 'store-1',
    sku: 'sku-1',
    rate: 50,
    burst: 60,
    remaining: 0,
    reset_ms: 1_180,
  });
  assert.ok(type && title && detail);
  assert.equal([answer.status, answer.headers.get('content-type')], [429, 'application/problem+json']);
  assert.is(answer.headers.get('retry-after'), '1');
  assert.is(answer.headers.get('ratelimit-policy'), '"store-sku";q=60;w=2');
  assert.is(answer.headers.get('ratelimit'), '"store-sku";r=0;t=2');
});

test('a limit that is no rate has no figures', async () => {
  edge.asked.answer = () => new Fault('RATE_LIMITED', 'busy', { metadata: { limit: 'IN_FLIGHT' }, retryAfterMs: 250 });
  const answer = await edge.post(good);
  assert.equal([answer.status, answer.body.limit, answer.body.rate], [429, 'IN_FLIGHT', undefined]);
  assert.equal([answer.headers.get('retry-after'), answer.headers.get('ratelimit')], ['1', null]);
});

test('reads that are limited are told in the same words', async () => {
  edge.asked.fault = new Fault('RATE_LIMITED', 'slowly', { metadata: { limit: 'USER' }, retryAfterMs: 1_500 });
  const answer = await edge.get('/v1/orders/o-1');
  assert.equal([answer.status, answer.body.limit, answer.headers.get('retry-after')], [429, 'USER', '2']);
});

test('B02: a key that is being answered is 409 with when to come back', async () => {
  edge.asked.answer = () => new Fault('REQUEST_IN_PROGRESS', 'A request with this id is being answered');
  const answer = await edge.post(good);
  assert.equal(
    [answer.status, answer.body.reason, answer.headers.get('retry-after')],
    [409, 'REQUEST_IN_PROGRESS', '1'],
  );
});

test('B01: a key of another request, or one that was not issued, is 422', async () => {
  for (const reason of ['REQUEST_ID_REUSED', 'REQUEST_ID_NOT_ISSUED'] as const) {
    edge.asked.answer = () => new Fault(reason, 'not this one');
    const answer = await edge.post(good);
    assert.equal([answer.status, answer.body.reason], [422, reason]);
    assert.is(answer.headers.get('retry-after'), null);
  }
});

test('an app says itself whether it would wait in line', async () => {
  for (const body of [good, { ...good, on_busy: 'queue' }, { ...good, on_busy: 'fail' }]) await edge.post(body);
  assert.equal(
    edge.asked.reserved.map(({ request }) => request?.onBusy),
    [undefined, OnBusy.ON_BUSY_QUEUE, OnBusy.ON_BUSY_FAIL],
  );
  for (const onBusy of ['QUEUE', '', 1, null, ['queue']]) {
    const answer = await edge.post({ ...good, on_busy: onBusy });
    assert.equal([answer.status, placesOf(answer)], [400, ['#/on_busy']]);
  }
  assert.is(edge.asked.reserved.length, 3);
});

test('a request id is issued to its user for one sku, and needs no key', async () => {
  const { 'idempotency-key': _, ...keyless } = goodHeaders;
  const wish = { store_id: 'store-1', sku_id: 'sku-1' };
  for (const headers of [keyless, goodHeaders]) {
    const answer = await edge.post(wish, headers, '/v1/request-ids');
    assert.is(answer.status, 201);
    assert.equal(answer.body, { request_id: 'hf1.issued', expires_at: '2030-01-01T00:30:00.000Z' });
  }
  const asked = { userId: 'ana', request: { storeId: 'store-1', skuId: 'sku-1' } };
  assert.equal(edge.asked.issued, [asked, asked]);
  const wrong = await edge.post({ store_id: 'a b', note: 1 }, keyless, '/v1/request-ids');
  assert.equal([wrong.status, placesOf(wrong)], [400, ['#/note', '#/sku_id', '#/store_id']]);
  const { authorization: __, ...nobody } = keyless;
  assert.is((await edge.post(wish, nobody, '/v1/request-ids')).status, 401);
  assert.is((await edge.get('/v1/request-ids')).status, 405);
  assert.is(edge.asked.issued.length, 2);
});

test('C08: whatever a request says of where it came from, nothing of it reaches the gateway', async () => {
  const calls: [path: string, method: string, body?: object][] = [
    ['/v1/orders', 'POST', good],
    ['/v1/orders/o-1:cancel', 'POST', {}],
    ['/v1/request-ids', 'POST', { store_id: 'store-1', sku_id: 'sku-1' }],
    ['/v1/orders/o-1', 'GET'],
    ['/v1/skus/sku-1', 'GET'],
    ['/v1/stores/store-1/skus', 'GET'],
  ];
  for (let i = 0; i < 60; i += 1) {
    const [path, method, body] = calls[i % calls.length] ?? ['', ''];
    const origin = { 'x-forwarded-for': `9.9.9.${i}`, forwarded: `for=9.9.9.${i}`, 'x-real-ip': `9.9.9.${i}` };
    const headers = body ? { ...goodHeaders, ...origin } : { authorization: goodHeaders.authorization, ...origin };
    const answer = await edge.ask(path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    assert.ok(answer.status < 300, `${method} ${path} ${answer.status}`);
  }
  assert.equal(edge.asked.forwarded, []);
  assert.not.match(JSON.stringify([edge.asked.reserved, edge.asked.cancelled, edge.asked.issued]), /9\.9\.9/);
  assert.equal([...new Set(edge.asked.reserved.map(({ userId }) => userId))], ['ana']);
});

test.run();
