import { chmodSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { type FixtureFolder, fixtureFolder } from '#libs/testing/fixture.js';
import { assert, suite } from '#libs/testing/suite.js';
import { postgresUser, reachableDirectory } from './postgres-user.js';
import type { PrivateServer } from './private-server.js';
import { startPostgres } from './start-postgres.js';

const test = suite('start-postgres');
const asRoot = process.getuid?.() === 0;
let fixtures: FixtureFolder;
let server: PrivateServer;

test.before(async () => {
  fixtures = fixtureFolder();
  chmodSync(fixtures.path, 0o711);
  server = await startPostgres({ directory: join(fixtures.path, 'pg'), settings: { work_mem: '5MB' } });
});
test.after(async () => {
  await server.stop();
  fixtures.remove();
});

test('commits wait for the disk, and settings of the caller win', async () => {
  const rows = await query(
    "SELECT name, setting FROM pg_settings WHERE name = ANY('{fsync,synchronous_commit,work_mem}')",
  );
  assert.equal(Object.fromEntries(rows.map(({ name, setting }) => [name, setting])), {
    fsync: 'on',
    synchronous_commit: 'on',
    work_mem: '5120',
  });
});

test('text is UTF-8 and sorts by bytes, wherever it runs', async () => {
  assert.equal(await query("SELECT getdatabaseencoding() AS encoding, 'Z' < 'a' AS bytes"), [
    { encoding: 'UTF8', bytes: true },
  ]);
});

test('what was committed survives the death of all its processes', async () => {
  await query('CREATE TABLE seat (id int); INSERT INTO seat VALUES (7)');
  const client = new pg.Client(server.url);
  client.on('error', () => {});
  await client.connect();
  await server.kill();
  await server.restart();
  assert.equal(await query('SELECT id FROM seat'), [{ id: 7 }]);
});

test('an open connection goes silent in a frozen server', async () => {
  const client = new pg.Client({ connectionString: server.url, query_timeout: 300 });
  await client.connect();
  server.freeze();
  const outcome = await client.query('SELECT 1').catch((error: unknown) => error);
  server.thaw();
  await client.end();
  assert.match(String(outcome), 'Query read timeout');
  assert.equal(await query('SELECT 1 AS one'), [{ one: 1 }]);
});

test('an initdb that was cut short is done again', async () => {
  const directory = join(fixtures.path, 'cut');
  mkdirSync(join(directory, 'data.unfinished', 'base'), { recursive: true });
  const again = await startPostgres({ directory, keep: true });
  await again.stop();
  assert.ok(existsSync(join(directory, 'data', 'PG_VERSION')));
  assert.not(existsSync(join(directory, 'data.unfinished')));
});

(asRoot ? test : test.skip)('a folder that Postgres cannot reach under root gives way to a stable one', () => {
  const closed = fixtureFolder();
  chmodSync(closed.path, 0o700);
  const lines: string[] = [];
  const user = postgresUser();
  assert.ok(user);
  const reach = (): string => reachableDirectory(join(closed.path, 'pg'), user, (line) => lines.push(line));
  const first = reach();
  assert.is.not(first, join(closed.path, 'pg'));
  assert.is(reach(), first);
  assert.match(lines[0] ?? '', first);
  assert.not(existsSync(join(closed.path, 'pg')));
  closed.remove();
  rmSync(first, { recursive: true });
});

async function query(text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(server.url);
  await client.connect();
  try {
    return (await client.query(text)).rows as Record<string, unknown>[];
  } finally {
    await client.end();
  }
}

test.run();
