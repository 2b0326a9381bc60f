// Makes node_modules match package-lock.json, touching nothing when it already does.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Absolute path of the repository, with no slash at the end. */
export const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');

/** Runs `npm ci` when a locked package is absent or has another version; throws when that fails. */
export function ensureInstalled() {
  if (isInstalled()) return;
  console.log('installing packages (npm ci)');
  const { status, error } = spawnSync('npm', ['ci', '--include=dev', '--prefer-offline', '--no-audit', '--no-fund'], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (error !== undefined || status !== 0) throw new Error(`npm ci failed in ${root}`, { cause: error });
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
