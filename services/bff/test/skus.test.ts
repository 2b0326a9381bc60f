import { readFileSync } from 'node:fs';
import { assert, suite } from '#libs/testing/suite.js';
import { testIdentity } from '#libs/testing/test-issuer.js';
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

test('the address that asks goes to the gateway, named by this edge and not by who asks', async () => {
  await edge.ask('/v1/skus/sku-9', { headers: { 'holdfast-caller-address': '203.0.113.7' } });
  const token = readFileSync(testIdentity().SERVICE_TOKEN_PATH, 'utf8').trim();
  assert.equal(edge.asked.addresses, [['127.0.0.1', `Bearer ${token}`]]);
});

test('the skus of a store come in pages', async () => {
  const { status, body } = await edge.ask('/v1/stores/store-1/skus?page_size=2&page_token=abc');
  assert.equal([status, (body.skus as unknown[]).length, body.next_page_token], [200, 2, 'more']);
  await edge.ask('/v1/stores/store-1/skus');
  assert.equal(edge.asked.pages, [
    { pageSize: 2, pageToken: 'abc', time: [undefined, undefined] },
    { pageSize: 0, pageToken: '', time: [undefined, undefined] },
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

test('skus are listed by when they start, in any time zone', async () => {
  const query = 'starts_after=2030-01-01T10:00:00%2B01:00&starts_before=2030-01-02T00:00:00.5Z';
  assert.is((await edge.ask(`/v1/stores/store-1/skus?${query}`)).status, 200);
  const [page] = edge.asked.pages;
  assert.equal(
    page?.time.map((instant) => instant?.toISOString()),
    ['2030-01-01T09:00:00.000Z', '2030-01-02T00:00:00.500Z'],
  );
  for (const wrong of [
    '',
    'today',
    '2030-01-01',
    '2030-01-01T10:00:00',
    '2030-02-30T10:00:00Z',
    '2030-12-31T23:59:60Z',
  ]) {
    const answer = await edge.ask(`/v1/stores/store-1/skus?starts_before=${wrong}`);
    assert.equal([answer.status, placesOf(answer)], [400, ['starts_before']], wrong);
  }
  assert.is(edge.asked.pages.length, 1);
});

test('where the units of a sku are is read without the sku; of one that is not there it is 404', async () => {
  const { status, body } = await edge.ask('/v1/skus/sku-9/availability');
  assert.equal([status, body.sku_id, body.state, body.free, body.opens_in_ms], [200, 'sku-9', 'AVAILABLE', 7, '0']);
  edge.asked.availabilityOf = () => undefined;
  const answer = await edge.ask('/v1/skus/sku-9/availability');
  assert.equal([answer.status, answer.body.reason, answer.body.sku_id], [404, 'SKU_NOT_FOUND', 'sku-9']);
});

test.run();
