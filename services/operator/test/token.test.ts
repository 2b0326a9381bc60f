import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CallContext } from '#libs/rpc/call-context.js';
import { assert, suite } from '#libs/testing/suite.js';
import { holdfast } from './command-line.js';
import { type FakeGateway, startFakeGateway } from './fake-gateway.js';
import { authorize } from './mesh-here.js';
import { mug, mugUnits } from './samples.js';

const test = suite('tokens of operators');
let gateway: FakeGateway;

test.before(async () => {
  gateway = await startFakeGateway();
});
test.before.each(() => {
  gateway.asked = [];
  gateway.script = { getSku: { sku: mug, availability: mugUnits } };
});
test.after(() => gateway.close());

/** Whom the mesh on this machine takes the holder of a token for, and for how many minutes. */
async function holderOf(...args: string[]): Promise<object> {
  const { code, out, err } = await holdfast(['token', ...args]);
  assert.equal([code, err], [0, '']);
  const call = { metadata: () => `Bearer ${out.trim()}` } as unknown as CallContext;
  const { endsAtMs = Number.NaN, ...holder } = (await authorize(call, '')) ?? {};
  return { ...holder, minutes: Math.round((endsAtMs - Date.now()) / 60_000) };
}

test('token prints one for whoever is named, in the role that is named, and nothing else', async () => {
  assert.equal(await holderOf('ada'), { userId: 'ada', role: 'USER', stores: [], minutes: 480 });
  assert.equal(await holderOf('sam', '--staff', 'kiln', 'aurora'), {
    userId: 'sam',
    role: 'STAFF',
    stores: ['kiln', 'aurora'],
    minutes: 480,
  });
  assert.equal(await holderOf('olga', '--operator', '--for', '30m'), {
    userId: 'olga',
    role: 'OPERATOR',
    stores: [],
    minutes: 30,
  });
  assert.equal(await holderOf('shop', '--service'), { userId: 'shop', role: 'SERVICE', stores: [], minutes: 480 });
  const { out } = await holdfast(['token', 'ada', '--json']);
  assert.equal(Object.keys(JSON.parse(out)), ['token']);
});

test('token names everything that is wrong at once, and says when no mesh runs here', async () => {
  const { code, err } = await holdfast(['token', 'a b', '--staff', 'c d', '--operator', '--for', 'ever']);
  assert.is(code, 2);
  for (const problem of ['USER "a b"', '--staff "c d"', 'give one of them', '--for "ever"']) assert.match(err, problem);
  assert.match((await holdfast(['token', 'ada', '--for', '366d'])).err, '--for "366d": give a duration such as');
  assert.match((await holdfast(['token', 'ada'], { meshDirectory: '/nowhere' })).err, /no mesh runs on this machine/);
});

test('a token from elsewhere goes before one that is issued here, the file before the environment', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-token-'));
  const tokenOf = async (user: string) => (await holdfast(['token', user, '--operator'])).out.trim();
  const path = join(directory, 'token');
  writeFileSync(path, `${await tokenOf('frida')}\n`);
  const env = { HOLDFAST_TOKEN: await tokenOf('edda') };
  const show = ['sku', 'show', 'kiln-mug', '--gateway', gateway.address];
  await holdfast([...show, '--token-file', path], { env });
  await holdfast(show, { env });
  await holdfast(show);
  assert.equal([...new Set(gateway.asked.map(({ user }) => user))], ['frida', 'edda', 'anna']);
  const absent = await holdfast([...show, '--token-file', '/nowhere/token']);
  assert.is(absent.code, 2);
  assert.match(absent.err, '--token-file "/nowhere/token"');
  rmSync(directory, { recursive: true });
});

test.run();
