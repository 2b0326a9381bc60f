import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ResultLine } from './report.js';
import { resultsDirectory } from './results.js';

/** What a benchmark came to when it last ran to its end here; undefined when it never did. */
export function lastLine(id: string): ResultLine | undefined {
  try {
    const lines = readFileSync(join(resultsDirectory, `${id}.jsonl`), 'utf8')
      .trimEnd()
      .split('\n');
    return lines.map((line) => JSON.parse(line) as ResultLine).findLast((line) => 'arms' in line);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
