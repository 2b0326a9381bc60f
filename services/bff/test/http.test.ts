import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { createTokenVerifier } from '#libs/identity/token-verifier.js';
import { ConfigError } from '#libs/runtime/config.js';
import { createLogger } from '#libs/runtime/logger.js';
import { assert, suite } from '#libs/testing/suite.js';
import { bearerOf, testIdentity } from '#libs/testing/test-issuer.js';
import { createHttp, type HttpOptions } from '../src/adapters/http.js';
import { identifyBy } from '../src/adapters/identity.js';
import { resource } from '../src/adapters/resource.js';
import { readConfig } from '../src/config.js';
import { type EdgeUnderTest, good, goodHeaders, placesOf, startEdgeUnderTest } from './edge-under-test.js';

const test = suite('bff http');
let edge: EdgeUnderTest;
const closers: (() => Promise<void>)[] = [];

test.before(async () => {
  edge = await startEdgeUnderTest();
});
test.before.each(() => edge.reset());
test.after(async () => {
  for (const close of closers) await close();
  await edge.close();
});

const { TOKEN_ISSUER: issuer, TOKEN_AUDIENCE: audience, TOKEN_KEYS: keys } = testIdentity();
const verifier = createTokenVerifier({ issuer, audience, keys, algorithms: ['EdDSA'], cacheMax: 10 });

/** A server with one route, which says from where it was asked. */
async function startBare(options: Partial<HttpOptions>): Promise<string> {
  const app = createHttp({
    logger: createLogger('test', 'silent'),
    identify: identifyBy(verifier),
    ...options,
  });
  resource(app, '/me', {
    GET: { forUser: false, schema: {}, handler: async (request, reply) => reply.send({ ip: request.ip }) },
    POST: { forUser: true, schema: {}, handler: async (_, reply) => reply.code(204).send() },
  });
  closers.push(() => app.close());
  return app.listen({ host: '127.0.0.1', port: 0 });
}

const page = 'https://shop.example';
const asksFor = {
  origin: page,
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'authorization,idempotency-key,content-type,prefer',
};

test('unless origins are named no page of another may call', async () => {
  const simple = await edge.ask('/v1/skus/sku-1', { headers: { origin: page } });
  const preflight = await edge.ask('/v1/orders', { method: 'OPTIONS', headers: asksFor });
  assert.equal([simple.status, preflight.status], [200, 405]);
  for (const { headers } of [simple, preflight]) {
    assert.equal(
      [...headers.keys()].filter((name) => name.startsWith('access-control')),
      [],
    );
  }
});

test('a page whose origin is named may call, read what it needs, and asks only once in two hours', async () => {
  const base = await startBare({ corsOrigins: ['https://other.example', page] });
  const preflight = await fetch(`${base}/me`, { method: 'OPTIONS', headers: asksFor });
  assert.is(preflight.status, 204);
  const told = (name: string): string[] =>
    (preflight.headers.get(`access-control-${name}`) ?? '').toLowerCase().split(', ');
  assert.equal([told('allow-origin'), told('max-age')], [[page], ['7200']]);
  assert.equal(told('allow-methods'), ['get', 'head', 'post', 'delete']);
  for (const name of [
    'authorization',
    'idempotency-key',
    'content-type',
    'holdfast-for-user',
    'prefer',
    'last-event-id',
  ]) {
    assert.ok(told('allow-headers').includes(name), name);
  }
  assert.is(preflight.headers.get('access-control-allow-credentials'), null);
  for (const [method, status] of [
    ['GET', 200],
    ['POST', 401],
    ['DELETE', 405],
  ] as const) {
    const answer = await fetch(`${base}/me`, { method, headers: { origin: page } });
    assert.equal([answer.status, answer.headers.get('access-control-allow-origin')], [status, page]);
    const exposed = (answer.headers.get('access-control-expose-headers') ?? '').toLowerCase().split(', ');
    for (const name of ['location', 'retry-after', 'etag', 'date', 'ratelimit'])
      assert.ok(exposed.includes(name), name);
    assert.match(answer.headers.get('vary') ?? '', /\bOrigin\b/i);
  }
});

test('an origin that is nearly one of those named is none of them', async () => {
  const base = await startBare({ corsOrigins: [page] });
  for (const origin of [
    'null',
    'http://shop.example',
    `${page}:8443`,
    `${page}.evil`,
    'https://SHOP.example',
    'https://evil',
  ]) {
    for (const method of ['GET', 'OPTIONS']) {
      const { status, headers } = await fetch(`${base}/me`, { method, headers: { ...asksFor, origin } });
      assert.equal([status, headers.get('access-control-allow-origin')], [method === 'GET' ? 200 : 405, null], origin);
      assert.equal(
        [...headers.keys()].filter((name) => name.startsWith('access-control')),
        [],
      );
    }
  }
  assert.is((await fetch(`${base}/me`, { method: 'OPTIONS', headers: { origin: page } })).status, 405);
  assert.is((await fetch(`${base}/nothing`, { method: 'OPTIONS' })).status, 404);
});

test('origins and proxies are named exactly, or the process does not start', () => {
  const wrong = {
    CORS_ORIGINS: ['*', 'null', `${page}/`, 'shop.example', 'https://*.example'],
    TRUST_PROXY: ['true', '1', '10.0.0.0/33', '10.0.0.0/0', 'proxy', '10.0.0.1/8/8'],
  };
  for (const [name, texts] of Object.entries(wrong)) {
    for (const text of texts) {
      const config = () => readConfig({ ...testIdentity(), GATEWAY_TARGET: 'dns:gateway:9000', [name]: text });
      assert.throws(config, (error: unknown) => error instanceof ConfigError && error.message.includes(name), text);
    }
  }
  const env = {
    ...testIdentity(),
    GATEWAY_TARGET: 'dns:gateway:9000',
    CORS_ORIGINS: `${page}, http://127.0.0.1:8090`,
    TRUST_PROXY: '10.0.0.0/8,::1',
  };
  const { corsOrigins, trustProxy } = readConfig(env);
  assert.equal(
    [corsOrigins, trustProxy],
    [
      [page, 'http://127.0.0.1:8090'],
      ['10.0.0.0/8', '::1'],
    ],
  );
});

test('every answer tells browsers to run nothing of it, and to frame and guess nothing', async () => {
  const answers = [
    await edge.ask('/v1/skus/sku-1'),
    await edge.ask('/nothing'),
    await edge.post(good),
    await edge.post('{'),
    await edge.ask('/v1/orders', { method: 'PUT' }),
  ];
  for (const { headers } of answers) {
    assert.match(headers.get('content-security-policy') ?? '', "default-src 'none'; frame-ancestors 'none'");
    assert.equal(
      ['x-content-type-options', 'x-frame-options', 'referrer-policy', 'cross-origin-resource-policy'].map((name) =>
        headers.get(name),
      ),
      ['nosniff', 'DENY', 'no-referrer', 'same-origin'],
    );
    assert.match(headers.get('strict-transport-security') ?? '', 'max-age=31536000');
    assert.is(headers.get('server') ?? headers.get('x-powered-by'), null);
  }
});

test('C08: where a client is is what its connection says, unless it comes by a proxy that is believed', async () => {
  const ask = async (base: string, forwarded: string): Promise<unknown> => {
    const answer = await fetch(`${base}/me`, { headers: { 'x-forwarded-for': forwarded } });
    return ((await answer.json()) as { ip: string }).ip;
  };
  const [closed, open] = [await startBare({}), await startBare({ trustProxy: ['127.0.0.1', '10.0.0.0/8'] })];
  const seen = new Set<unknown>();
  for (let i = 0; i < 1_000; i += 1) seen.add(await ask(closed, `9.9.${i >> 8}.${i & 255}`));
  assert.equal([...seen], ['127.0.0.1']);
  assert.is(await ask(open, '203.0.113.7'), '203.0.113.7');
  // What the client wrote in front of what the proxies saw is not believed.
  assert.is(await ask(open, '9.9.9.9, 203.0.113.7, 10.1.2.3'), '203.0.113.7');
});

test('a body that is compressed is 415 and never inflated', async () => {
  const bomb = gzipSync(Buffer.alloc(50_000_000));
  assert.ok(bomb.length < 65_536);
  for (const coding of ['gzip', 'br', 'deflate', 'gzip, identity', 'x']) {
    const headers = { ...goodHeaders, 'content-encoding': coding };
    const before = process.memoryUsage().rss;
    const answer = await edge.ask('/v1/orders', { method: 'POST', headers, body: bomb });
    assert.equal([answer.status, answer.body.reason], [415, 'CONTENT_TYPE_UNSUPPORTED'], coding);
    assert.is(answer.headers.get('accept-encoding'), 'identity');
    assert.ok(process.memoryUsage().rss - before < 40_000_000);
  }
  assert.is((await edge.post(good, { ...goodHeaders, 'content-encoding': 'identity' })).status, 201);
  const notice = {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    body: bomb,
  };
  assert.is((await edge.ask('/v1/payments/notices/sandbox', notice)).status, 415);
  assert.is(edge.asked.reserved.length, 1);
});

test('long headers are taken, or are judged as what they are; beyond 8 kB they are 431', async () => {
  const long = 'x'.repeat(7_000);
  assert.is((await edge.ask('/v1/skus/sku-1', { headers: { 'x-long': long } })).status, 200);
  assert.equal(placesOf(await edge.post(good, { ...goodHeaders, 'idempotency-key': long })), ['Idempotency-Key']);
  const odd = await edge.post(good, { ...goodHeaders, authorization: `Bearer ${long}` });
  assert.equal([odd.status, odd.body.reason], [401, 'TOKEN_INVALID']);
  assert.ok(odd.text.length < 1_000);
  const tooLong = await edge.ask('/v1/skus/sku-1', { headers: { 'x-long': 'x'.repeat(10_000) } });
  assert.equal([tooLong.status, tooLong.headers.get('content-type')], [431, 'application/problem+json']);
  assert.is(tooLong.body.title, 'The request is not valid');
  assert.is((await edge.post(good, { ...goodHeaders, authorization: bearerOf('ana') })).status, 201);
});

test('whoever sends a head or a body too slowly is told 408, and their connection ends', async () => {
  const base = await startBare({ headersTimeoutMs: 300, requestTimeoutMs: 600 });
  const head = 'POST /me HTTP/1.1\r\nhost: x\r\nauthorization: Bearer x\r\ncontent-type: application/json\r\n';
  const answers = await Promise.all([drip(base, head), drip(base, `${head}content-length: 5000\r\n\r\n{`)]);
  for (const answer of answers) {
    assert.match(answer, 'HTTP/1.1 408');
    assert.match(answer, 'application/problem+json');
  }
  assert.is((await fetch(`${base}/me`)).status, 200);
});

/** Sends a request byte by byte, without end; resolves with what came when the connection is closed. */
function drip(base: string, begin: string): Promise<string> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(Number(port), hostname, () => socket.write(begin));
    const dripping = setInterval(() => socket.write('a'), 50);
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('error', () => undefined);
    socket.once('close', () => {
      clearInterval(dripping);
      resolve(text);
    });
  });
}

test.run();
