import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { findServers } from './find-servers.js';
import { postgresUser, reachableDirectory } from './postgres-user.js';
import { launch, type PrivateServer, type ServerSpec } from './private-server.js';
import { commandOf } from './process-table.js';

export interface PostgresOptions {
  directory: string;
  port?: number;
  /** Keeps the folder, and in it the data, after `stop`; false by default. */
  keep?: boolean;
  /** Server settings, which win over ours; `{ fsync: 'off' }` suits data that no test will miss. */
  settings?: Record<string, string>;
  /** Hears where the data is kept, when it is not in `directory`. */
  log?: (line: string) => void;
}

// No unix socket: its path may hold 107 bytes, fewer than some folders have.
const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  synchronous_commit: 'on',
  max_connections: '200',
  shared_buffers: '128MB',
};

/**
 * Starts a Postgres of our own on 127.0.0.1, made by initdb where the folder is empty; resolves when a
 * connection works. Its superuser is `postgres`, without a password. Works as root, too.
 */
export async function startPostgres(options: PostgresOptions): Promise<PrivateServer> {
  const programs = findServers().postgres;
  if (programs === undefined) throw new Error('postgres is not installed');
  const user = postgresUser();
  const wanted = resolve(options.directory);
  const directory = user === undefined ? wanted : reachableDirectory(wanted, user, options.log ?? console.error);
  const data = join(directory, 'data');
  const chosen = Object.entries({ ...settings, ...options.settings });
  const spec: ServerSpec = {
    name: 'postgres',
    directory,
    keep: options.keep ?? false,
    ...(user === undefined ? {} : { user }),
    stopSignal: 'SIGINT', // Its fast shutdown: SIGTERM would wait for every client to leave.
    program: programs.postgres,
    argumentsFor: (port) => [
      '-D',
      data,
      '-p',
      `${port}`,
      ...chosen.flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    urlFor: (port) => `postgres://postgres@127.0.0.1:${port}/postgres`,
    answers: (port) => serves(port, data),
  };
  await initialise(spec, programs.initdb, data);
  removeStaleLock(data);
  return launch(spec, options.port);
}

// initdb works in a folder beside, so that one cut short is not taken for a database later.
async function initialise(spec: ServerSpec, initdb: string, data: string): Promise<void> {
  if (existsSync(join(data, 'PG_VERSION'))) return;
  mkdirSync(spec.directory, { recursive: true });
  const unfinished = `${data}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  const choices = [
    '--username=postgres',
    '--auth=trust',
    '--encoding=UTF8',
    '--locale=C',
    '--no-sync',
    '--no-instructions',
  ];
  await promisify(execFile)(initdb, ['-D', unfinished, ...choices], { ...spec.user, cwd: spec.directory });
  renameSync(unfinished, data);
}

// After a crash the number in the lock may since have gone to another Postgres of the same user, and a
// server would take that one for its own predecessor.
function removeStaleLock(data: string): void {
  const lock = join(data, 'postmaster.pid');
  if (!existsSync(lock)) return;
  const pid = Number(readFileSync(lock, 'utf8').split('\n')[0]);
  if (!commandOf(pid).includes(data)) rmSync(lock, { force: true });
}

async function serves(port: number, data: string): Promise<boolean> {
  const client = new pg.Client({
    host: '127.0.0.1',
    port,
    user: 'postgres',
    database: 'postgres',
    connectionTimeoutMillis: 1000,
    query_timeout: 1000,
  });
  client.on('error', () => {}); // It may go away between the answer and our farewell.
  try {
    await client.connect();
    const { rows } = await client.query<{ data_directory: string }>('SHOW data_directory');
    return rows[0]?.data_directory === data;
  } finally {
    await client.end().catch(() => {});
  }
}
