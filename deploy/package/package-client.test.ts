import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { heldOrder, type StandInGateway, startStandInGateway } from '#libs/client/stand-in-gateway.js';
import { fixtureFolder } from '#libs/testing/fixture.js';
import { assert, suite } from '#libs/testing/suite.js';
import { packageClient } from './package-client.js';

const test = suite('package of the client');
const root = fileURLToPath(new URL('../../../', import.meta.url));
const elsewhere = fixtureFolder();
const installed = join(elsewhere.path, 'node_modules', '@holdfast', 'client');
let gateway: StandInGateway;

test.before(async () => {
  gateway = await startStandInGateway();
  packageClient(installed);
  // As npm would install them beside it.
  for (const name of Object.keys(manifest().dependencies)) {
    const [scope = '', rest] = name.split('/');
    if (rest !== undefined) mkdirSync(join(elsewhere.path, 'node_modules', scope), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), join(elsewhere.path, 'node_modules', name));
  }
  elsewhere.add('package.json', '{ "type": "module" }');
});
test.after(async () => {
  await gateway.close();
  elsewhere.remove();
});

function manifest(): { name: string; dependencies: Record<string, string> } {
  return JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
}

test('it needs gRPC and the wire format, in the versions of this tree, and nothing of a server', () => {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const names = ['@bufbuild/protobuf', '@grpc/grpc-js'];
  assert.equal(manifest().dependencies, Object.fromEntries(names.map((name) => [name, dependencies[name]])));
});

test('a program of another tree books with it', async () => {
  gateway.says({ $case: 'held', value: { order: heldOrder } });
  const program = elsewhere.add(
    'book.js',
    `import { connectHoldfast } from '@holdfast/client';
     const client = connectHoldfast(process.argv[2], { token: 'mine' });
     const outcome = await client.reserve({ storeId: 'kiln', lines: [{ skuId: 'mug', quantity: 1 }] });
     console.log(outcome.kind, outcome.order.orderId);
     client.close();`,
  );
  const child = spawn(process.execPath, [program, gateway.address], { stdio: ['ignore', 'pipe', 'inherit'] });
  assert.is(await text(child.stdout), `HELD ${heldOrder.orderId}\n`);
});

test('its types are known there, and wrong use is noticed', () => {
  const right = `import { connectHoldfast, type ReserveOutcome } from '@holdfast/client';
    const outcome: ReserveOutcome = await connectHoldfast('a:1').forUser('ada').reserve({ storeId: 'kiln', lines: [] });
    export const said: string = outcome.kind === 'REFUSED' ? outcome.reason : outcome.requestId;`;
  assert.is(complaintsAbout(right), '');
  assert.match(complaintsAbout(right.replace('storeId:', 'store:')), 'storeId');
});

function complaintsAbout(program: string): string {
  const file = elsewhere.add('typed.ts', program);
  const tsc = join(root, 'node_modules', '.bin', 'tsc');
  const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules', '@types')];
  const options = [
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--ignoreConfig',
    '--module',
    'nodenext',
    '--target',
    'es2023',
  ];
  return spawnSync(tsc, [...options, ...types, file], { cwd: elsewhere.path, encoding: 'utf8' }).stdout;
}

test.run();
