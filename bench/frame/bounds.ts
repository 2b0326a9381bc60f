import type { Bound, Range } from './benchmark.js';
import type { Outcome } from './paired-runs.js';

/** A figure in words, with what it must come to and what we are after. */
export interface Judged {
  words: string;
  figure: number;
  gate?: Range;
  goal: Range;
}

/** Whether every gate is met. A figure that is not a number meets none. */
export function gatesMet(judged: readonly Judged[]): boolean {
  return judged.every(({ gate, figure }) => gate === undefined || isWithin(gate, figure));
}

/** One line for each figure: what became of its gate and its goal. */
export function describeJudged(judged: readonly Judged[]): string[] {
  return judged.map(({ words, figure, gate, goal }) => {
    const verdicts = [
      ...(gate ? [`gate ${describeRange(gate)} ${isWithin(gate, figure) ? 'met' : 'MISSED'}`] : []),
      `goal ${describeRange(goal)} ${isWithin(goal, figure) ? 'met' : 'open'}`,
    ];
    return `  ${words} ${figure.toPrecision(4)}: ${verdicts.join(', ')}`;
  });
}

/** The counters that are bounded; one that was not counted is not a number. */
export function judgedCounters(bounds: readonly Bound[], { a, b, reported }: Outcome): Judged[] {
  return bounds.map(({ arm, counter, ...ranges }) => {
    const figure = [a, b, ...reported].find(({ name }) => name === arm)?.counters[counter] ?? Number.NaN;
    return { words: `${counter} of ${arm}`, figure, ...ranges };
  });
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
