import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createLogger } from '#libs/runtime/logger.js';
import { createMetrics } from '#libs/runtime/metrics.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import { type TestPostgres, testPostgres } from '#libs/testing/test-postgres.js';
import { MigrationError } from './history.js';
import { assertMigrated, type MigrateOptions, MigrationBlocked, migrate } from './migrate.js';
import { createPool, type PostgresPool } from './pool.js';

const test = suite('migrate');

const one = { '0001_account.sql': 'CREATE TABLE account (id int, amount int)' };
const two = { '0002_positive.sql': 'ALTER TABLE account ADD CHECK (amount > 0)' };
const check = { '0002_positive.check.sql': 'SELECT id, amount FROM account WHERE amount <= 0 ORDER BY id' };
const answer = (number: number) => ({
  'answer.sql': `CREATE OR REPLACE FUNCTION answer() RETURNS int LANGUAGE sql AS 'SELECT ${number}'`,
});

let server: TestPostgres;
let admin: PostgresPool;
let pool: PostgresPool;
let url: string;
let folder: string;
let count = 0;

function open(at: string, role?: string): PostgresPool {
  return createPool({
    url: at,
    max: 2,
    applicationName: 'migrate-test',
    ...(role && { role }),
    connectTimeoutMs: 20_000,
    statementTimeoutMs: 20_000,
    lockTimeoutMs: 20_000,
    maxWaiting: 10,
    metrics: createMetrics(),
    logger: createLogger('test', 'silent'),
  });
}

/** Lays down exactly these files and says how to migrate to them. */
function files(migrations: Record<string, string>, functions: Record<string, string> = {}): MigrateOptions {
  rmSync(folder, { recursive: true, force: true });
  for (const [name, content] of Object.entries({ migrations, functions })) {
    mkdirSync(join(folder, name), { recursive: true });
    for (const [file, text] of Object.entries(content)) writeFileSync(join(folder, name, file), text);
  }
  const base = pathToFileURL(`${folder}/`);
  return { url, directory: new URL('migrations/', base), functions: new URL('functions/', base) };
}

function rows(text: string): Promise<object[]> {
  return pool.query({ name: '', text });
}

async function recorded(): Promise<string[]> {
  const history = await pool.query<{ name: string }>({ name: '', text: 'SELECT name FROM schema_history ORDER BY 1' });
  return history.map((row) => row.name);
}

test.before(async () => {
  server = await testPostgres();
  admin = open(server.url);
  folder = mkdtempSync(join(tmpdir(), 'holdfast-migrate-'));
});
test.before.each(async () => {
  count += 1;
  const name = `${server.name}_${count}`;
  await admin.query({ name: '', text: `CREATE DATABASE ${name} TEMPLATE template0` });
  const database = new URL(server.url);
  database.pathname = `/${name}`;
  url = database.href;
  pool = open(url);
});
test.after.each(async () => {
  await pool.close();
  await admin.query({ name: '', text: `DROP DATABASE ${server.name}_${count} WITH (FORCE)` });
});
test.after(async () => {
  rmSync(folder, { recursive: true, force: true });
  await admin.close();
  await server.drop();
});

test('the first run installs everything, the second does nothing', async () => {
  const options = files({ ...one, ...two }, answer(42));
  assert.equal((await migrate(options)).applied, ['0001_account', '0002_positive', 'functions/answer']);
  assert.equal((await migrate(options)).applied, []);
  assert.equal(await rows('SELECT answer()'), [{ answer: 42 }]);
});

test('migrators at the same moment apply each migration once', async () => {
  const options = files({ ...one, ...two }, answer(42));
  const reports = await Promise.all(Array.from({ length: 4 }, () => migrate(options)));
  assert.equal(reports.flatMap((report) => report.applied).sort(), [
    '0001_account',
    '0002_positive',
    'functions/answer',
  ]);
});

test('a migration that fails leaves nothing of itself, and what came before stays', async () => {
  const broken = { '0002_broken.sql': 'CREATE TABLE half (id int); SELECT 1/0;' };
  const error = await rejectionOf(migrate(files({ ...one, ...broken })));
  assert.match(error.message, 'division by zero');
  assert.equal(await recorded(), ['0001_account']);
  assert.equal(await rows("SELECT to_regclass('half') AS half"), [{ half: null }]);
});

test('a migration that ends its own transaction is refused', async () => {
  const sly = { '0001_sly.sql': 'CREATE TABLE sly (id int); COMMIT;' };
  assert.match((await rejectionOf(migrate(files(sly)), MigrationError)).message, '0001_sly');
});

test('only a function whose text changed is applied again', async () => {
  await migrate(
    files(one, { ...answer(42), 'other.sql': 'CREATE FUNCTION other() RETURNS int LANGUAGE sql RETURN 1' }),
  );
  const options = files(one, {
    ...answer(43),
    'other.sql': 'CREATE FUNCTION other() RETURNS int LANGUAGE sql RETURN 1',
  });
  assert.equal((await migrate(options)).applied, ['functions/answer']);
  assert.equal(await rows('SELECT answer()'), [{ answer: 43 }]);
});

test('a migration changed after it was applied is refused', async () => {
  await migrate(files(one));
  const changed = files({ '0001_account.sql': 'CREATE TABLE account (id bigint)' });
  assert.match((await rejectionOf(migrate(changed), MigrationError)).message, '0001_account was changed');
  assert.match((await rejectionOf(assertMigrated(pool, changed.directory), MigrationError)).message, 'was changed');
});

test('a database with a migration that the files lack is not migrated', async () => {
  await migrate(files({ ...one, ...two }));
  assert.match((await rejectionOf(migrate(files(one)), MigrationError)).message, '0002_positive');
});

test('a new migration numbered before an applied one is refused', async () => {
  await migrate(files({ '0002_late.sql': 'SELECT 1' }));
  const error = await rejectionOf(migrate(files({ ...one, '0002_late.sql': 'SELECT 1' })), MigrationError);
  assert.match(error.message, '0001_account comes before 0002_late');
});

test('files that are no migrations, two of one number, and a check without its migration are refused', async () => {
  for (const wrong of [{ '1_short.sql': '' }, { '0001_other.sql': '' }, { '0009_alone.check.sql': '' }]) {
    await rejectionOf(migrate(files({ ...one, ...wrong })), MigrationError);
  }
});

test('rows in the way of a migration are listed, and nothing is applied', async () => {
  await migrate(files(one));
  await rows('INSERT INTO account VALUES (1, 5), (2, 0), (3, -1)');
  const error = await rejectionOf(migrate(files({ ...one, ...two, ...check })), MigrationBlocked);
  assert.equal(error.rows, [
    { id: 2, amount: 0 },
    { id: 3, amount: -1 },
  ]);
  assert.match(error.message, '{"id":3,"amount":-1}');
  assert.equal(await recorded(), ['0001_account']);
});

test('checking writes nothing, and lists what is pending or in the way', async () => {
  const all = files({ ...one, ...two, ...check }, answer(42));
  const pending = ['0001_account', '0002_positive', 'functions/answer'];
  assert.equal(await migrate({ ...all, check: true }), { applied: [], pending });
  assert.equal(await rows("SELECT to_regclass('schema_history') AS history"), [{ history: null }]);

  await migrate(files(one));
  await rows('INSERT INTO account VALUES (2, 0)');
  const options = files({ ...one, ...two, ...check });
  const error = await rejectionOf(migrate({ ...options, check: true }), MigrationBlocked);
  assert.equal(error.rows, [{ id: 2, amount: 0 }]);
  assert.equal(await recorded(), ['0001_account']);
});

test('a service finds out whether its schema is there, with no other right than to look', async () => {
  await admin.query({ name: '', text: 'CREATE ROLE migrate_test_role' });
  const limited = open(url, 'migrate_test_role');
  const both = files({ ...one, ...two }, answer(42));
  const look = () => assertMigrated(limited, both.directory, both.functions);
  try {
    assert.match((await rejectionOf(look(), MigrationError)).message, '0001_account, 0002_positive, functions/answer');
    await migrate(both);
    await look();
    files({ ...one, ...two }, answer(43));
    assert.match((await rejectionOf(look(), MigrationError)).message, 'lacks functions/answer');
  } finally {
    await limited.close();
    await admin.query({ name: '', text: 'DROP ROLE migrate_test_role' });
  }
});

test('the release before goes on with a schema that is ahead of it', async () => {
  await migrate(files({ ...one, ...two }, answer(43)));
  const before = files(one, answer(42));
  await assertMigrated(pool, before.directory, before.functions);
});

test.run();
