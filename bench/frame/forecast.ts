import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Line } from './report.js';

/** So long one takes of which nothing is known. */
const unknownSeconds = 30;

/** Guesses how long benchmarks will take: as long as when they last ran, by the results in `directory`. */
export class Forecast {
  readonly #seconds: Map<string, number>;

  constructor(directory: string, ids: readonly string[], quick: boolean) {
    this.#seconds = new Map(ids.map((id) => [id, lastSeconds(join(directory, `${id}.jsonl`), quick)]));
  }

  /** Seconds until all of these have ended, the first of which has been running for `begunS`. */
  left(ids: readonly string[], begunS: number): number {
    const [current, ...others] = ids.map((id) => this.#seconds.get(id) ?? unknownSeconds);
    return others.reduce((sum, seconds) => sum + seconds, Math.max(0, (current ?? 0) - begunS));
  }
}

function lastSeconds(file: string, quick: boolean): number {
  let text = '';
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return unknownSeconds; // It never ran.
  }
  const lines = text.split('\n').filter((line) => line !== '');
  const last = lines.map((line) => JSON.parse(line) as Partial<Line>).findLast((line) => line.quick === quick);
  return last?.took_s ?? unknownSeconds;
}
