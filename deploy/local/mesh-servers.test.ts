import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'nats';
import pg from 'pg';
import { ask } from '#libs/servers/ask.js';
import type { ServerName } from '#libs/servers/find-servers.js';
import type { PrivateServer } from '#libs/servers/private-server.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { type MeshServers, startServers } from './mesh-servers.js';

const test = suite('mesh servers');
let directory: string;
let servers: MeshServers;
let heard: string[] = [];
let back = 0;

test.before(async () => {
  directory = mkdtempSync(join(tmpdir(), 'holdfast-servers-'));
  chmodSync(directory, 0o755);
  servers = await startServers({
    ...{ directory, given: {}, without: [], keep: true },
    report: (line) => heard.push(line),
    onBack: () => {
      back += 1;
    },
  });
});
test.before.each(() => {
  [heard, back] = [[], 0];
});
test.after(async () => {
  await servers.stop();
  rmSync(directory, { recursive: true });
});

test('a Postgres that dies is named and comes back on its port with what was committed', async () => {
  await query('CREATE TABLE seat (id int); INSERT INTO seat VALUES (7)');
  const open = new pg.Client(servers.urls.postgres); // A server process of its own, which outlives its parent a little.
  open.on('error', () => {});
  await open.connect();
  await dieAndComeBack('postgres');
  assert.equal(await query('SELECT id FROM seat'), [{ id: 7 }]);
});

test('a Redis that dies is named and comes back on its port with what it had appended', async () => {
  const { port } = own('redis');
  await ask(port, 'SET seat taken\r\n', '+OK');
  await dieAndComeBack('redis');
  assert.match(await ask(port, 'GET seat\r\n', 'taken'), 'taken');
});

test('a NATS that dies is named and comes back on its port with its streams', async () => {
  await withStreams(async (streams, publish) => {
    await streams.add({ name: 'seats', subjects: ['seat'] });
    await publish('seat', 'taken');
  });
  await dieAndComeBack('nats');
  await withStreams(async (streams) => {
    assert.is((await streams.info('seats')).state.messages, 1);
  });
});

test('a server that dies while it is frozen comes back too', async () => {
  own('redis').freeze();
  await dieAndComeBack('redis');
});

test('one that dies while it starts is tried again, a little later', async () => {
  const redis = own('redis');
  const dead = [redis.pid];
  process.kill(redis.pid, 'SIGKILL');
  await until(() => redis.running && !dead.includes(redis.pid));
  dead.push(redis.pid);
  process.kill(redis.pid, 'SIGKILL');
  await until(() => !dead.includes(redis.pid) && heard.at(-1) === 'redis is back');
  const pauses = heard.flatMap((line) => /starting it again in (\d+) ms/.exec(line)?.[1] ?? []).map(Number);
  assert.is(pauses.length, 2);
  assert.ok(Number(pauses[1]) > Number(pauses[0]));
  assert.match(await ask(redis.port, 'PING\r\n', '\r\n'), '+PONG');
});

test('a server that its owner kills, restarts, stops or froze stays in the hands of the owner', async () => {
  const nats = own('nats');
  await nats.kill();
  await nats.restart();
  await nats.restart();
  nats.freeze();
  nats.thaw();
  await nats.stop();
  await dieAndComeBack('postgres'); // Whoever had heard of the others would have said so by now.
  assert.not(heard.some((line) => line.includes('nats')));
  assert.not(nats.running);
  await nats.start();
});

test('a server that its owner ends after it died is not started again', async () => {
  const nats = own('nats');
  process.kill(nats.pid, 'SIGKILL');
  await until(() => heard.some((line) => line.startsWith('nats died')));
  await nats.stop();
  await dieAndComeBack('postgres');
  assert.not(nats.running);
  assert.is(back, 1);
  await nats.start();
});

test('nobody starts servers again where nobody asked for it', async () => {
  const other = join(directory, 'other');
  const alone = await startServers({
    ...{ directory: other, given: { postgres: 'postgres://nowhere' }, without: ['nats'], keep: false },
    report: (line) => heard.push(line),
  });
  process.kill(alone.private.redis?.pid ?? 0, 'SIGKILL');
  await until(() => !alone.private.redis?.running);
  await dieAndComeBack('postgres');
  assert.is(heard.filter((line) => line.includes('died')).length, 1);
  assert.not(alone.private.redis?.running);
  await alone.stop();
});

function own(name: ServerName): PrivateServer {
  const server = servers.private[name];
  assert.ok(server);
  return server;
}

async function dieAndComeBack(name: ServerName): Promise<void> {
  const { port, pid } = own(name);
  process.kill(pid, 'SIGKILL');
  await until(() => back > 0, { timeoutMs: 30_000, describe: () => `${name} is back; heard: ${heard.join('; ')}` });
  const lines = heard.filter((line) => line.startsWith(name));
  assert.match(lines[0] ?? '', new RegExp(`^${name} died \\(SIGKILL\\); starting it again in \\d+ ms$`));
  assert.is(lines.at(-1), `${name} is back`);
  assert.is(own(name).port, port);
  assert.is.not(servers.listed()[name]?.pid, pid);
}

async function query(text: string): Promise<unknown[]> {
  const client = new pg.Client(servers.urls.postgres);
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

type Nats = Awaited<ReturnType<typeof connect>>;
type Streams = Awaited<ReturnType<Nats['jetstreamManager']>>['streams'];

async function withStreams(
  use: (streams: Streams, publish: (subject: string, text: string) => Promise<void>) => Promise<void>,
): Promise<void> {
  const connection = await connect({ servers: servers.urls.nats ?? '' });
  try {
    const { streams } = await connection.jetstreamManager();
    await use(streams, async (subject, text) => {
      await connection.jetstream().publish(subject, new TextEncoder().encode(text));
    });
  } finally {
    await connection.close();
  }
}

test.run();
