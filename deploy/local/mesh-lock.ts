import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandOf, isAlive } from '#libs/servers/process-table.js';

/** Lets go of the directory. */
export type Unlock = () => void;

/** Takes the directory for this process; throws when another mesh runs in it. */
export function lockDirectory(directory: string): Unlock {
  mkdirSync(directory, { recursive: true });
  const file = join(directory, 'mesh.pid');
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${process.pid}\n${commandOf(process.pid)}\n`);
  try {
    while (!linked(draft, file)) {
      const [pid = '', command] = readFileSync(file, 'utf8').split('\n');
      // A number alone proves little: after a crash it may since have gone to another program.
      if (isAlive(Number(pid)) && commandOf(Number(pid)) === command) {
        throw new Error(`a mesh already runs in ${directory}, as process ${pid}; end it with Ctrl-C or kill ${pid}`);
      }
      rmSync(file, { force: true });
    }
  } finally {
    rmSync(draft);
  }
  return () => rmSync(file, { force: true });
}

/** A link is made whole or not at all, so that nobody reads a claim half written. */
function linked(draft: string, file: string): boolean {
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
