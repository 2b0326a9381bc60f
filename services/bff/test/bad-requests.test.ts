import { localizedViolation } from '#libs/refusal/localize.js';
import { assert, suite } from '#libs/testing/suite.js';
import * as schemas from '../src/adapters/schemas.js';
import { type Answer, type EdgeUnderTest, good, goodHeaders, placesOf, startEdgeUnderTest } from './edge-under-test.js';

const test = suite('bff bad requests');
let edge: EdgeUnderTest;

test.before(async () => {
  edge = await startEdgeUnderTest();
});
test.before.each(() => edge.reset());
test.after(() => edge.close());

test('a key is one key, quoted or bare', async () => {
  for (const key of ['k-1', '"k-1"']) await edge.post(good, { ...goodHeaders, 'idempotency-key': key });
  await edge.post(good, { ...goodHeaders, 'idempotency-key': '"a\\"b\\\\c"' });
  assert.equal(
    edge.asked.reserved.map(({ request }) => request?.requestId),
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
    const answer = await edge.post(good, given);
    assert.equal([answer.status, answer.body.reason, placesOf(answer)], [400, 'INVALID_REQUEST', ['Idempotency-Key']]);
  }
  assert.is((await edge.post({}, keyless, '/v1/orders/o-1:cancel')).status, 400);
  assert.equal([edge.asked.reserved.length, edge.asked.cancelled.length], [0, 0]);
});

test('a key has 1 to 255 printable ASCII characters, quoted and bare, or nothing is sent on', async () => {
  const utf8 = (text: string): string => Buffer.from(text).toString('latin1');
  const wrong = ['', 'x'.repeat(256), 'x'.repeat(5_000), utf8('clé'), utf8('🎟️'), '\u00a0', 'a\tb'];
  for (const path of ['/v1/orders', '/v1/orders/o-1:cancel']) {
    const body = path === '/v1/orders' ? good : {};
    for (const key of wrong.flatMap((bare) => [bare, `"${bare}"`])) {
      const answer = await edge.post(body, { ...goodHeaders, 'idempotency-key': key }, path);
      const text = key.slice(0, 20);
      assert.equal([answer.status, answer.body.reason], [400, 'INVALID_REQUEST'], text);
      assert.equal(placesOf(answer), ['Idempotency-Key'], text);
      assert.is(answer.headers.get('content-type'), 'application/problem+json');
      assert.ok(answer.text.length < 1_000, 'the key does not come back');
    }
  }
  assert.equal([edge.asked.reserved.length, edge.asked.cancelled.length], [0, 0]);
  const longest = 'x'.repeat(255);
  for (const key of [longest, `"${longest}"`, '!', '~']) {
    assert.is((await edge.post(good, { ...goodHeaders, 'idempotency-key': key })).status, 201);
  }
  assert.equal(
    edge.asked.reserved.map(({ request }) => request?.requestId),
    [longest, longest, '!', '~'],
  );
});

test('whoever does not say who they are is 401, before anything else is judged', async () => {
  const answer = await edge.ask('/v1/orders', { method: 'POST', headers: { 'content-type': 'text/plain' }, body: '{' });
  assert.equal([answer.status, answer.body.reason], [401, 'TOKEN_MISSING']);
  assert.is((await edge.ask('/v1/orders/o-1')).status, 401);
  assert.is(answer.headers.get('www-authenticate'), 'Bearer');
});

test('everything that is wrong is named at once', async () => {
  const { 'idempotency-key': _, ...keyless } = goodHeaders;
  const lines = [{ sku_id: '', quantity: 0, 'a/b~': 1 }, { quantity: '1' }, 'x'];
  const answer = await edge.post({ store_id: null, lines, note: 'hi' }, keyless);
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
  assert.is(edge.asked.reserved.length, 0);
});

test('A29: a quantity is a whole number from 1 to a million, and nothing else', async () => {
  for (const quantity of ['0', '-3', '2.5', '"1e9"', '2147483648', 'null', '1e9', '1e400', '[1]', 'true', '"1"']) {
    const answer = await edge.post(`{"store_id":"store-1","lines":[{"sku_id":"sku-1","quantity":${quantity}}]}`);
    assert.equal([answer.status, placesOf(answer)], [400, ['#/lines/0/quantity']], quantity);
  }
  const nan = await edge.post('{"store_id":"store-1","lines":[{"sku_id":"sku-1","quantity":NaN}]}');
  assert.equal([nan.status, placesOf(nan)], [400, ['']]);
  assert.is(edge.asked.reserved.length, 0);
});

test('an order has 1 to 100 lines', async () => {
  const line = { sku_id: 'sku-1', quantity: 1 };
  assert.is((await edge.post({ ...good, lines: new Array(100).fill(line) })).status, 201);
  for (const lines of [[], new Array(101).fill(line), {}, null]) {
    const answer = await edge.post({ ...good, lines });
    assert.equal([answer.status, placesOf(answer)], [400, ['#/lines']]);
  }
});

test('ids are printable ASCII of bounded length, in bodies and in paths', async () => {
  for (const id of ['', 'a b', 'a\u0000', '🎟️', 'x'.repeat(300)]) {
    const answer = await edge.post({ store_id: id, lines: [{ sku_id: id, quantity: 1, attendee_id: id }] });
    assert.equal([answer.status, placesOf(answer)], [400, ['#/lines/0/attendee_id', '#/lines/0/sku_id', '#/store_id']]);
    if (id === '') continue;
    for (const path of [`/v1/skus/${encodeURIComponent(id)}`, `/v1/orders/${encodeURIComponent(id)}`]) {
      const read = await edge.get(path);
      assert.equal([read.status, placesOf(read)], [400, ['id']], path);
    }
  }
  const odd = await edge.get(`/v1/skus/${encodeURIComponent('a/b:c%')}`);
  assert.equal([odd.status, odd.body.sku_id], [200, 'a/b:c%']);
});

test('a body that is too large, broken, of another type or absent is refused', async () => {
  const cases: [() => Promise<Answer>, number, string][] = [
    [() => edge.post(`{"store_id":"${'x'.repeat(2_000_000)}"}`), 413, 'BODY_TOO_LARGE'],
    [() => edge.post(`{"store_id":"${'x'.repeat(65_536)}"}`), 413, 'BODY_TOO_LARGE'],
    [() => edge.post('{"store_id":'), 400, 'INVALID_REQUEST'],
    [() => edge.post('{"store_id":"store-1","__proto__":{}}'), 400, 'INVALID_REQUEST'],
    [() => edge.post(''), 400, 'INVALID_REQUEST'],
    [() => edge.post('[]'), 400, 'INVALID_REQUEST'],
    [() => edge.post('null'), 400, 'INVALID_REQUEST'],
    [() => edge.post(good, { ...goodHeaders, 'content-type': 'text/plain' }), 415, 'CONTENT_TYPE_UNSUPPORTED'],
    [
      () => edge.post(good, { ...goodHeaders, 'content-type': 'application/x-www-form-urlencoded' }),
      415,
      'CONTENT_TYPE_UNSUPPORTED',
    ],
  ];
  for (const [asked, status, reason] of cases) {
    const { body, ...answer } = await asked();
    assert.equal([answer.status, body.status, body.reason], [status, status, reason]);
    assert.is(answer.headers.get('content-type'), 'application/problem+json');
    // Closed over unread data a connection is reset, and the answer may be lost with it.
    assert.is.not(answer.headers.get('connection'), 'close');
  }
  assert.is(edge.asked.reserved.length, 0);
  assert.is((await edge.post(good)).status, 201);
});

test('a body that is no object is named in words, and has the empty pointer', async () => {
  const detail = 'the body must be an object';
  for (const path of ['/v1/orders', '/v1/request-ids', '/v1/orders/o-1:cancel']) {
    // A cancellation needs no body.
    const bodies = ['[]', '"x"', 'null', ...(path.endsWith(':cancel') ? [] : [''])];
    for (const body of bodies) {
      const answer = await edge.post(body, goodHeaders, path);
      assert.equal([answer.status, answer.body.detail], [400, detail], `${path} ${body}`);
      assert.equal(answer.body.errors, [{ detail, pointer: '' }]);
    }
  }
  const line = await edge.post({ ...good, lines: ['x'] });
  assert.equal(line.body.errors, [{ detail: 'must be an object', pointer: '#/lines/0' }]);
  const broken = await edge.post('{"store_id":');
  assert.equal([broken.status, placesOf(broken)], [400, ['']]);
  assert.is(broken.body.detail, 'the body is not valid JSON');
});

test('a member that is called __proto__ or constructor is one that is not known, where it is', async () => {
  for (const name of ['__proto__', 'constructor']) {
    const inside = `{"store_id":"store-1","lines":[{"sku_id":"sku-1","quantity":1,"${name}":{"prototype":{}}}]}`;
    for (const [body, pointer] of [
      [`{"store_id":"store-1","lines":[{"sku_id":"sku-1","quantity":1}],"${name}":{"prototype":{}}}`, `#/${name}`],
      [inside, `#/lines/0/${name}`],
    ] as const) {
      const answer = await edge.post(body);
      assert.equal([answer.status, answer.body.errors], [400, [{ detail: 'is not known', pointer }]]);
    }
  }
  const cancelled = await edge.post('{"__proto__":{"reason":"x"}}', goodHeaders, '/v1/orders/o-1:cancel');
  assert.equal([cancelled.status, placesOf(cancelled)], [400, ['#/__proto__']]);
  assert.equal([edge.asked.reserved.length, edge.asked.cancelled.length], [0, 0]);
});

test('bodies are JSON in UTF-8 alone, and whoever sends another kind is told so in our words', async () => {
  for (const [type, status] of [
    ['application/json; charset=utf-8', 201],
    ['application/json;charset="UTF8"', 201],
    ['application/json; charset=utf-16', 415],
    ['application/json; charset=iso-8859-1', 415],
    ['application/xml', 415],
  ] as const) {
    const answer = await edge.post(good, { ...goodHeaders, 'content-type': type });
    assert.is(answer.status, status, type);
    if (status === 415) assert.is(answer.body.detail, 'Bodies are JSON in UTF-8, and not compressed.');
  }
});

test('what is wrong is told in the language that was asked for', async () => {
  const chinese = { ...goodHeaders, 'accept-language': 'zh-CN' };
  const lines = [{ sku_id: '', quantity: 0, extra: 1 }];
  const { body } = await edge.post({ store_id: 'a b', on_busy: 'x', on_sold_out: 1, force_reason: '', lines }, chinese);
  const errors = body.errors as { detail: string; pointer: string }[];
  assert.is(errors.length, 7);
  for (const { detail, pointer } of errors) assert.match(detail, /[\u4e00-\u9fff]/, pointer);
  assert.match(String(body.detail), errors[0]?.detail ?? '-');
  const fallback = await edge.post('{', chinese);
  assert.match(String(fallback.body.detail), '请求体不是有效的 JSON');
});

test('every sentence of a schema of what comes in can be said in Chinese', () => {
  const { noticeBody, webhookHeaders, reasonParams, ...ofUsers } = schemas;
  const said = [...JSON.stringify(ofUsers).matchAll(/"description":"((?:[^"\\]|\\.)*)"/g)];
  assert.ok(said.length > 10, `${said.length}`);
  for (const [, sentence = ''] of said) {
    const detail = `must be ${JSON.parse(`"${sentence}"`)}`;
    assert.is.not(localizedViolation(detail, 'zh-CN'), detail);
  }
});

test('more errors than an answer can name do not make it large', async () => {
  const many = await edge.post(`{${Array.from({ length: 5_000 }, (_, i) => `"m${i}":1`).join()}}`);
  assert.is(many.status, 400);
  assert.ok(many.text.length < 20_000, `${many.text.length}`);
});

test('a path that is not there is 404, a method that is not there 405 with what is', async () => {
  for (const path of ['/', '/v1', '/v1/orders/a/b', '/v2/orders', '/v1/orders/o-1:explode']) {
    const answer = await edge.get(path);
    assert.equal([answer.status, answer.body.reason, answer.body.instance], [404, 'RESOURCE_NOT_FOUND', path]);
  }
  for (const path of ['/v1/orders/o-1:explode', '/v1/waitlist/e-1:explode']) {
    const answer = await edge.post({}, goodHeaders, path);
    assert.equal([answer.status, answer.body.reason], [404, 'RESOURCE_NOT_FOUND'], path);
  }
  const wrong: [string, string, string][] = [
    ['DELETE', '/v1/orders/o-1', 'GET, HEAD'],
    ['GET', '/v1/orders', 'POST'],
    ['PUT', '/v1/orders', 'POST'],
    ['GET', '/v1/orders/o-1:cancel', 'POST'],
    ['POST', '/v1/skus/s-1', 'GET, HEAD'],
  ];
  for (const [method, path, allow] of wrong) {
    const answer = await edge.ask(path, { method });
    assert.equal([answer.status, answer.headers.get('allow')], [405, allow], `${method} ${path}`);
  }
  assert.is((await edge.get('/v1/skus/%zz')).status, 400);
  assert.is((await edge.get(`/v1/skus/${'x'.repeat(2_000)}`)).status, 414);
});

test.run();
