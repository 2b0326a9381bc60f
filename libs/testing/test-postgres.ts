import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { migrate } from '#libs/postgres/migrate.js';
import { createLogger } from '#libs/runtime/logger.js';
import { privatePostgres } from './private-servers.js';
import { recorder } from './recorder.js';

export interface TestPostgres {
  /** As the owner of the database, who is a superuser. */
  url: string;
  name: string;
  /** To be called in `after`. With HOLDFAST_KEEP=1 the database of a failed file stays. */
  drop(): Promise<void>;
}

const ledger = new URL('../ledger/', import.meta.url);
const templateLock = 4_853_201;
let ownServer: Promise<string> | undefined;

/**
 * A database of this test's own, migrated: a clone of the template that the first test of a run makes. It
 * lives on the run's shared server, or on one that this process starts when the file runs alone.
 */
export async function testPostgres(): Promise<TestPostgres> {
  const serverUrl = process.env.HOLDFAST_TEST_POSTGRES ?? (await startOwnServer());
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await withAdmin(serverUrl, async (admin) => {
    const template = await ensureTemplate(serverUrl, admin);
    await admin.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
  });
  const url = databaseUrl(serverUrl, name);
  return { url, name, drop: () => drop(serverUrl, name, url) };
}

function startOwnServer(): Promise<string> {
  ownServer ??= privatePostgres().then((server) => server.url);
  return ownServer;
}

async function drop(serverUrl: string, name: string, url: string): Promise<void> {
  const outlivesUs = ownServer === undefined;
  if (recorder.failed && process.env.HOLDFAST_KEEP === '1' && (outlivesUs || process.stdin.isTTY)) {
    console.error(`kept for you: ${url}${outlivesUs ? '' : ' until you press Ctrl-C'}`);
    if (!outlivesUs) await new Promise(() => process.stdin.resume());
    return;
  }
  await withAdmin(serverUrl, (admin) => admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
}

// Files start side by side: the lock lets one of them make the template, the others find it. Its name holds
// a hash of what made it, so that a server which outlives the run does not serve an old one.
async function ensureTemplate(serverUrl: string, admin: pg.Client): Promise<string> {
  const template = `template_${migrationsHash()}`;
  await admin.query('SELECT pg_advisory_lock($1)', [templateLock]);
  try {
    const { rowCount } = await admin.query('SELECT FROM pg_database WHERE datname = $1', [template]);
    if (rowCount === 1) return template;
    await admin.query(`DROP DATABASE IF EXISTS ${template}_unfinished`);
    await admin.query(`CREATE DATABASE ${template}_unfinished TEMPLATE template0`);
    await migrateTemplate(databaseUrl(serverUrl, `${template}_unfinished`));
    await admin.query(`ALTER DATABASE ${template}_unfinished RENAME TO ${template}`);
    return template;
  } finally {
    await admin.query('SELECT pg_advisory_unlock($1)', [templateLock]);
  }
}

async function migrateTemplate(url: string): Promise<void> {
  const [directory, functions] = [new URL('migrations/', ledger), new URL('functions/', ledger)];
  if (existsSync(directory)) await migrate({ url, directory, functions, logger: createLogger('test', 'warn') });
}

function migrationsHash(): string {
  const hash = createHash('sha256');
  for (const folder of ['migrations', 'functions'].map((name) => fileURLToPath(new URL(name, ledger)))) {
    if (!existsSync(folder)) continue;
    for (const file of readdirSync(folder).sort()) hash.update(file).update(readFileSync(join(folder, file)));
  }
  return hash.digest('hex').slice(0, 16);
}

async function withAdmin<T>(serverUrl: string, body: (admin: pg.Client) => Promise<T>): Promise<T> {
  const admin = new pg.Client({ connectionString: serverUrl, connectionTimeoutMillis: 10_000 });
  admin.on('error', () => {}); // The query in hand rejects as well.
  await admin.connect();
  try {
    return await body(admin);
  } finally {
    await admin.end();
  }
}

function databaseUrl(serverUrl: string, database: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.toString();
}
