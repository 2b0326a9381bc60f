import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder of small programs for tests that watch other processes. */
export interface FixtureFolder {
  path: string;
  /** Writes a module and returns its path; `#libs/x.js` in an import stands for the compiled lib. */
  add(name: string, text: string): string;
  remove(): void;
}

/** Makes an empty folder outside the tree, so that no test run takes its files for ours. */
export function fixtureFolder(): FixtureFolder {
  const path = mkdtempSync(join(tmpdir(), 'holdfast-fixture-'));
  return {
    path,
    add: (name, text) => {
      const file = join(path, name);
      writeFileSync(
        file,
        text.replaceAll(/'((?:#libs\/|uvu)[^']*)'/g, (_, module: string) => `'${import.meta.resolve(module)}'`),
      );
      return file;
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}
