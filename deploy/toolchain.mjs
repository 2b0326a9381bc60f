// What the scripts of this folder stand on: the packages, and the tools that come with them.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Absolute path of the repository, with no slash at the end. */
export const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');

/** Runs `npm ci` when a locked package is absent or has another version, and says how far it is; rejects when that fails. */
export async function ensureInstalled() {
  if (isInstalled()) return;
  const paths = lockedPackages().map(([path]) => path);
  console.log(`installing ${paths.length} packages (npm ci), which takes a minute or two the first time`);
  const args = [
    'ci',
    '--include=dev',
    '--prefer-offline',
    '--loglevel=error',
    '--no-audit',
    '--no-fund',
    '--no-progress',
  ];
  const npm = spawn('npm', args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
  const hide = process.stdout.isTTY ? showArrivals(paths) : () => undefined;
  try {
    const [code] = await once(npm, 'exit');
    if (code !== 0) throw new Error(`npm ci ended with ${code}`);
  } catch (cause) {
    throw new Error(`npm ci failed in ${root}`, { cause });
  } finally {
    hide();
  }
}

/** Keeps one line of the terminal telling how many of the packages are there. Returns how to take it away. */
function showArrivals(paths) {
  const show = () => {
    const here = paths.filter((path) => existsSync(join(root, path, 'package.json'))).length;
    process.stdout.write(`\r\x1b[K${here} of ${paths.length} packages`);
  };
  const timer = setInterval(show, 500);
  return () => {
    clearInterval(timer);
    process.stdout.write('\r\x1b[K');
  };
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
  return lockedPackages().every(([path, entry]) => installed[path]?.version === entry.version);
}

/** What every machine has to have, by path. */
function lockedPackages() {
  const all = Object.entries(readPackages(join(root, 'package-lock.json')) ?? {});
  return all.filter(([path, entry]) => path !== '' && entry.optional !== true);
}

function readPackages(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}
