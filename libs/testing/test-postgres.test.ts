import pg from 'pg';
import { assert, suite } from './suite.js';
import { testPostgres } from './test-postgres.js';

const test = suite('test-postgres');

test('each test has a database of its own', async () => {
  const [one, two] = await Promise.all([testPostgres(), testPostgres()]);
  await query(one.url, 'CREATE TABLE mine (id int)');
  assert.equal(await query(two.url, "SELECT to_regclass('mine') AS found"), [{ found: null }]);
  await Promise.all([one.drop(), two.drop()]);
});

test('a dropped database is gone, even under an open connection', async () => {
  const kept = await testPostgres();
  const { url, name, drop } = await testPostgres();
  const client = new pg.Client(url);
  client.on('error', () => {});
  await client.connect();
  await drop();
  assert.equal(await query(kept.url, `SELECT FROM pg_database WHERE datname = '${name}'`), []);
  await client.end().catch(() => {});
  await kept.drop();
});

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query(text)).rows as unknown[];
  } finally {
    await client.end();
  }
}

test.run();
