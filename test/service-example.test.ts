import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { fixtureFolder } from '#libs/testing/fixture.js';
import { assert, suite } from '#libs/testing/suite.js';
import { testIdentity, tokenOf } from '#libs/testing/test-issuer.js';
import { until } from '#libs/testing/until.js';
import { startTestMesh, type TestMesh } from './test-mesh.js';

const test = suite("another team's service");
const program = fileURLToPath(new URL('../examples/service.js', import.meta.url));
const files = fixtureFolder();
let mesh: TestMesh;
let service: ChildProcess;
let base: string;

test.before(async () => {
  mesh = await startTestMesh({ gatewayEnv: testIdentity() });
  const token = files.add('token', `${tokenOf('front-desk', { role: 'SERVICE' })}\n`);
  const options = ['--gateway', mesh.gatewayAddresses.join(), '--token-file', token, '--port', '0'];
  service = spawn(process.execPath, [program, ...options], { stdio: ['ignore', 'pipe', 'inherit'] });
  const said: string[] = [];
  service.stdout?.setEncoding('utf8').on('data', (chunk: string) => said.push(chunk));
  const port = await until(() => /port: (\d+)/.exec(said.join(''))?.[1]);
  base = `http://127.0.0.1:${port}`;
});
test.after(async () => {
  service.kill('SIGKILL');
  await once(service, 'exit');
  files.remove();
  const violations = await mesh.ledger.violations();
  await mesh.close();
  assert.equal(violations, []);
});

interface Answer {
  status: number;
  body: Record<string, unknown>;
}

async function put(id: string, wish: object | string): Promise<Answer> {
  const body = typeof wish === 'string' ? wish : JSON.stringify(wish);
  const response = await fetch(`${base}/wishes/${id}`, { method: 'PUT', body });
  return { status: response.status, body: (await response.json()) as Answer['body'] };
}

test('the command of an example has a help, which it shows where an option is wrong', async () => {
  const command = fileURLToPath(new URL('../../deploy/service.mjs', import.meta.url));
  const run = async (option: string) => {
    const child = spawn(process.execPath, [command, option], { stdio: ['ignore', 'pipe', 'pipe'] });
    const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
    return { code, out, err };
  };
  const help = await run('--help');
  assert.equal([help.code, help.err], [0, '']);
  assert.match(help.out, 'npm run service -- --gateway');
  assert.equal(await run('--nope'), { code: 2, out: '', err: `Unknown option '--nope'\n\n${help.out}` });
});

test('a wish is booked for its person, once however often it is sent', async () => {
  const { skuId } = await mesh.ledger.sku({ capacity: 2 });
  const id = randomUUID();
  const wish = { person: 'ada', store: 'store-1', sku: skuId, quantity: 1 };
  const answers = await Promise.all(Array.from({ length: 5 }, () => put(id, wish)));
  assert.equal([...new Set(answers.map(({ status, body }) => `${status} ${body.state}`))], ['200 HELD']);
  assert.is(new Set(answers.map(({ body }) => body.order)).size, 1);
  const [row] = await mesh.ledger.sql<{ orders: string; user_id: string }>(
    'SELECT count(*) AS orders, min(user_id) AS user_id FROM ledger.orders WHERE order_id = $1',
    [answers[0]?.body.order],
  );
  assert.equal([Number(row?.orders), row?.user_id], [1, 'ada']);
});

test('a no is told with its reason, and what is wrong with a wish', async () => {
  const { skuId } = await mesh.ledger.sku({ capacity: 1 });
  const wish = { person: 'ben', store: 'store-1', sku: skuId, quantity: 1 };
  assert.is((await put(randomUUID(), wish)).status, 200);
  assert.equal(await put(randomUUID(), { ...wish, person: 'cleo' }), { status: 409, body: { sorry: 'ALL_HELD' } });
  const wrong = await put(randomUUID(), { ...wish, quantity: -1 });
  assert.equal([wrong.status, wrong.body.sorry], [422, 'INVALID_REQUEST']);
  assert.is((await put(randomUUID(), { ...wish, sku: 'no-such-sku' })).body.sorry, 'SKU_NOT_FOUND');
});

test('a body that is no wish is 400, in plain words', async () => {
  for (const body of ['{', 'null', '"x"', '']) {
    const { status, body: said } = await put(randomUUID(), body);
    assert.equal([status, said.sorry], [400, 'a wish is JSON: person, store, sku, quantity'], body);
  }
});

test.run();
