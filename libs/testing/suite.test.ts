import { spawnSync } from 'node:child_process';
import { isAlive } from '#libs/servers/process-table.js';
import { fixtureFolder } from './fixture.js';
import { type FileResult, runTestFile } from './run-test-file.js';
import { assert, suite } from './suite.js';
import { until } from './until.js';

const test = suite('suite');
const fixtures = fixtureFolder();
test.after(() => fixtures.remove());

const good = "test('good', () => {});";
const falseGreens = [
  {
    what: 'a before that throws',
    body: `test.before(() => { throw new Error('no server'); }); ${good} test.run();`,
    failed: 1,
    says: 'before of fixture: no server',
  },
  { what: 'a forgotten run()', body: good, failed: 1, says: '1 of 1 tests never started' },
  {
    what: 'a leftover .only',
    body: `${good} test.only('alone', () => {}); test('bad', () => { throw new Error('unseen'); }); test.run();`,
    failed: 2,
    says: 'a leftover .only hid 2 of 3 tests',
  },
  {
    what: 'an after.each that throws',
    body: `test.after.each(() => { throw new Error('left open'); }); ${good} test('second', () => {}); test.run();`,
    failed: 2,
    says: 'after each: left open',
  },
  {
    what: 'a test that throws what is no error',
    body: `test('odd', () => { throw undefined; }); ${good} test.run();`,
    failed: 1,
    says: 'thrown: undefined',
  },
];

for (const { what, body, failed, says } of falseGreens) {
  test(`${what} is green in uvu and red here`, async () => {
    const plain = fixtures.add('plain.mjs', `import { suite } from 'uvu'; const test = suite('fixture'); ${body}`);
    assert.is(spawnSync(process.execPath, [plain]).status, 0);
    const result = await runBody(body);
    assert.is(result.failed, failed);
    assert.match(`${result.problems.join('\n')}${result.output}`, says);
  });
}

test('a good file is green, with its skipped tests counted', async () => {
  const result = await runBody(`${good} test.skip('later', () => {}); test.run();`);
  assert.equal([result.passed, result.failed, result.skipped, result.problems], [1, 0, 1, []]);
});

test('an after that throws is red, though every test passed', async () => {
  const result = await runBody(`test.after(() => { throw new Error('still running'); }); ${good} test.run();`);
  assert.equal([result.passed, result.failed, result.problems], [1, 1, ['after of fixture: still running']]);
});

test('the last hooks run after a failure, and both failures are told', async () => {
  const result = await runBody(`
    test.after.each(() => { throw new Error('second trouble'); });
    test('bad', () => { throw new Error('first trouble'); });
    test.run();`);
  assert.is(result.failed, 1);
  assert.match(result.output, /first trouble.*and then.*second trouble/s);
});

test('each test runs between its hooks, in order', async () => {
  const result = await runBody(`
    const seen = [];
    test.before(() => seen.push('before'));
    test.before.each(() => seen.push('each'));
    test.after.each(() => seen.push('cleared'));
    test('one', () => seen.push('one'));
    test('two', () => { if (seen.join() !== 'before,each,one,cleared,each') throw new Error(seen.join()); });
    test.run();`);
  assert.is(result.failed, 0, result.output);
});

test('a process that leaves in the middle is red and the test is named', async () => {
  const result = await runBody(`${good} test('leaves', () => process.exit(0)); test('third', () => {}); test.run();`);
  assert.equal([result.passed, result.failed], [1, 2]);
  assert.match(result.problems.join('\n'), 'ended in the middle of "leaves"');
});

test('a promise that nobody waits for is red when it rejects', async () => {
  const result = await runBody(`
    test('hasty', () => { Promise.reject(new Error('unheard')); });
    test('waits', () => new Promise((resolve) => setTimeout(resolve, 1000)));
    test.run();`);
  assert.ok(result.failed > 0);
  assert.match(result.output, 'unheard');
});

test('a file that takes too long is killed with all it started, and the test is named', async () => {
  const result = await runBody(
    `import { spawn } from 'node:child_process';
    test('hangs', () => new Promise(() => { console.log(spawn('sleep', ['60']).pid); setInterval(() => {}, 1000); }));
    test.run();`,
    2_000,
  );
  assert.is(result.failed, 1);
  assert.equal(result.problems, ['ended in the middle of "hangs"', 'timed out after 2 s']);
  const sleeper = Number(/\d+$/m.exec(result.output)?.[0]);
  assert.ok(sleeper > 0);
  await until(() => !isAlive(sleeper));
});

function runBody(body: string, timeoutMs = 20_000): Promise<FileResult> {
  const header = "import { suite } from '#libs/testing/suite.js'; const test = suite('fixture');";
  const file = fixtures.add('ours.mjs', `${header} ${body}`);
  return runTestFile(file, { env: process.env, timeoutMs, signal: new AbortController().signal });
}

test.run();
