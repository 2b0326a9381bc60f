import { type ChildProcess, spawn } from 'node:child_process';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';

const test = suite('run service');

interface Run {
  readonly child: ChildProcess;
  output(): string;
  exitCode(): Promise<number | null>;
}

/** Runs a service of its own process, whose `start` is this code. */
function run(start: string, env: Record<string, string> = {}): Run {
  const libs = (file: string): string => JSON.stringify(new URL(file, import.meta.url).href);
  const code = `
    import { readEnv } from ${libs('./config.js')};
    import { runService } from ${libs('./run-service.js')};
    const readConfig = (env) => readEnv(env, (read) => ({ number: read.integer('NUMBER', { default: 1 }) }));
    setInterval(() => undefined, 1_000);
    await runService('test', readConfig, async (config, life) => { ${start} });
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { env: { ...process.env, ...env } });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output += chunk;
  });
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, output: () => output, exitCode: () => exited };
}

const printCloser = `life.closer('printer', () => console.log('closed'));`;

test('SIGTERM closes what was opened and exits 0', async () => {
  const { child, output, exitCode } = run(printCloser);
  await until(() => output().includes('"ready"'));
  child.kill('SIGTERM');
  assert.is(await exitCode(), 0);
  assert.match(output(), 'closed');
});

test('a process whose log nobody reads any more still ends, also with a fatal line', async () => {
  const { child, output, exitCode } = run(`life.closer('failing', () => { throw new Error('cannot close'); });`);
  await until(() => output().includes('"ready"'));
  child.stdout?.destroy();
  child.kill('SIGTERM');
  assert.is(await exitCode(), 1);

  const failing = run(`setTimeout(() => { throw new Error('nobody caught it'); }, 50);`);
  failing.child.stdout?.destroy();
  assert.is(await failing.exitCode(), 1);
});

test('a second signal exits at once', async () => {
  const { child, output, exitCode } = run(`life.closer('hanging', () => new Promise(() => console.log('hangs')));`);
  await until(() => output().includes('"ready"'));
  child.kill('SIGTERM');
  await until(() => output().includes('hangs'));
  child.kill('SIGTERM');
  assert.is(await exitCode(), 1);
});

test('a start that fails closes what was opened, says why and exits 1', async () => {
  const { output, exitCode } = run(`${printCloser} throw new Error('no database');`);
  assert.is(await exitCode(), 1);
  assert.match(output(), 'no database');
  assert.match(output(), 'closed');
});

test('a configuration that cannot be used is told line by line', async () => {
  const { output, exitCode } = run('', { NUMBER: 'seven' });
  assert.is(await exitCode(), 1);
  assert.match(output(), 'test cannot start with this configuration:\nNUMBER is "seven"');
});

test('a rejection that nobody caught is logged and ends the process', async () => {
  const { output, exitCode } = run(`setTimeout(() => Promise.reject(new Error('forgotten')), 1);`);
  assert.is(await exitCode(), 1);
  assert.match(output(), 'forgotten');
});

test.run();
