import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chownSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

export interface Credentials {
  uid: number;
  gid: number;
}

/**
 * Who runs Postgres: undefined for the user of this process. Postgres refuses root, so under root it is
 * `postgres`, where there is one, else `nobody`.
 */
export function postgresUser(): Credentials | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const user = ['postgres', 'nobody'].map(credentialsOf).find((found) => found !== undefined);
  if (user === undefined) throw new Error('Postgres does not run as root, and there is no user postgres or nobody');
  return user;
}

/**
 * A folder that `user` can work in: the wanted one, or, when a parent folder keeps others out (a clone
 * under /root, say), one made from its name in /var/lib/holdfast or /tmp, the same one each time.
 */
export function reachableDirectory(wanted: string, user: Credentials, log: (line: string) => void): string {
  const stable = createHash('sha256').update(wanted).digest('hex').slice(0, 12);
  const choices = [wanted, join('/var/lib/holdfast', stable), join('/tmp', `holdfast-${stable}`)];
  for (const directory of choices) {
    if (!canWorkIn(directory, user)) continue;
    if (directory !== wanted) log(`user ${user.uid} cannot reach ${wanted}: Postgres keeps its data in ${directory}`);
    return directory;
  }
  throw new Error(`user ${user.uid}, who is to run Postgres, can work in none of ${choices.join(', ')}`);
}

function credentialsOf(name: string): Credentials | undefined {
  try {
    const idOf = (flag: string): number =>
      Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: 'pipe' }));
    return { uid: idOf('-u'), gid: idOf('-g') };
  } catch {
    return undefined;
  }
}

// Tried rather than computed: modes, lists and mounts all have a say.
function canWorkIn(directory: string, user: Credentials): boolean {
  let made: string | undefined;
  try {
    made = mkdirSync(directory, { recursive: true, mode: 0o755 });
    chownSync(directory, user.uid, user.gid);
    const probe = 'cd "$1" && touch .probe && rm .probe';
    if (spawnSync('/bin/sh', ['-c', probe, 'probe', directory], { ...user, cwd: '/' }).status === 0) return true;
  } catch {
    // A file system that is not for writing; the next choice may be.
  }
  if (made !== undefined) rmSync(made, { recursive: true });
  return false;
}
