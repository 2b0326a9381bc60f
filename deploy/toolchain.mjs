// What the scripts of this folder stand on: the packages, and the tools that come with them.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Absolute path of the repository, with no slash at the end. */
export const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');

/** Runs `npm ci` when a locked package is absent or has another version; throws when that fails. */
export function ensureInstalled() {
  if (isInstalled()) return;
  console.log('installing packages (npm ci)');
  const { status, error } = spawnSync(
    'npm',
    ['ci', '--include=dev', '--prefer-offline', '--loglevel=error', '--no-audit', '--no-fund'],
    {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  );
  if (error !== undefined || status !== 0) throw new Error(`npm ci failed in ${root}`, { cause: error });
}

/**
 * Runs a program, of node_modules or else of the PATH, in the repository and returns its exit code and, with `capture`, all it
 * printed; without, the terminal shows it.
 */
export function runTool(name, args, { capture = false } = {}) {
  const bin = join(root, 'node_modules', '.bin');
  const { status, stdout, stderr, error } = spawnSync(name, args, {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, PATH: `${bin}:${process.env.PATH}` },
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', capture ? 'pipe' : 'inherit', capture ? 'pipe' : 'inherit'],
  });
  if (error !== undefined) throw error;
  return { code: status ?? 1, output: capture ? `${stdout}${stderr}` : '' };
}

/** The files under folders of `base`, as absolute paths; folders that are not there hold none. */
export function filesUnder(base, folders) {
  return folders
    .map((folder) => join(base, folder))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

// npm writes node_modules/.package-lock.json last, so an interrupted install has none.
function isInstalled() {
  const installed = readPackages(join(root, 'node_modules', '.package-lock.json'));
  if (installed === undefined) return false;
  const locked = Object.entries(readPackages(join(root, 'package-lock.json')) ?? {});
  return locked.every(
    ([path, entry]) => path === '' || entry.optional === true || installed[path]?.version === entry.version,
  );
}

function readPackages(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}
