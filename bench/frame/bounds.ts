import type { Benchmark, Range } from './benchmark.js';
import type { Outcome } from './paired-runs.js';

/** A figure in words, with what it must come to and what we are after. */
export interface Judged {
  words: string;
  figure: number;
  /** The least and the greatest where it is the middle of several. */
  lo?: number;
  hi?: number;
  gate?: Range;
  goal: Range;
}

/** Whether every gate is met. A figure that is not a number meets none. */
export function gatesMet(judged: readonly Judged[]): boolean {
  return judged.every(({ gate, figure }) => gate === undefined || isWithin(gate, figure));
}

/** The ratio of a benchmark and its counters that are bounded; one that was not counted is not a number. */
export function judgedFigures({ gate, goal, bounds = [] }: Benchmark, { a, b, reported, ratio }: Outcome): Judged[] {
  const { median = Number.NaN, ...spread } = ratio ?? {};
  return [
    { words: `ratio to ${b.name}`, figure: median, ...spread, gate: { atLeast: gate }, goal: { atLeast: goal } },
    ...bounds.map(({ arm, counter, ...ranges }) => {
      const figure = [a, b, ...reported].find(({ name }) => name === arm)?.counters[counter] ?? Number.NaN;
      return { words: `${counter} of ${arm}`, figure, ...ranges };
    }),
  ];
}

/** One line for each figure: what became of its gate and its goal. */
export function describeJudged(judged: readonly Judged[]): string[] {
  return judged.map((one) => {
    const gate = describeGate(one);
    const verdicts = [...(gate === '' ? [] : [`gate ${gate}`]), `goal ${describeGoal(one)}`];
    return `  ${one.words} ${describeFigure(one)}: ${verdicts.join(', ')}`;
  });
}

/** `7.5 (6.1 to 9)` */
export function describeFigure({ figure, lo, hi }: Judged): string {
  const spread = lo === undefined || hi === undefined ? '' : ` (${rounded(lo)} to ${rounded(hi)})`;
  return `${rounded(figure)}${spread}`;
}

/** `>= 3 met`; nothing where there is no gate. */
export function describeGate({ figure, gate }: Judged): string {
  return gate === undefined ? '' : `${describeRange(gate)} ${isWithin(gate, figure) ? 'met' : 'MISSED'}`;
}

/** `>= 8 met`, or how far the figure is from it: `>= 8 open, at 50 % of it`. */
export function describeGoal({ figure, goal }: Judged): string {
  const range = describeRange(goal);
  if (isWithin(goal, figure)) return `${range} met`;
  const limit = goal.atLeast !== undefined && figure < goal.atLeast ? goal.atLeast : goal.atMost;
  const share = figure / (limit ?? Number.NaN);
  return Number.isFinite(share) ? `${range} open, at ${(share * 100).toFixed(0)} % of it` : `${range} open`;
}

/** Four significant digits, whole numbers whole: more would be noise. */
export function rounded(value: number): number {
  return Number.isInteger(value) ? value : Number(value.toPrecision(4));
}

function isWithin(
  { atLeast = Number.NEGATIVE_INFINITY, atMost = Number.POSITIVE_INFINITY }: Range,
  figure: number,
): boolean {
  return figure >= atLeast && figure <= atMost;
}

function describeRange({ atLeast, atMost }: Range): string {
  return [atLeast === undefined ? '' : `>= ${atLeast}`, atMost === undefined ? '' : `<= ${atMost}`]
    .filter((text) => text !== '')
    .join(' and ');
}
