import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { type FixtureFolder, fixtureFolder } from '#libs/testing/fixture.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { ask } from './ask.js';
import type { PrivateServer } from './private-server.js';
import { childrenOf, commandOf, isAlive } from './process-table.js';
import { startNats } from './start-nats.js';
import { startRedis } from './start-redis.js';

const test = suite('private-server');
let fixtures: FixtureFolder;
let started: PrivateServer[] = [];

test.before.each(() => {
  fixtures = fixtureFolder();
});
test.after.each(async () => {
  await Promise.all(started.map((server) => server.stop()));
  started = [];
  fixtures.remove();
});

test('answers when it is started, and is gone with its folder when it is stopped', async () => {
  const redis = await start('a');
  assert.match(await ask(redis.port, 'PING\r\n', '\r\n'), '+PONG');
  await redis.stop();
  assert.not(isAlive(redis.pid));
  assert.not(existsSync(redis.directory));
});

test('a killed Redis comes back on the same port with what it had appended', async () => {
  const redis = await start('a', { appendonly: true });
  const { port, pid } = redis;
  await ask(port, 'SET seat taken\r\n', '+OK');
  await redis.kill();
  assert.not(redis.running);
  await redis.restart();
  assert.is(redis.port, port);
  assert.is.not(redis.pid, pid);
  assert.match(await ask(port, 'GET seat\r\n', 'taken'), 'taken');
});

test('a kept folder serves the next start', async () => {
  const first = await start('a', { appendonly: true, keep: true });
  await ask(first.port, 'SET seat taken\r\n', '+OK');
  await first.stop();
  const second = await start('a', { appendonly: true, keep: true });
  assert.match(await ask(second.port, 'GET seat\r\n', 'taken'), 'taken');
});

test('a frozen server takes connections and says nothing until it is thawed', async () => {
  const nats = await startNats({ directory: join(fixtures.path, 'nats') });
  started.push(nats);
  nats.freeze();
  // The signal reaches the threads of the server one after the other.
  const answer = (): Promise<string> => ask(nats.port, '', '\r\n').catch(String);
  await until(async () => (await answer()).includes('no answer'));
  nats.thaw();
  assert.match(await ask(nats.port, '', '\r\n'), 'INFO');
});

test('a frozen server can be stopped', async () => {
  const redis = await start('a');
  redis.freeze();
  await redis.stop();
  assert.not(isAlive(redis.pid));
});

test('a wanted port that is taken is an error with the log of the server', async () => {
  const squatter = createServer().listen(0, '127.0.0.1');
  await once(squatter, 'listening');
  const { port } = squatter.address() as AddressInfo;
  const error = await start('a', { port }).catch((thrown: unknown) => thrown);
  squatter.close();
  assert.match(String(error), /redis ended while it started.*already in use/s);
});

test('another server that answers on the port is not taken for ours', async () => {
  const first = await start('a');
  const error = await start('b', { port: first.port }).catch((thrown: unknown) => thrown);
  assert.match(String(error), 'already in use');
});

test('a folder whose server belongs to a living process is refused', async () => {
  await start('a');
  const error = await start('a').catch((thrown: unknown) => thrown);
  assert.match(String(error), `belongs to process ${process.pid}`);
});

test('nobody watches a server that died by itself: its id may be another process by now', async () => {
  const redis = await start('a');
  const isWatched = (): boolean => childrenOf(process.pid).some((pid) => commandOf(pid).includes(` ${redis.pid} `));
  assert.ok(isWatched());
  process.kill(redis.pid, 'SIGKILL');
  await until(() => !redis.running && !isWatched());
});

test('a server and its folder do not outlive a parent that was killed', async () => {
  const { pid, directory } = await startAndDie({ keep: false });
  await until(() => !isAlive(pid) && !existsSync(directory));
});

test('a kept folder that a killed parent left is taken over with its data', async () => {
  const { pid, directory } = await startAndDie({ keep: true });
  const redis = await startRedis({ directory, appendonly: true });
  started.push(redis);
  assert.not(isAlive(pid));
  assert.match(await ask(redis.port, 'GET seat\r\n', 'taken'), 'taken');
});

async function start(folder: string, options: Partial<Parameters<typeof startRedis>[0]> = {}): Promise<PrivateServer> {
  const redis = await startRedis({ directory: join(fixtures.path, folder), ...options });
  started.push(redis);
  return redis;
}

async function startAndDie({ keep }: { keep: boolean }): Promise<{ pid: number; directory: string }> {
  const directory = join(fixtures.path, 'orphan');
  const program = fixtures.add(
    'parent.mjs',
    `import { startRedis } from '#libs/servers/start-redis.js';
    import { ask } from '#libs/servers/ask.js';
    const redis = await startRedis({ directory: ${JSON.stringify(directory)}, keep: ${keep}, appendonly: true });
    await ask(redis.port, 'SET seat taken\\r\\n', '+OK');
    process.stdout.write(String(redis.pid), () => process.kill(process.pid, 'SIGKILL'));`,
  );
  const parent = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  parent.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  await once(parent, 'close');
  assert.ok(Number(printed) > 0);
  return { pid: Number(printed), directory };
}

test.run();
