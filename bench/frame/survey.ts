import type { BenchmarkContext } from './benchmark.js';

/** What a survey found. */
export interface Findings {
  /** For people: a table and what follows from it. */
  text: string;
  /** The same as data. */
  figures: object;
  /** Laws that did not hold afterwards, in words. One is enough to void the survey. */
  violations: string[];
}

/** Figures over a range, side by side; no ratio that could pass a gate. */
export interface Survey {
  id: string;
  title: string;
  survey(context: BenchmarkContext): Promise<Findings>;
}
