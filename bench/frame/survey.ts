import type { BenchmarkContext } from './benchmark.js';
import type { Judged } from './bounds.js';

/** What a survey found. */
export interface Findings {
  /** For people: a table and what follows from it. */
  text: string;
  /** The same as data. */
  figures: object;
  /** Laws that did not hold afterwards, in words. One is enough to void the survey. */
  violations: string[];
  /** Those of the figures that must come to something; absent where there are none. */
  judged?: Judged[];
}

/** Figures that are no ratio of two arms. */
export interface Survey {
  id: string;
  title: string;
  /** As of a benchmark. */
  sharesMesh?: boolean;
  /** Takes longer than its share of `all`, and runs only when it is named. */
  apart?: true;
  survey(context: BenchmarkContext): Promise<Findings>;
}
