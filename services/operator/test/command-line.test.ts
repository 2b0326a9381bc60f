import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLocalIssuer } from '#libs/mesh/local-issuer.js';
import { writeMeshFile } from '#libs/mesh/mesh-file.js';
import { assert, suite } from '#libs/testing/suite.js';
import { holdfast, type Surroundings } from './command-line.js';

const test = suite('holdfast');

/** A mesh issues tokens. */
function openIdentity(directory: string): string {
  const identity = join(directory, 'identity');
  openLocalIssuer(identity);
  return identity;
}

const show = (around: Surroundings, ...more: string[]) =>
  holdfast(['limits', 'show', '--store', 'kiln', ...more], around);

test('the gateway is that of the option, else of the environment, else of the mesh that runs here, else the standard one', async () => {
  const meshDirectory = mkdtempSync(join(tmpdir(), 'holdfast-cli-'));
  try {
    const gateway = '127.0.0.1:3';
    writeMeshFile(meshDirectory, {
      http: '',
      gateway,
      identity: openIdentity(meshDirectory),
      services: {},
      infra: { postgres: { url: '' } },
    });
    const env = { HOLDFAST_GATEWAY: '127.0.0.1:2' };
    assert.match((await show({ env, meshDirectory }, '--gateway', '127.0.0.1:1')).err, '127.0.0.1:1 (--gateway)');
    assert.match((await show({ env, meshDirectory })).err, '127.0.0.1:2 (HOLDFAST_GATEWAY)');
    assert.match((await show({ meshDirectory })).err, '127.0.0.1:3 (the mesh that runs');
  } finally {
    rmSync(meshDirectory, { recursive: true });
  }
});

test('an address that is none is refused with its text', async () => {
  const { code, err } = await show({ env: { HOLDFAST_GATEWAY: 'localhost' } });
  assert.is(code, 2);
  assert.match(err, /HOLDFAST_GATEWAY "localhost": give host:port/);
});

test('help is an answer, a group alone is not a command', async () => {
  const help = await holdfast(['limits', 'set', '--help']);
  assert.is(help.code, 0);
  assert.match(help.out, /Examples:/);
  const { out } = await holdfast(['--help']);
  assert.match(out, /Exit codes: 0/);
  assert.match(out, /in the clone of Holdfast: npx --no-install holdfast …, or npm run holdfast --/);
  assert.is((await holdfast(['limits'])).code, 2);
  assert.is((await holdfast([])).code, 2);
  const unknown = await holdfast(['limit']);
  assert.is(unknown.code, 2);
  assert.match(unknown.err, /unknown command 'limit'/);
});

test.run();
