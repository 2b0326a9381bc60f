import { createHmac, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import jsonwebtoken from 'jsonwebtoken';
import { Fault } from '#libs/refusal/fault.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import { bearerOf, testIdentity, tokenOf } from '#libs/testing/test-issuer.js';
import { until } from '#libs/testing/until.js';
import type { Principal } from './principal.js';
import { createTokenIssuer } from './token-issuer.js';
import { createTokenVerifier, type TokenVerifier, type TokenVerifierOptions } from './token-verifier.js';

const test = suite('token verifier');

const { TOKEN_ISSUER: issuer, TOKEN_AUDIENCE: audience, TOKEN_KEYS: keys } = testIdentity();
const believed = { issuer, audience, keys, algorithms: ['EdDSA', 'ES256', 'RS256'], cacheMax: 100 };
const directory = mkdtempSync(join(tmpdir(), 'holdfast-verifier-'));
test.after(() => rmSync(directory, { recursive: true }));

const verifierOf = (more: Partial<TokenVerifierOptions> = {}) => createTokenVerifier({ ...believed, ...more });
/** What becomes of a header: `USER ada`, or the reason with the problem. */
async function told(verifier: TokenVerifier, authorization: string | undefined): Promise<string> {
  try {
    const { role, userId } = await verifier.verify(authorization);
    return `${role} ${userId}`;
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
    return [thrown.reason, thrown.metadata.problem].filter(Boolean).join(' ');
  }
}

const part = (json: object): string => Buffer.from(JSON.stringify(json)).toString('base64url');
const claims = { iss: issuer, aud: audience, sub: 'ada', exp: Math.floor(Date.now() / 1_000) + 600 };
const secretKey = generateKeyPairSync('ed25519').privateKey;

test('a token says who calls, and in which role', async () => {
  const verifier = verifierOf();
  const { endsAtMs = 0, ...ada } = await verifier.verify(bearerOf('ada'));
  assert.equal(ada, { userId: 'ada', role: 'USER', stores: [] });
  assert.ok(endsAtMs > Date.now());
  const { endsAtMs: _, ...staff } = await verifier.verify(bearerOf('sam', { role: 'STAFF', stores: ['s-1', 's,2'] }));
  assert.equal(staff, { userId: 'sam', role: 'STAFF', stores: ['s-1', 's,2'] });
  assert.is(Object.isFrozen(await verifier.verify(bearerOf('ada'))) && Object.isFrozen(staff.stores), true);
  assert.is(await told(verifier, bearerOf('olga', { role: 'OPERATOR' })), 'OPERATOR olga');
  assert.is(await told(verifier, bearerOf('shop', { role: 'SERVICE' })), 'SERVICE shop');
  assert.is(await told(verifier, `bearer ${tokenOf('ada')}`), 'USER ada');
});

test('whoever says nothing, or no token, is nobody', async () => {
  const verifier = verifierOf();
  for (const nothing of [undefined, '']) assert.is(await told(verifier, nothing), 'TOKEN_MISSING');
  for (const odd of ['ada', 'Basic YWRhOmFkYQ==', 'Bearer', 'Bearer a.b', `Bearer ${tokenOf('ada')} more`]) {
    assert.is(await told(verifier, odd), 'TOKEN_INVALID FORM', odd);
  }
  assert.is(await told(verifier, `Bearer ${part({ alg: 'EdDSA' })}.${'x'.repeat(100_000)}.x`), 'TOKEN_INVALID FORM');
});

test('a token of another issuer or audience, without an end or past it, is not believed', async () => {
  const verifier = verifierOf();
  const of = (more: object) => {
    const options = { issuer, audience, privateKey: secretKey, ...more };
    const other = createTokenIssuer(options);
    const path = join(directory, 'others.json');
    writeFileSync(path, JSON.stringify(other.keySet));
    return told(verifierOf({ keys: path }), `Bearer ${other.tokenOf('ada')}`);
  };
  assert.is(await of({}), 'USER ada');
  assert.is(await of({ issuer: 'https://other.test' }), 'TOKEN_INVALID ISSUER');
  assert.is(await of({ audience: 'shop' }), 'TOKEN_INVALID AUDIENCE');
  assert.is(await told(verifier, bearerOf('ada', { seconds: -60 })), 'TOKEN_EXPIRED');
});

test('a token that is not signed, or with a secret, is not believed whatever it says', async () => {
  const verifier = verifierOf();
  const [head = '', body = '', signature = ''] = tokenOf('ada').split('.');
  const { kid } = JSON.parse(Buffer.from(head, 'base64url').toString());
  const none = part({ alg: 'none', kid });
  assert.is(await told(verifier, `Bearer ${none}.${part(claims)}.`), 'TOKEN_INVALID FORM');
  assert.is(await told(verifier, `Bearer ${none}.${part(claims)}.${signature}`), 'TOKEN_INVALID ALGORITHM');
  // The public key is known to everybody: as the secret of an HMAC it would sign for everybody.
  const signed = `${part({ alg: 'HS256', kid })}.${part(claims)}`;
  const mac = createHmac('sha256', JSON.stringify(JSON.parse(Buffer.from(head, 'base64url').toString())));
  const forged = `${signed}.${mac.update(signed).digest('base64url')}`;
  assert.is(await told(verifier, `Bearer ${forged}`), 'TOKEN_INVALID ALGORITHM');
  assert.is(
    await told(verifier, `Bearer ${head}.${part({ ...claims, sub: 'eve' })}.${signature}`),
    'TOKEN_INVALID SIGNATURE',
  );
  assert.is(await told(verifier, `Bearer ${head}.${body}.${'A'.repeat(86)}`), 'TOKEN_INVALID SIGNATURE');
  assert.is(await told(verifierOf({ algorithms: ['RS256'] }), bearerOf('ada')), 'TOKEN_INVALID ALGORITHM');
});

/** Tokens of a library that has nothing to do with the one that verifies them. */
function independent(privateKey: KeyObject, algorithm: 'ES256' | 'RS256') {
  return (payload: object, options: jsonwebtoken.SignOptions = { expiresIn: 600 }): string => {
    const given = { algorithm, issuer, audience, keyid: algorithm, ...options };
    return `Bearer ${jsonwebtoken.sign(payload, privateKey, given)}`;
  };
}

test('what an independent library issues with ES256 and RS256 is believed, and refused for the same reasons', async () => {
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const path = join(directory, 'independent.json');
  const set = [ec, rsa].map(({ publicKey }, index) => ({
    ...publicKey.export({ format: 'jwk' }),
    kid: index === 0 ? 'ES256' : 'RS256',
  }));
  writeFileSync(path, JSON.stringify({ keys: set }));
  const verifier = verifierOf({ keys: path });
  for (const sign of [independent(ec.privateKey, 'ES256'), independent(rsa.privateKey, 'RS256')]) {
    assert.is(await told(verifier, sign({ sub: 'ada' })), 'USER ada');
    assert.is(await told(verifier, sign({ sub: 'sam', roles: ['author', 'staff'], stores: ['s'] })), 'STAFF sam');
    assert.is(await told(verifier, sign({ sub: 'ada' }, { expiresIn: -60 })), 'TOKEN_EXPIRED');
    assert.is(
      await told(verifier, sign({ sub: 'ada' }, { expiresIn: 600, audience: 'shop' })),
      'TOKEN_INVALID AUDIENCE',
    );
    assert.is(await told(verifier, sign({ sub: 'ada' }, { expiresIn: 600, issuer: 'me' })), 'TOKEN_INVALID ISSUER');
    assert.is(await told(verifier, sign({ sub: 'ada' }, {})), 'TOKEN_INVALID EXPIRY');
    assert.is(await told(verifier, sign({ sub: 'ada' }, { expiresIn: 600, notBefore: 60 })), 'TOKEN_INVALID NOT_YET');
    assert.is(await told(verifier, sign({})), 'TOKEN_INVALID SUBJECT');
    for (const sub of ['', 'a b', 'ä', 'x'.repeat(129)]) {
      assert.is(await told(verifier, sign({ sub })), 'TOKEN_INVALID SUBJECT', sub);
    }
    for (const roles of ['staff', [1], ['staff', 'operator']]) {
      assert.is(await told(verifier, sign({ sub: 'ada', roles })), 'TOKEN_INVALID ROLES');
    }
    assert.is(await told(verifier, sign({ sub: 'sam', roles: ['staff'], stores: 's' })), 'TOKEN_INVALID STORES');
  }
});

test('the public key of RS256 is no secret of HS256', async () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const path = join(directory, 'rsa.json');
  writeFileSync(path, JSON.stringify({ keys: [{ ...rsa.publicKey.export({ format: 'jwk' }), kid: 'one' }] }));
  const signed = `${part({ alg: 'HS256', kid: 'one' })}.${part(claims)}`;
  const pem = rsa.publicKey.export({ format: 'pem', type: 'spki' });
  const forged = `${signed}.${createHmac('sha256', pem).update(signed).digest('base64url')}`;
  assert.is(await told(verifierOf({ keys: path }), `Bearer ${forged}`), 'TOKEN_INVALID ALGORITHM');
});

test('a token that was verified is known at once until it ends, and no longer', async () => {
  let now = Date.now();
  const verifier = verifierOf({ now: () => now });
  const ada = bearerOf('ada', { seconds: 60 });
  const first = verifier.verify(ada);
  assert.is(first instanceof Promise, true);
  assert.is(verifier.verify(ada), first, 'the second waits for the same verification');
  const principal = await first;
  assert.is(verifier.verify(ada), principal);
  now += 70_000;
  assert.is((await rejectionOf(Promise.resolve(verifier.verify(ada)), Fault)).reason, 'TOKEN_EXPIRED');
});

test('so many tokens are remembered as it was told, and the oldest go first', async () => {
  const verifier = verifierOf({ cacheMax: 2 });
  for (const user of ['a', 'b', 'c']) await verifier.verify(bearerOf(user));
  const isKnown = (user: string) => !(verifier.verify(bearerOf(user)) instanceof Promise);
  assert.equal(['c', 'b'].map(isKnown), [true, true]);
  const again = verifier.verify(bearerOf('a'));
  assert.is(again instanceof Promise, true);
  assert.is(((await again) as Principal).userId, 'a');
});

/** An issuer's keys behind a URL, and how often they were read. */
async function keyServer(): Promise<{
  url: string;
  server: Server;
  state: { keys: readonly object[]; reads: number };
}> {
  const state: { keys: readonly object[]; reads: number } = { keys: [], reads: 0 };
  const server = createServer((_, response) => {
    state.reads += 1;
    response.end(JSON.stringify({ keys: state.keys }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json`, server, state };
}

test('keys are replaced without a restart, and tokens of a key that went are not believed any more', async () => {
  const { url, server, state } = await keyServer();
  let now = Date.now();
  const clock = () => now;
  const [old, next] = [1, 2].map(() =>
    createTokenIssuer({ issuer, audience, privateKey: generateKeyPairSync('ed25519').privateKey, now: clock }),
  ) as [ReturnType<typeof createTokenIssuer>, ReturnType<typeof createTokenIssuer>];
  const verifier = verifierOf({ keys: url, now: clock });
  const [byOld, byNext] = [`Bearer ${old.tokenOf('ada')}`, `Bearer ${next.tokenOf('ada')}`];

  state.keys = old.keySet.keys;
  assert.is(await told(verifier, byOld), 'USER ada');
  state.keys = [...old.keySet.keys, ...next.keySet.keys];
  assert.is(await told(verifier, byNext), 'TOKEN_INVALID KEY', 'keys were read a moment ago');
  now += 2_500;
  assert.is(await told(verifier, byNext), 'USER ada');
  assert.is(state.reads, 2);
  assert.is(verifier.verify(byOld) instanceof Promise, false, 'what is still good stays known');

  state.keys = next.keySet.keys;
  now += 400_000;
  await verifier.verify(byNext);
  now += 2_500;
  assert.is(await told(verifier, bearerOf('eve')), 'TOKEN_INVALID KEY');
  assert.is(await told(verifier, byOld), 'TOKEN_INVALID KEY');
  assert.is(await told(verifier, byNext), 'USER ada');
  await new Promise((resolve) => server.close(resolve));
});

test('whoever invents keys does not have them read for each token, and while there are none nothing is decided', async () => {
  const { url, server, state } = await keyServer();
  state.keys = createTokenIssuer({ issuer, audience, privateKey: secretKey }).keySet.keys;
  const now = Date.now();
  const verifier = verifierOf({ keys: url, now: () => now });
  for (let index = 0; index < 50; index += 1) await told(verifier, bearerOf(`eve-${index}`));
  assert.is(state.reads, 1);
  await new Promise((resolve) => server.close(resolve));

  const troubles: unknown[] = [];
  const lost = verifierOf({ keys: join(directory, 'absent.json'), onTrouble: (error) => troubles.push(error) });
  assert.is(await told(lost, bearerOf('ada')), 'UNAVAILABLE');
  assert.is(await told(lost, bearerOf('ada')), 'UNAVAILABLE');
  assert.is(troubles.length, 1);
});

/** Has the runtime's check of signatures wait for `gate`, and counts: so many were begun, and at most so many at once. */
function watchedChecks(gate: Promise<unknown> = Promise.resolve()) {
  const { subtle } = globalThis.crypto;
  const seen = { begun: 0, atWork: 0, most: 0, restore: () => Reflect.deleteProperty(subtle, 'verify') };
  const verify = subtle.verify.bind(subtle);
  Object.defineProperty(subtle, 'verify', {
    configurable: true,
    value: async (...given: Parameters<typeof verify>) => {
      seen.begun += 1;
      seen.atWork += 1;
      seen.most = Math.max(seen.most, seen.atWork);
      await gate;
      return verify(...given).finally(() => {
        seen.atWork -= 1;
      });
    },
  });
  return seen;
}

test('what names no key that is known, or another algorithm, is refused before any signature is looked at', async () => {
  const verifier = verifierOf();
  await verifier.verify(bearerOf('ada'));
  const [head = '', body, signature] = tokenOf('ada').split('.');
  const { kid } = JSON.parse(Buffer.from(head, 'base64url').toString());
  const checks = watchedChecks();
  try {
    for (const [odd, problem] of [
      [{ alg: 'EdDSA', kid: 'invented' }, 'KEY'],
      [{ alg: 'PS256', kid }, 'ALGORITHM'],
      [{ alg: 'ES256', kid }, 'KEY'],
      [{ kid }, 'FORM'],
      [{ alg: 'EdDSA', kid, crit: ['exp'] }, 'FORM'],
    ] as const) {
      assert.is(await told(verifier, `Bearer ${part(odd)}.${body}.${signature}`), `TOKEN_INVALID ${problem}`);
    }
    assert.is(checks.begun, 0);
    assert.is(
      await told(verifier, `Bearer ${head}.${part({ ...claims, sub: 'eve' })}.${signature}`),
      'TOKEN_INVALID SIGNATURE',
    );
    assert.is(checks.begun, 1);
  } finally {
    checks.restore();
  }
});

test('of a flood of tokens sixteen are checked at once, the rest wait, and beyond ten thousand it is BUSY', async () => {
  const verifier = verifierOf();
  const [head, body] = tokenOf('ada').split('.');
  await verifier.verify(bearerOf('ada'));
  let open = (): void => undefined;
  const checks = watchedChecks(
    new Promise<void>((resolve) => {
      open = resolve;
    }),
  );
  try {
    const invented = (n: number) =>
      told(verifier, `Bearer ${head}.${body}.${Buffer.from(`${n}`.padStart(64)).toString('base64url')}`);
    const flood = Promise.all(Array.from({ length: 10_100 }, (_, n) => invented(n)));
    await until(() => checks.begun === 16);
    // Whoever is known is not in that line.
    assert.is(await told(verifier, bearerOf('ada')), 'USER ada');
    open();
    const said = await flood;
    const busy = said.filter((one) => one === 'BUSY').length;
    assert.ok(busy >= 84, `${busy}`);
    assert.is(said.filter((one) => one === 'TOKEN_INVALID SIGNATURE').length, 10_100 - busy);
    assert.is(checks.most, 16);
  } finally {
    checks.restore();
  }
});

test.run();
