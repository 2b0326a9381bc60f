import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert, suite } from '#libs/testing/suite.js';
import { bearerOf, tokenOf } from '#libs/testing/test-issuer.js';
import { until } from '#libs/testing/until.js';
import { serviceMetadata } from '../src/adapters/service-token.js';
import { type EdgeUnderTest, good, goodHeaders, placesOf, startEdgeUnderTest } from './edge-under-test.js';

const test = suite('bff identity');
const sam = bearerOf('sam', { role: 'STAFF', stores: ['store-1'] });
let edge: EdgeUnderTest;

test.before(async () => {
  edge = await startEdgeUnderTest();
});
test.before.each(() => edge.reset());
test.after(() => edge.close());

test('a bad token is 401 with what is wrong and how to do better, whatever else the request is', async () => {
  const expired = bearerOf('ana', { seconds: -60 });
  const tampered = `${bearerOf('ana').slice(0, -8)}AAAAAAAA`;
  const cases: [authorization: string, reason: string, challenge: RegExp][] = [
    [expired, 'TOKEN_EXPIRED', /^Bearer error="invalid_token", error_description="the token has expired"$/],
    [tampered, 'TOKEN_INVALID', /^Bearer error="invalid_token"/],
    ['Basic YTpi', 'TOKEN_INVALID', /^Bearer error="invalid_token"/],
    [`Bearer ${'x'.repeat(5_000)}`, 'TOKEN_INVALID', /^Bearer error="invalid_token"/],
  ];
  for (const [authorization, reason, challenge] of cases) {
    for (const path of ['/v1/orders', '/v1/orders/o-1:cancel', '/v1/request-ids']) {
      const answer = await edge.post('{', { ...goodHeaders, authorization }, path);
      assert.equal([answer.status, answer.body.reason], [401, reason], path);
      assert.match(answer.headers.get('www-authenticate') ?? '', challenge);
    }
  }
  assert.equal([edge.asked.reserved.length, edge.asked.cancelled.length], [0, 0]);
});

test('what says who one is besides the token counts for nothing', async () => {
  const { authorization: _, ...nobody } = goodHeaders;
  const named = { 'x-holdfast-user': 'ana', 'x-holdfast-role': 'operator', 'holdfast-actor': 'ana' };
  assert.is((await edge.post(good, { ...nobody, ...named })).status, 401);
  await edge.post(good, { ...goodHeaders, ...named, 'x-holdfast-user': 'eve', 'holdfast-actor': 'eve' });
  assert.equal(
    edge.asked.reserved.map(({ userId }) => userId),
    ['ana'],
  );
});

test('only staff and services act for others, and the gateway hears from them themselves', async () => {
  const forBen = { 'holdfast-for-user': 'ben' };
  const denied = await edge.post(good, { ...goodHeaders, ...forBen });
  assert.equal([denied.status, denied.body.reason], [403, 'PERMISSION_DENIED']);
  const operator = { ...goodHeaders, authorization: bearerOf('olga', { role: 'OPERATOR' }) };
  assert.is((await edge.post(good, { ...operator, ...forBen })).status, 403);

  const reserved = await edge.post(good, { ...goodHeaders, ...forBen, authorization: sam });
  assert.is(reserved.status, 201);
  const odd = await edge.post(good, { ...goodHeaders, 'holdfast-for-user': 'a b', authorization: sam });
  assert.equal([odd.status, placesOf(odd)], [400, ['Holdfast-For-User']]);
  assert.equal(edge.asked.reserved, []);
  assert.equal(
    edge.asked.reservedFor.map(({ by, forUser }) => [by, forUser]),
    [['sam', 'ben']],
  );
});

test('the edge speaks for itself by the token that its file has, within a second', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-edge-'));
  const path = join(directory, 'token');
  const metadata = serviceMetadata(path);
  for (const name of ['one', 'two']) {
    const token = tokenOf(name, { role: 'SERVICE' });
    writeFileSync(path, `${token}\n`);
    await until(() => metadata().authorization === `Bearer ${token}`);
  }
  rmSync(directory, { recursive: true });
  assert.equal(serviceMetadata(undefined)(), {});
});

test.run();
