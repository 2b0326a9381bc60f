// What every command of ours needs before its own code can run: a Node that is new enough, packages, and a build.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * Installs and builds, both only where something changed; ends the process when that fails. Writes to stderr only.
 * From here on it is no error that nobody reads what the command prints.
 */
export function prepare() {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', ignoreGoneReader);
  const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const minimum = engines.node.replace(/[^\d.]/g, '');
  if (isOlder(process.versions.node, minimum)) fail(`Node ${minimum} or newer is needed, this is ${process.version}`);
  const build = fileURLToPath(new URL('build.mjs', import.meta.url));
  // The standard output belongs to the command: the last line of a rush may be read by a program.
  const { status } = spawnSync(process.execPath, [build], { stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(1);
}

// Whoever reads through `head` has read enough. The work goes on, for a mesh or a measurement is more than its words.
function ignoreGoneReader(error) {
  if (error.code !== 'EPIPE') throw error;
}

function isOlder(version, minimum) {
  const have = version.split('.').map(Number);
  const wanted = minimum.split('.').map(Number);
  const index = wanted.findIndex((number, i) => number !== have[i]);
  return index >= 0 && have[index] < wanted[index];
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
