import { createHmac, createPrivateKey, createPublicKey, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assert, suite } from '#libs/testing/suite.js';
import { bearerOf, testIdentity, testIdentityDirectory, tokenOf } from '#libs/testing/test-issuer.js';
import { askHttp, assertSaid, callGrpc, type Header, unitsOf } from './edge-calls.js';
import { onSale, somebody } from './on-sale.js';
import { pressHttp } from './press.js';
import { startTestMesh, type TestMesh } from './test-mesh.js';

const test = suite('bad input: who calls');
const reservations = 'holdfast.reservation.v1.ReservationService';
const generous = { perSecond: 1_000, burst: 1_000 };
const ada = 'ada';

let mesh: TestMesh;
let skuId: string;
/** Ada's. */
let orderId: string;
let before: unknown;

test.before(async () => {
  mesh = await startTestMesh();
  const sku = await onSale(mesh, generous);
  skuId = sku.skuId;
  const { body } = await pressHttp(mesh.http, { ...somebody(sku), user: ada });
  orderId = String(body.order_id);
  before = await unitsOf(mesh.ledger.sql);
});
test.after.each(async () => assert.equal(await unitsOf(mesh.ledger.sql), before, 'units moved'));
test.after(() => mesh.close());

const { TOKEN_ISSUER: iss, TOKEN_AUDIENCE: aud } = testIdentity();
const privateKey = createPrivateKey(readFileSync(join(testIdentityDirectory(), 'key.pem')));
const publicKey = createPublicKey(privateKey);
const { kid } = JSON.parse(Buffer.from(tokenOf(ada).split('.')[0] ?? '', 'base64url').toString()) as { kid: string };
const inAnHour = Math.floor(Date.now() / 1_000) + 3_600;
const claims = { iss, aud, sub: ada, exp: inAnHour };

type Mac = (text: string) => Buffer;

const byOurs: Mac = (text) => sign(null, Buffer.from(text), privateKey);

/** A token of any head and claims, signed by the right key unless `mac` does something else. */
function forged(given: object, head: object = {}, mac: Mac = byOurs) {
  const part = (json: object): string => Buffer.from(JSON.stringify(json)).toString('base64url');
  const signed = `${part({ alg: 'EdDSA', typ: 'JWT', kid, ...head })}.${part({ ...claims, ...given })}`;
  return `Bearer ${signed}.${mac(signed).toString('base64url')}`;
}

function tampered(): string {
  const [head, body = '', signature] = tokenOf(ada).split('.');
  const changed = { ...JSON.parse(Buffer.from(body, 'base64url').toString()), roles: ['operator'] };
  return `Bearer ${head}.${Buffer.from(JSON.stringify(changed)).toString('base64url')}.${signature}`;
}

const other = generateKeyPairSync('ed25519').privateKey;
const byOther: Mac = (text) => sign(null, Buffer.from(text), other);
const hmacBy =
  (secret: string | Buffer): Mac =>
  (text) =>
    createHmac('sha256', secret).update(text).digest();
const pem = publicKey.export({ format: 'pem', type: 'spki' }).toString();
const raw = Buffer.from(String(publicKey.export({ format: 'jwk' }).x), 'base64url');

const badTokens: [what: string, authorization: string | undefined, reason: string, problem?: string][] = [
  ['no token', undefined, 'TOKEN_MISSING'],
  ['an empty header', '', 'TOKEN_MISSING'],
  ['expired', forged({ exp: inAnHour - 7_200 }), 'TOKEN_EXPIRED'],
  ['without an end', forged({ exp: undefined }), 'TOKEN_INVALID', 'EXPIRY'],
  ['not begun', forged({ nbf: inAnHour - 60 }), 'TOKEN_INVALID', 'NOT_YET'],
  ['of another audience', forged({ aud: 'another-api' }), 'TOKEN_INVALID', 'AUDIENCE'],
  ['without an audience', forged({ aud: undefined }), 'TOKEN_INVALID', 'AUDIENCE'],
  ['of another issuer', forged({ iss: 'https://evil.example' }), 'TOKEN_INVALID', 'ISSUER'],
  ['alg none', forged({}, { alg: 'none' }), 'TOKEN_INVALID', 'ALGORITHM'],
  ['alg none, unsigned', forged({}, { alg: 'none' }, () => Buffer.alloc(0)), 'TOKEN_INVALID', 'FORM'],
  ['HS256 by the public key', forged({}, { alg: 'HS256' }, hmacBy(pem)), 'TOKEN_INVALID', 'ALGORITHM'],
  ['HS256 by the bytes of the public key', forged({}, { alg: 'HS256' }, hmacBy(raw)), 'TOKEN_INVALID', 'ALGORITHM'],
  ['signed by another key', forged({}, {}, byOther), 'TOKEN_INVALID', 'SIGNATURE'],
  ['of a key that nobody knows', forged({}, { kid: 'mine' }, byOther), 'TOKEN_INVALID', 'KEY'],
  [
    'with the key that it names itself',
    forged({}, { kid: 'x', jwk: other.export({ format: 'jwk' }) }, byOther),
    'TOKEN_INVALID',
    'KEY',
  ],
  ['tampered', tampered(), 'TOKEN_INVALID', 'SIGNATURE'],
  ['cut', bearerOf(ada).slice(0, -4), 'TOKEN_INVALID', 'SIGNATURE'],
  ['without a user', forged({ sub: undefined }), 'TOKEN_INVALID', 'SUBJECT'],
  ['of a user with a space', forged({ sub: 'a b' }), 'TOKEN_INVALID', 'SUBJECT'],
  ['of two roles', forged({ roles: ['staff', 'operator'] }), 'TOKEN_INVALID', 'ROLES'],
  ['of another scheme', 'Basic YWRhOmFkYQ==', 'TOKEN_INVALID', 'FORM'],
  ['no token at all', 'Bearer', 'TOKEN_INVALID', 'FORM'],
];

const json: Header = ['content-type', 'application/json'];
const key = (): Header => ['idempotency-key', randomUUID()];
const wish = (): string => JSON.stringify({ store_id: 'store-1', lines: [{ sku_id: skuId, quantity: 1 }] });

test('over HTTP a bad token is 401 with what is wrong with it, wherever somebody must be named', async () => {
  for (const [what, authorization, reason, problem] of badTokens) {
    const who: Header[] = authorization === undefined ? [] : [['authorization', authorization]];
    const asks = [
      { method: 'POST', path: '/v1/orders', headers: [...who, json, key()], body: wish() },
      { method: 'POST', path: `/v1/orders/${orderId}:cancel`, headers: [...who, json, key()], body: '{}' },
      { method: 'POST', path: `/v1/orders/${orderId}/payment`, headers: [...who, json, key()], body: '{}' },
      { path: `/v1/orders/${orderId}`, headers: who },
      { path: `/v1/orders/${orderId}/events`, headers: who },
      { path: '/v1/me/orders', headers: who },
    ];
    for (const ask of asks) {
      const said = await askHttp(mesh.http, ask);
      assertSaid(said, [401, reason], `${what}: ${ask.path}`);
      assert.is(said.facts.problem, problem, what);
    }
  }
});

test('over gRPC a bad token is UNAUTHENTICATED with the same reason, before anything else is looked at', async () => {
  for (const [what, authorization, reason, problem] of badTokens) {
    const headers: Header[] = authorization === undefined ? [] : [['authorization', authorization]];
    for (const method of [
      `${reservations}/Reserve`,
      `${reservations}/GetOrder`,
      `${reservations}/WatchOrder`,
      'holdfast.control.v1.ControlService/CancelSku',
    ]) {
      const said = await callGrpc(mesh.gatewayAddresses[0] ?? '', { method, headers });
      assertSaid(said, ['UNAUTHENTICATED', reason], `${what}: ${method}`);
      assert.is(said.facts.problem, problem, what);
    }
  }
});

const eve: Header = ['authorization', bearerOf('eve')];
const sam: Header = ['authorization', bearerOf('sam', { role: 'STAFF', stores: ['store-1'] })];

test('over HTTP nothing besides the token says who one is', async () => {
  const read = (...headers: Header[]) => askHttp(mesh.http, { path: `/v1/orders/${orderId}`, headers });
  const mine: Header = ['authorization', bearerOf(ada)];
  assertSaid(await read(mine), [200, 'OK'], 'ada');
  const named: Header[][] = [
    [['x-holdfast-user', ada]],
    [
      ['x-holdfast-user', ada],
      ['x-holdfast-role', 'operator'],
    ],
    [
      ['holdfast-actor', ada],
      ['holdfast-actor-role', 'user'],
    ],
    [
      ['holdfast-actor', 'olga'],
      ['holdfast-actor-role', 'operator'],
    ],
    [
      ['holdfast-actor', 'sam'],
      ['holdfast-actor-role', 'staff'],
      ['holdfast-actor-stores', '["store-1"]'],
    ],
  ];
  for (const headers of named) {
    const what = JSON.stringify(headers);
    assertSaid(await read(eve, ...headers), [404, 'ORDER_NOT_FOUND'], what);
    assertSaid(await read(...headers), [401, 'TOKEN_MISSING'], what);
  }
  assertSaid(await read(eve, ['holdfast-for-user', ada]), [403, 'PERMISSION_DENIED'], 'for another');
  for (const two of [
    [mine, eve],
    [eve, mine],
    [mine, mine],
  ]) {
    assertSaid(await read(...two), [401, 'TOKEN_INVALID'], 'two tokens');
  }
});

test('a header that is twice there is neither of the two', async () => {
  const post = (...headers: Header[]) =>
    askHttp(mesh.http, { method: 'POST', path: '/v1/orders', headers: [json, ...headers], body: wish() });
  assertSaid(await post(eve, key(), key()), [400, 'INVALID_REQUEST'], 'two keys');
  const [one, two]: Header[] = [
    ['holdfast-for-user', ada],
    ['holdfast-for-user', 'ben'],
  ];
  assertSaid(await post(sam, key(), one as Header, two as Header), [400, 'INVALID_REQUEST'], 'two persons');
  assertSaid(await post(eve, sam, key(), one as Header), [401, 'TOKEN_INVALID'], 'two tokens');
});

test('over gRPC nothing besides the token says who one is', async () => {
  const id = Buffer.from(orderId);
  const bytes = Buffer.concat([Buffer.from([10, id.length]), id]);
  const read = (...headers: Header[]) =>
    callGrpc(mesh.gatewayAddresses[0] ?? '', { method: `${reservations}/GetOrder`, headers, bytes });
  assertSaid(await read(['authorization', bearerOf(ada)]), ['OK', 'OK'], 'ada');
  for (const headers of [
    [
      ['x-holdfast-user', ada],
      ['x-holdfast-role', 'operator'],
    ],
    [
      ['holdfast-actor', ada],
      ['holdfast-actor-role', 'user'],
    ],
    [
      ['holdfast-actor', 'olga'],
      ['holdfast-actor-role', 'operator'],
    ],
    [
      ['holdfast-actor', 'sam'],
      ['holdfast-actor-role', 'staff'],
      ['holdfast-actor-stores', '["store-1"]'],
    ],
  ] as Header[][]) {
    const what = JSON.stringify(headers);
    assertSaid(await read(eve, ...headers), ['NOT_FOUND', 'ORDER_NOT_FOUND'], what);
    assertSaid(await read(...headers), ['UNAUTHENTICATED', 'TOKEN_MISSING'], what);
  }
  assertSaid(await read(eve, ['holdfast-for-user', ada]), ['PERMISSION_DENIED', 'PERMISSION_DENIED'], 'for another');
  const service: Header = ['authorization', bearerOf('front', { role: 'SERVICE' })];
  const two: Header[] = [
    ['holdfast-for-user', ada],
    ['holdfast-for-user', 'ben'],
  ];
  assertSaid(await read(service, ...two), ['INVALID_ARGUMENT', 'INVALID_REQUEST'], 'two persons');
});

test.run();
