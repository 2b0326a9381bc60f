import { assert, suite } from '#libs/testing/suite.js';
import { type EdgeUnderTest, placesOf, startEdgeUnderTest } from './edge-under-test.js';

const test = suite('bff skus');
let edge: EdgeUnderTest;

test.before(async () => {
  edge = await startEdgeUnderTest();
});
test.before.each(() => edge.reset());
test.after(() => edge.close());

test('a sku is shown to anybody, with what a buyer is told', async () => {
  const { status, body } = await edge.ask('/v1/skus/sku-9');
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
  const { status, body } = await edge.ask('/v1/stores/store-1/skus?page_size=2&page_token=abc');
  assert.equal([status, (body.skus as unknown[]).length, body.next_page_token], [200, 2, 'more']);
  await edge.ask('/v1/stores/store-1/skus');
  assert.equal(edge.asked.pages, [
    { pageSize: 2, pageToken: 'abc' },
    { pageSize: 0, pageToken: '' },
  ]);
  for (const [query, place] of [
    ['page_size=-1', 'page_size'],
    ['page_size=two', 'page_size'],
    ['page_size=1&page_size=2', 'page_size'],
    ['pages=1', 'pages'],
  ]) {
    const answer = await edge.ask(`/v1/stores/store-1/skus?${query}`);
    assert.equal([answer.status, placesOf(answer)], [400, [place]], query);
  }
});

test.run();
