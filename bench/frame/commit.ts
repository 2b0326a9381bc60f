import { spawnSync } from 'node:child_process';

/** The commit of a checkout, with "-dirty" where files differ from it; "unknown" outside of one. */
export function commitOf(directory: string): string {
  const { status, stdout } = spawnSync('git', ['describe', '--always', '--dirty', '--abbrev=9', '--exclude=*'], {
    cwd: directory,
    encoding: 'utf8',
  });
  return status === 0 ? stdout.trim() : 'unknown';
}
