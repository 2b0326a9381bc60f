import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

/** One SQL statement under the name by which each connection prepares it once, and by which it is counted. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** Reads a statement from its own file; the name is the file's, the leading comment is for readers and left out. */
export function sqlFile(url: URL): Statement {
  return {
    name: basename(fileURLToPath(url), '.sql'),
    text: readFileSync(url, 'utf8').replace(/^(?:--.*\n|\s*\n)*/, ''),
  };
}
