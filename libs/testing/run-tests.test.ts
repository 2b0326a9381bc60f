import { fixtureFolder } from './fixture.js';
import { runTests } from './run-tests.js';
import { assert, suite } from './suite.js';

const test = suite('run-tests');
const header = "import { suite } from '#libs/testing/suite.js'; const test = suite('fixture');";
const good = `${header} test('good', () => {}); test.run();`;
const bad = `${header} test('bad', () => { throw new Error('broken on purpose'); }); test.run();`;

test('says what ran, and ends with the counts', async () => {
  const { ok, printed } = await run({ 'a.test.js': good, 'b.test.js': good });
  assert.ok(ok);
  assert.match(printed, /✔ a\.test +1 passed \(\d+\.\d s\)\n/);
  assert.match(printed, /\n2 passed, 0 failed, 0 skipped\n$/);
});

test('shows a failure in full and is red', async () => {
  const { ok, printed } = await run({ 'a.test.js': good, 'b.test.js': bad });
  assert.not(ok);
  assert.match(printed, /✘ b\.test +0 passed, 1 failed/);
  assert.match(printed, 'broken on purpose');
  assert.match(printed, /\nfailed: b\.test\n1 passed, 1 failed, 0 skipped\n$/);
});

test('is red when nothing ran', async () => {
  const { ok, printed } = await run({});
  assert.not(ok);
  assert.is(printed, 'no test ran\n0 passed, 0 failed, 0 skipped\n');
});

test('is red below the floor, which names lift', async () => {
  const files = { 'a.test.js': good, 'b.test.js': good };
  const all = await run(files, { floor: 3 });
  assert.not(all.ok);
  assert.match(all.printed, 'only 2 tests passed, the floor is 3');
  const named = await run(files, { floor: 3, names: ['b.te'] });
  assert.ok(named.ok);
  assert.match(named.printed, /✔ b\.test[^\n]*\n1 passed, 0 failed, 0 skipped\n$/);
});

test('is red when it was stopped', async () => {
  const { ok, printed } = await run({ 'a.test.js': good }, { signal: AbortSignal.abort() });
  assert.not(ok);
  assert.match(printed, /^stopped before the end\n/);
});

test('starts the slowest of the last run first', async () => {
  const slow = good.replace('() => {}', '() => new Promise((resolve) => setTimeout(resolve, 2000))');
  const folder = makeFolder({ 'a.test.js': good, 'b.test.js': slow });
  await runIn(folder.path);
  const { printed } = await runIn(folder.path);
  folder.remove();
  assert.ok(printed.indexOf('b.test') < printed.indexOf('a.test'));
});

type Settings = Partial<Parameters<typeof runTests>[0]>;

async function run(files: Record<string, string>, settings: Settings = {}): Promise<{ ok: boolean; printed: string }> {
  const folder = makeFolder(files);
  try {
    return await runIn(folder.path, settings);
  } finally {
    folder.remove();
  }
}

async function runIn(folder: string, settings: Settings = {}): Promise<{ ok: boolean; printed: string }> {
  let printed = '';
  const out = {
    isTTY: false,
    write: (text: string | Uint8Array): boolean => {
      printed += text;
      return true;
    },
  };
  const defaults = { names: [], floor: 1, concurrency: 1, timeoutMs: 20_000, env: process.env };
  const ok = await runTests({ folder, ...defaults, signal: new AbortController().signal, out, ...settings });
  return { ok, printed };
}

function makeFolder(files: Record<string, string>): ReturnType<typeof fixtureFolder> {
  const folder = fixtureFolder();
  folder.add('package.json', '{ "type": "module" }');
  for (const [name, text] of Object.entries(files)) folder.add(name, text);
  return folder;
}

test.run();
