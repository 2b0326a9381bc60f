import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { assert, suite } from '#libs/testing/suite.js';
import { type SourceFile, sourceTree } from './source-tree.js';
import { tidyRules } from './tidy-rules.js';

const test = suite('tidy');
const tree = sourceTree();

// For each rule the smallest tree that breaks it, and one beside it that does not: [path, text].
type Sample = [path: string, text: string];
const samples: Record<string, { bad: Sample[]; good: Sample[] }> = {
  'every suite of a test file is run': {
    bad: [['libs/a/a.test.ts', "const test = suite('a');\ntest('x', () => {});\n"]],
    good: [['libs/a/a.test.ts', "const test = suite('a');\ntest.run();\n"]],
  },
  'no test is run alone': {
    bad: [['libs/a/a.test.ts', "test.only('x', () => {});"]],
    good: [['libs/a/a.test.ts', "test('x', () => {});"]],
  },
  'tests use uvu through its guard': {
    bad: [['libs/a/a.test.ts', "import { suite } from 'uvu';"]],
    good: [['libs/testing/suite.ts', "import { suite } from 'uvu';"]],
  },
  'tests wait for facts, not for time': {
    bad: [['libs/a/a.test.ts', 'await new Promise((resolve) => setTimeout(resolve, 100));']],
    good: [['libs/a/a.test.ts', 'await until(() => done);']],
  },
  'files are at most 320 lines long': {
    bad: [['libs/a/a.ts', 'x;\n'.repeat(321)]],
    good: [['libs/a/a.ts', 'x;\n'.repeat(320)]],
  },
  'functions are at most 60 lines long': {
    bad: [['libs/a/a.ts', `class A {\n  async run(): Promise<void> {\n${'    x;\n'.repeat(59)}  }\n}\n`]],
    good: [['libs/a/a.ts', `if (a) {\n${'  x;\n'.repeat(70)}}\nfunction f() {\n${'  x;\n'.repeat(58)}}\n`]],
  },
  'nothing is named for being left over': {
    bad: [['libs/a/utils.ts', '']],
    good: [['libs/a/utilisation.ts', '']],
  },
  'code is in kebab-case files, SQL and Lua in snake_case ones': {
    bad: [['libs/a/placeHolds.ts', '']],
    good: [
      ['libs/a/place-holds.ts', ''],
      ['libs/a/sql/orders_read.sql', ''],
    ],
  },
  'nothing waits to be finished': {
    bad: [['README.md', `Sells. ${'TO'}DO: more.`]],
    good: [['README.md', 'Sells.']],
  },
  'no law of the compiler or the linter is switched off in the code': {
    bad: [['libs/a/a.ts', '// biome-ignore lint/suspicious/noExplicitAny: later']],
    good: [['libs/a/a.ts', '// biome-ignore lint/suspicious/noControlCharactersInRegex: they are looked for']],
  },
  'the environment is read where a process starts and nowhere else': {
    bad: [['services/order/src/config.ts', 'const url = process.env.REDIS_URL;']],
    good: [['services/order/src/main.ts', 'await runService(process.env);']],
  },
  'a service imports itself, libs and packages, never another service': {
    bad: [['services/order/src/a.ts', "import { b } from '../../inventory/src/b.js';"]],
    good: [['services/order/src/a.ts', "import {\n  b,\n} from './b.js';\nimport { c } from '#libs/c/c.js';"]],
  },
  'libs import libs, never services, tests or tools': {
    bad: [['libs/a/a.ts', "const { b } = await import('../../services/order/src/b.js');"]],
    good: [['libs/a/a.ts', "export { b } from '../b/b.js';"]],
  },
  'a domain imports nothing but itself and the words of refusal': {
    bad: [['services/order/src/domain/a.ts', "import { readFileSync } from 'node:fs';"]],
    good: [['services/order/src/domain/a.ts', "import type { Refusal } from '#libs/refusal/refusal.js';"]],
  },
  'an app knows no adapters': {
    bad: [['services/order/src/app/a.ts', "import { grpc } from '../adapters/grpc.js';"]],
    good: [['services/order/src/app/a.ts', "import { rule } from '../domain/rule.js';"]],
  },
  'SQL and Lua files open with what they are for': {
    bad: [['libs/a/lua/a_b.lua', 'return 1']],
    good: [['libs/a/lua/a_b.lua', '-- Answers 1.\nreturn 1']],
  },
  'every SQL and Lua file is used by the code that bears its name': {
    bad: [['libs/a/sql/orders_read.sql', '-- Reads orders_read.']],
    good: [
      ['libs/a/sql/orders_read.sql', ''],
      ['libs/a/a.ts', "sqlFile(new URL('sql/orders_read.sql', import.meta.url))"],
    ],
  },
  'SQL is in files, not in strings': {
    bad: [['libs/ledger/a.ts', "pool.query('SELECT 1')"]],
    good: [['libs/ledger/a.test.ts', "pool.query('SELECT 1')"]],
  },
  'inside a transaction nothing is awaited but the transaction and the ledger': {
    bad: [['libs/a/a.ts', 'pool.transaction(async (tx) => {\n  await tx.query(a);\n  await fetch(url);\n});']],
    good: [
      ['libs/a/a.ts', 'pool.transaction(async (tx) => {\n  await tx.query(a);\n  await add(tx, b);\n});\nawait c();'],
    ],
  },
  'the lock file names no registry': {
    bad: [['package-lock.json', '      "resolved": "https://registry.example/uvu.tgz",']],
    good: [['package-lock.json', '      "version": "0.5.6",']],
  },
  'nobody is believed for naming themselves in a header': {
    bad: [['services/a/src/a.ts', "call.metadata('x-holdfast-user')"]],
    good: [['services/a/src/a.ts', "call.metadata('authorization')"]],
  },
  'no path of one machine is in the tree': {
    bad: [['README.md', `cd ${'/home'}/ada/holdfast`]],
    good: [['Dockerfile', 'WORKDIR /home/node/app']],
  },
};

for (const rule of tidyRules) {
  test(rule.name, () => {
    assert.is(rule.check(tree).join('\n'), '');
  });
  test(`a breach is noticed: ${rule.name}`, () => {
    const sample = samples[rule.name];
    assert.ok(sample);
    assert.is(rule.check(toFiles(sample.bad)).length, 1);
    assert.equal(rule.check(toFiles(sample.good)), []);
  });
}

test('the linter knows its rules, and follows imports from lib to lib', () => {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-lint-'));
  for (const name of ['biome.json', 'tsconfig.json', 'package.json']) cpSync(join(root, name), join(folder, name));
  writeAll(folder, [
    ['libs/a/a.ts', "import { b } from '#libs/b/b.js';\nexport async function a() {\n  return b();\n}\n"],
    [
      'libs/b/b.ts',
      "import { a } from '#libs/a/a.js';\nexport function b(x?: any) {\n  a();\n  return x!;\n}\nexport default b;\n",
    ],
  ]);
  const biome = join(root, 'node_modules', '.bin', 'biome');
  const { stdout, stderr } = spawnSync(biome, ['lint'], { cwd: folder, encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  const rules = ['noImportCycles', 'noFloatingPromises', 'noExplicitAny', 'noNonNullAssertion', 'noDefaultExport'];
  for (const rule of rules) assert.match(`${stdout}${stderr}`, rule);
});

function toFiles(sample: Sample[]): SourceFile[] {
  return sample.map(([path, text]) => ({ path, text }));
}

function writeAll(folder: string, sample: Sample[]): void {
  for (const [path, text] of sample) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

test.run();
