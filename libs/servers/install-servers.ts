import { spawn, spawnSync } from 'node:child_process';
import { findChromium, findServers, findWrk, type ServerName } from './find-servers.js';

/** What can be installed: servers, wrk, which makes the load of benchmarks, and the browser of tests. */
export type ProgramName = ServerName | 'wrk' | 'chromium';

const debianPackages = {
  ...{ postgres: 'postgresql', redis: 'redis-server', nats: 'nats-server' },
  ...{ wrk: 'wrk', chromium: 'chromium' },
};
const brewFormulas = {
  ...{ postgres: 'postgresql@17', redis: 'redis', nats: 'nats-server' },
  ...{ wrk: 'wrk', chromium: 'chromium' },
};
const describePrograms = {
  postgres: 'initdb and postgres',
  redis: 'redis-server',
  nats: 'nats-server',
  wrk: 'wrk',
  chromium: 'chromium',
};

// policy-rc.d keeps the packages from starting the servers they bring: we want the programs alone. One
// that is there already is somebody's decision and stays.
const aptScript = `
set -e
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  trap 'rm -f "$policy"' EXIT
  trap 'exit 1' HUP INT TERM
  printf '#!/bin/sh\\nexit 101\\n' > "$policy"
  chmod 755 "$policy"
fi
export DEBIAN_FRONTEND=noninteractive
apt-get -qq update
apt-get -qq install -y --no-install-recommends --reinstall "$@"
`;

/**
 * Installs the missing programs: with apt-get as root or through sudo that asks nothing, or with brew.
 * Rejects with what to do by hand when neither is possible. Servers that run already are left alone.
 */
export async function installServers(missing: ProgramName[], log: (line: string) => void): Promise<void> {
  if (missing.length === 0) return;
  const command = installCommand(missing, thisMachine());
  if (command === undefined) throw new Error(whatToDo(missing));
  log(`installing ${missing.join(', ')} with ${command.label}`);
  const { code, output } = await run(command.program, command.args);
  const found = { ...findServers(), wrk: findWrk(), chromium: findChromium() };
  const still = missing.filter((name) => found[name] === undefined);
  if (code !== 0 || still.length > 0)
    throw new Error(`${output.trim().split('\n').slice(-15).join('\n')}\n${whatToDo(still)}`);
}

export interface Machine {
  /** Which of them can be used, and without a question. */
  can: Record<'brew' | 'apt-get' | 'sudo', boolean>;
  isRoot: boolean;
}

/** What to run, undefined when this machine has nothing that we may install with. */
export function installCommand(
  missing: ProgramName[],
  { can, isRoot }: Machine,
): { label: string; program: string; args: string[] } | undefined {
  if (can.brew) {
    return { label: 'brew', program: 'brew', args: ['install', ...missing.map((name) => brewFormulas[name])] };
  }
  const script = ['-c', aptScript, 'install', ...missing.map((name) => debianPackages[name])];
  if (can['apt-get'] && isRoot) return { label: 'apt-get', program: '/bin/sh', args: script };
  if (can['apt-get'] && can.sudo) return { label: 'sudo apt-get', program: 'sudo', args: ['-n', '/bin/sh', ...script] };
  return undefined;
}

function thisMachine(): Machine {
  const brew = process.platform === 'darwin' && succeeds('brew', ['--version']);
  const can = { brew, 'apt-get': succeeds('apt-get', ['--version']), sudo: succeeds('sudo', ['-n', 'true']) };
  return { can, isRoot: process.getuid?.() === 0 };
}

function whatToDo(missing: ProgramName[]): string {
  return [
    `Missing: ${missing.join(', ')}. Install by hand:`,
    `  Debian, Ubuntu: sudo apt-get install ${missing.map((name) => debianPackages[name]).join(' ')}`,
    `  macOS: brew install ${missing.map((name) => brewFormulas[name]).join(' ')}`,
    `  elsewhere: the programs ${missing.map((name) => describePrograms[name]).join(', ')} on the PATH`,
    ...whatElse(missing),
  ].join('\n');
}

/** Containers hold servers, and nothing of what measures or drives them. */
function whatElse(missing: ProgramName[]): string[] {
  if (missing.includes('chromium')) return ['or name a Chromium in HOLDFAST_CHROMIUM'];
  return missing.includes('wrk') ? [] : ['or leave them to containers: docker compose up'];
}

function succeeds(program: string, args: string[]): boolean {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0;
}

function run(program: string, args: string[]): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const collect = (chunk: Buffer): void => {
      output += chunk.toString();
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output }));
  });
}
