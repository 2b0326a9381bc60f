import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { type TestLedger, testLedger } from '#libs/ledger/test-ledger.js';
import type { PrivateServer } from '#libs/servers/private-server.js';
import { privateRedis } from '#libs/testing/private-servers.js';
import { assert, suite } from '#libs/testing/suite.js';
import { Screen } from '../services/operator/src/adapters/screen.js';
import { Session } from '../services/operator/src/adapters/session.js';
import { programOf } from '../services/operator/src/program.js';
import { commandsOf, type DocCommand, holdfastCommands, wrongWith } from './doc-commands.js';
import { sourceTree } from './source-tree.js';

const test = suite('docs');
const root = fileURLToPath(new URL('../../', import.meta.url));
const files = sourceTree();
const pages = files.filter(({ path }) => path.endsWith('.md'));
const commands = pages.flatMap(({ path, text }) => commandsOf(path, text));
const runbooks = commands.filter(({ page }) => page.startsWith('docs/runbooks/'));
let ledger: TestLedger;
let redis: PrivateServer;

test.before(async () => {
  [ledger, redis] = await Promise.all([testLedger(), privateRedis()]);
});
test.after(async () => {
  await Promise.all([ledger.drop(), redis.stop()]);
});

test("every operator's command is one that the program has, with its options and arguments", () => {
  const program = programOf(sessionOfNobody());
  const found = holdfastCommands(commands);
  assert.ok(found.length > 50, `${found.length} commands`);
  const wrong = found.flatMap(({ page, words }) => {
    const problem = wrongWith(program, words);
    return problem === undefined ? [] : [`${page}: holdfast ${words.join(' ')}: ${problem}`];
  });
  assert.equal(wrong, []);
});

test('every npm run is a script of the package', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object };
  const missing = commands
    .filter(({ words }) => words[0] === 'npm' && words[1] === 'run')
    .filter(({ words }) => !(String(words[2]) in scripts))
    .map(said);
  assert.equal(missing, []);
});

test('every statement of a runbook is one that the ledger understands', async () => {
  const statements = runbooks.filter(({ words }) => words[0] === 'psql');
  assert.ok(statements.length > 10);
  for (const command of statements) {
    const text = command.words.at(-1) ?? '';
    await ledger.sql(text.replaceAll('$SKU', 'none')).catch((error: Error) => {
      throw new Error(`${said(command)}: ${error.message}`);
    });
  }
});

test('every redis-cli of a runbook is a command of Redis, and what it looks for is in the answer', async () => {
  const client = new Redis(redis.url);
  try {
    for (const [at, command] of runbooks.entries()) {
      if (command.words[0] !== 'redis-cli') continue;
      const [name = '', ...args] = command.words.slice(3);
      const answer = String(await client.call(name, ...args));
      const wanted = runbooks[at + 1]?.words[0] === 'grep' ? (runbooks[at + 1]?.words.at(-1) ?? '') : '';
      // What tells of a master is there for a replica only.
      const missing = wanted.split('|').filter((field) => !answer.includes(field) && field !== 'master_link_status');
      assert.equal(missing, [], said(command));
    }
  } finally {
    client.disconnect();
  }
});

test('every metric of ours on a page is one that the code counts', () => {
  const code = files.filter(({ path }) => /^(libs|services)\/.*(?<!\.test)\.ts$/.test(path)).map(({ text }) => text);
  const counted = new Set(
    code.flatMap((text) => [...text.matchAll(/'([a-z]+(?:_[a-z]+)+)'/g)].map(([, name]) => name)),
  );
  const missing = pages
    .flatMap(({ path, text }) => metricsOf(text).map((name) => ({ path, name })))
    .filter(({ name }) => !counted.has(name) && !counted.has(name.replace(/_(sum|count)$/, '')))
    .map(({ path, name }) => `${path}: holdfast_${name}`);
  assert.equal(missing, []);
});

test('every link of a page leads to a file', () => {
  const dead = pages.flatMap(({ path, text }) =>
    [...text.matchAll(/\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)/g)]
      .map(([, link]) => link ?? '')
      .filter((link) => !existsSync(join(root, dirname(path), link)))
      .map((link) => `${path}: ${link}`),
  );
  assert.equal(dead, []);
});

test('every page under docs is in the list of docs/README.md', () => {
  const index = pages.find(({ path }) => path === 'docs/README.md')?.text ?? '';
  const listed = [...index.matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => posix.join('docs', link ?? ''));
  const missing = pages
    .map(({ path }) => path)
    .filter((path) => path.startsWith('docs/') && path !== 'docs/README.md' && !listed.includes(path));
  assert.equal(missing, []);
});

function said({ page, words }: DocCommand): string {
  return `${page}: ${words.join(' ')}`;
}

/** `holdfast_(limited|reservations)_total` names two. */
function metricsOf(text: string): string[] {
  return [...text.matchAll(/holdfast_(?!runtime)((?:[a-z_]+|\([a-z_|]+\))+)/g)].flatMap(([, pattern]) =>
    expanded(pattern ?? ''),
  );
}

function expanded(pattern: string): string[] {
  const [whole, choices] = /\(([a-z_|]+)\)/.exec(pattern) ?? [];
  if (whole === undefined || choices === undefined) return [pattern.replace(/_$/, '')];
  return choices.split('|').flatMap((choice) => expanded(pattern.replace(whole, choice)));
}

function sessionOfNobody(): Session {
  const nowhere = { write: () => true };
  return new Session(new Screen({ stdout: nowhere, stderr: nowhere, env: {} }), {
    env: {},
    meshDirectory: '',
    loginName: undefined,
    watchEveryMs: 1_000,
    interrupted: () => AbortSignal.abort(),
  });
}

test.run();
