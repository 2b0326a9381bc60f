import { PlaceState } from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import { assert, suite } from '#libs/testing/suite.js';
import { bearerOf } from '#libs/testing/test-issuer.js';
import { type EdgeUnderTest, placesOf, startEdgeUnderTest } from './edge-under-test.js';

const test = suite('bff reads');
let edge: EdgeUnderTest;

test.before(async () => {
  edge = await startEdgeUnderTest();
});
test.before.each(() => edge.reset());
test.after(() => edge.close());

const reads = [
  ...['/v1/orders/o-1', '/v1/me/orders', '/v1/stores/store-1/skus/sku-1/place'],
  ...['/v1/skus/sku-1', '/v1/skus/sku-1/availability', '/v1/stores/store-1/skus'],
];
const ana = { authorization: bearerOf('ana') };

test('the orders of the caller come in pages, and of nobody else', async () => {
  const { status, body } = await edge.get('/v1/me/orders?page_size=1&page_token=abc', 'ben');
  assert.equal(
    [status, (body.orders as { user_id: string }[])[0]?.user_id, body.next_page_token],
    [200, 'ben', 'more'],
  );
  assert.equal(edge.asked.orderPages, [{ userId: 'ben', skuId: '', pageSize: 1, pageToken: 'abc' }]);
  for (const query of ['user_id=ana', 'page_size=-1', 'page_size=']) {
    const answer = await edge.get(`/v1/me/orders?${query}`);
    assert.equal([answer.status, placesOf(answer)], [400, [query.split('=')[0]]]);
  }
  assert.is((await edge.ask('/v1/me/orders')).status, 401);
  assert.is(edge.asked.orderPages.length, 1);
});

test('a place in line says who is ahead and when to come back, as long as it waits', async () => {
  const path = '/v1/stores/store-1/skus/sku-1/place';
  const common = { store_id: 'store-1', sku_id: 'sku-1' };
  const waiting = await edge.get(path);
  assert.equal(waiting.body, { ...common, state: 'WAITING', people_ahead: 7, retry_after_ms: 1_200 });
  assert.is(waiting.headers.get('retry-after'), '2');
  for (const state of ['DUE', 'GONE'] as const) {
    edge.asked.places.now = { state: PlaceState[`PLACE_STATE_${state}`], peopleAhead: 0, retryAfterMs: 0 };
    const over = await edge.get(path);
    assert.equal([over.body, over.headers.get('retry-after')], [{ ...common, state }, null]);
  }
  assert.is((await edge.ask(path)).status, 401);
});

test('every read has a tag, and who has it already gets 304 and no body', async () => {
  for (const path of reads) {
    const first = await edge.get(path);
    const tag = first.headers.get('etag') ?? '';
    assert.match(tag, /^"[\w-]{22}"$/);
    assert.is(
      first.headers.get('cache-control'),
      path.includes('ders') || path.endsWith('place') ? 'private, no-cache' : 'no-cache',
    );
    for (const known of [tag, `W/${tag}`, `"other", W/${tag}`, '*']) {
      const again = await edge.ask(path, { headers: { ...ana, 'if-none-match': known } });
      assert.equal([again.status, again.text, again.headers.get('etag')], [304, '', tag], `${path} ${known}`);
      assert.equal([again.headers.get('content-type'), again.headers.get('content-length')], [null, null]);
    }
    for (const other of ['"other"', tag.slice(1, -1), `"${tag.slice(2)}`, '']) {
      const again = await edge.ask(path, { headers: { ...ana, 'if-none-match': other } });
      assert.equal([again.status, again.text], [200, first.text], `${path} ${other}`);
    }
  }
});

test('what changed has another tag, and what goes wrong has none', async () => {
  const path = '/v1/skus/sku-1/availability';
  const before = await edge.get(path);
  const same = edge.asked.availabilityOf('sku-1');
  edge.asked.availabilityOf = () => same && { ...same, free: 6 };
  const headers = { 'if-none-match': before.headers.get('etag') ?? '' };
  const after = await edge.ask(path, { headers });
  assert.equal([after.status, after.body.free], [200, 6]);
  edge.asked.availabilityOf = () => undefined;
  const gone = await edge.ask(path, { headers: { 'if-none-match': '*' } });
  assert.equal([gone.status, gone.headers.get('etag')], [404, null]);
});

test('HEAD says of every read what GET does, without the body', async () => {
  for (const path of reads) {
    const get = await edge.get(path);
    const head = await fetch(edge.base + path, { method: 'HEAD', headers: ana });
    assert.equal([head.status, await head.text()], [200, '']);
    for (const name of ['etag', 'content-type', 'content-length', 'cache-control', 'retry-after']) {
      assert.is(head.headers.get(name), get.headers.get(name), `${path} ${name}`);
    }
    const known = { ...ana, 'if-none-match': get.headers.get('etag') ?? '' };
    assert.is((await fetch(edge.base + path, { method: 'HEAD', headers: known })).status, 304);
  }
});

test.run();
