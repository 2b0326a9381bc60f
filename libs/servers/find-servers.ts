import { accessSync, constants, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

export type ServerName = 'postgres' | 'redis' | 'nats';

/** Absolute paths of the server programs of this machine; a server that is not there is left out. */
export interface FoundServers {
  postgres?: { postgres: string; initdb: string };
  redis?: string;
  nats?: string;
}

// Debian keeps postgres in versioned folders that are on nobody's PATH, and nats-server in /usr/sbin,
// which is on the PATH of root alone. Homebrew keeps versioned formulas out of its bin folder.
const usualFolders = ['/usr/local/bin', '/usr/bin', '/usr/sbin', '/usr/local/sbin', '/opt/homebrew/bin'];
const versionedFolders = [
  { parent: '/usr/lib/postgresql', pattern: /^(\d+)$/ },
  { parent: '/opt/homebrew/opt', pattern: /^postgresql@(\d+)$/ },
  { parent: '/usr/local/opt', pattern: /^postgresql@(\d+)$/ },
  { parent: '/usr', pattern: /^pgsql-(\d+)$/ },
];

/** Looks along `path` first, then where distributions put the programs, the newest Postgres first. */
export function findServers(path = process.env.PATH ?? ''): FoundServers {
  const folders = foldersOf(path);
  const found: FoundServers = {};
  const withPostgres = [...folders, ...postgresFolders()].find(
    (folder) => isProgram(join(folder, 'postgres')) && isProgram(join(folder, 'initdb')),
  );
  if (withPostgres !== undefined) {
    found.postgres = { postgres: join(withPostgres, 'postgres'), initdb: join(withPostgres, 'initdb') };
  }
  const redis = findProgram('redis-server', folders);
  if (redis !== undefined) found.redis = redis;
  const nats = findProgram('nats-server', folders);
  if (nats !== undefined) found.nats = nats;
  return found;
}

/** Absolute path of wrk, which makes HTTP load; undefined where it is not installed. */
export function findWrk(path = process.env.PATH ?? ''): string | undefined {
  return findProgram('wrk', foldersOf(path));
}

const chromiumNames = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const chromiumApps = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** Absolute path of a Chromium, which tests drive: HOLDFAST_CHROMIUM where it is set, else one of this machine; undefined: none. */
export function findChromium({ HOLDFAST_CHROMIUM: given, PATH = '' } = process.env): string | undefined {
  if (given !== undefined && given !== '') return isProgram(given) ? given : undefined;
  const folders = foldersOf(PATH);
  return chromiumNames.map((name) => findProgram(name, folders)).find((found) => found) ?? chromiumApps.find(isProgram);
}

/** What `installServers` would have to bring. */
export function missingServers(found: FoundServers): ServerName[] {
  const names: ServerName[] = ['postgres', 'redis', 'nats'];
  return names.filter((name) => found[name] === undefined);
}

function foldersOf(path: string): string[] {
  return [...path.split(':').filter((folder) => folder !== ''), ...usualFolders];
}

function findProgram(name: string, folders: string[]): string | undefined {
  return folders.map((folder) => join(folder, name)).find(isProgram);
}

function postgresFolders(): string[] {
  return versionedFolders
    .flatMap(({ parent, pattern }) =>
      namesIn(parent).flatMap((name) => {
        const version = pattern.exec(name)?.[1];
        return version === undefined ? [] : [{ folder: join(parent, name, 'bin'), version: Number(version) }];
      }),
    )
    .sort((a, b) => b.version - a.version)
    .map(({ folder }) => folder);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
