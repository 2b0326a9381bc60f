import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ResultLine } from './report.js';
import { resultsDirectory } from './results.js';

/** What a benchmark came to when it last ran here; undefined when it never did. */
export function lastLine(id: string): ResultLine | undefined {
  try {
    const lines = readFileSync(join(resultsDirectory, `${id}.jsonl`), 'utf8')
      .trimEnd()
      .split('\n');
    return JSON.parse(lines.at(-1) ?? '') as ResultLine;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
