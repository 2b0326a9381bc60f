import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { type LimitsFile, writeLimitsFile } from '#libs/mesh/limits-file.js';
import { assert, suite } from '#libs/testing/suite.js';
import { Screen } from '../src/adapters/screen.js';
import { Session } from '../src/adapters/session.js';
import { skuColumns } from '../src/domain/sku-columns.js';
import { programOf } from '../src/program.js';
import { holdfast } from './command-line.js';
import { everyAnswer, sampleCommands } from './commands.js';
import { type FakeGateway, startFakeGateway } from './fake-gateway.js';

const test = suite('every command');
let gateway: FakeGateway;
let limitsFile: string;
let directory: string;

test.before(async () => {
  gateway = await startFakeGateway();
  directory = mkdtempSync(join(tmpdir(), 'holdfast-commands-'));
  limitsFile = join(directory, 'limits.json');
  writeLimitsFile(limitsFile, noLimits);
});
test.before.each(() => {
  gateway.asked = [];
  gateway.script = { ...everyAnswer };
});
test.after(async () => {
  rmSync(directory, { recursive: true });
  await gateway.close();
});

const noLimits: LimitsFile = {
  version: 1,
  measured: { at: '', cores: 1, cpu: '', node: '', ledger_per_second: 1, consumer_per_second: 1, path_per_second: 1 },
  predicted: { per_second: 1, p99_ms: 1 },
  services: {},
  limits: [],
};

/** Those that do something: `switch set`, and a group with a doing of its own. */
function commandNames(): string[] {
  const sink = { write: () => undefined };
  const session = new Session(new Screen({ stdout: sink, stderr: sink, env: {} }), {
    env: {},
    meshDirectory: '/nowhere',
    loginName: undefined,
    watchEveryMs: 1,
    interrupted: () => AbortSignal.abort(),
  });
  const namesUnder = (command: Command, path: string): string[] =>
    command.commands.flatMap((inner) => {
      const name = `${path} ${inner.name()}`.trim();
      const own = inner.commands.length === 0 || inner.options.length > 0 ? [name] : [];
      return [...own, ...namesUnder(inner, name)];
    });
  // It asks no gateway: tested beside.
  return namesUnder(programOf(session), '').filter((name) => name !== 'token');
}

const argsOf = (name: string): string[] => {
  const good = [...(sampleCommands[name]?.good ?? [])];
  return [...name.split(' '), ...(name === 'limits apply' ? [limitsFile] : good)];
};
const run = (args: readonly string[]) => holdfast(['--gateway', gateway.address, ...args]);

test('is among the samples below', () => {
  assert.equal(commandNames().sort(), Object.keys(sampleCommands).sort());
});

test('has an example in its help that begins with its name', async () => {
  for (const name of commandNames()) {
    const { code, out } = await run([...name.split(' '), '--help']);
    assert.is(code, 0);
    assert.match(out, new RegExp(`^Examples?:\n(.*\n)*.*holdfast ${name}( |$)`, 'm'), name);
  }
});

test('prints one document with --json, which names the gateway', async () => {
  for (const name of commandNames()) {
    const { code, out, err } = await run([...argsOf(name), '--json']);
    assert.equal([code, err], [0, ''], `${name}: ${err}`);
    assert.is(JSON.parse(out).gateway, gateway.address, name);
    assert.is(out.trimEnd().split('\n').length, 1, name);
  }
});

test('prints a text for people without it, and no colours where there is no terminal', async () => {
  for (const name of commandNames()) {
    const { code, out } = await run(argsOf(name));
    assert.is(code, 0, name);
    assert.ok(out.startsWith(`gateway ${gateway.address} (--gateway)\n`), name);
    assert.not.match(out, '\u001b[', name);
    assert.not.match(out, /undefined|NaN|\[object/, name);
  }
});

test('names everything that is wrong with it at once, with what to read, and asks nothing', async () => {
  for (const [name, { bad }] of Object.entries(sampleCommands)) {
    if (bad === undefined) continue;
    const { code, out, err } = await run([...name.split(' '), ...bad.args]);
    assert.equal([code, out], [2, ''], `${name}: ${err}`);
    for (const problem of bad.problems) assert.ok(err.includes(problem), `${name}: ${problem} in ${err}`);
    assert.is(err.trimEnd().split('\n').length, bad.problems.length + 1, `${name}: ${err}`);
    const told = JSON.parse((await run([...name.split(' '), ...bad.args, '--json'])).err);
    assert.equal([told.error.exit_code, told.error.problems.length], [2, bad.problems.length], name);
    assert.equal(gateway.asked, [], name);
  }
});

test('tells a gateway that is away from one that answers', async () => {
  for (const name of commandNames().filter((each) => each !== 'limits apply')) {
    const { code, err } = await holdfast([...argsOf(name), '--gateway', '127.0.0.1:1', '--json']);
    assert.is(code, 3, `${name}: ${err}`);
  }
});

test('speaks in the role of an operator, with a name', async () => {
  for (const name of commandNames()) await run(argsOf(name));
  assert.ok(gateway.asked.length > 10);
  for (const { method, role, user } of gateway.asked) assert.equal([role, user], ['OPERATOR', 'anna'], method);
});

test('stands in the README with an example', () => {
  const readme = readFileSync('services/operator/README.md', 'utf8');
  for (const name of commandNames()) assert.ok(readme.includes(`holdfast ${name}`), name);
});

test('the page on importing skus names every column, and the example imports', async () => {
  const page = readFileSync('docs/sku-import.md', 'utf8');
  for (const { name } of skuColumns) assert.match(page, new RegExp(`^\\| \`${name}\` +\\|`, 'm'), name);
  const { code, out } = await run(['sku', 'import', 'examples/skus.csv', '--json']);
  assert.equal([code, JSON.parse(out).created], [0, 3]);
});

test.run();
