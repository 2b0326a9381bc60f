import type { Bound, Range } from './benchmark.js';
import type { Outcome } from './paired-runs.js';

/** Whether every gate among the bounds is met. A counter that was not counted meets none. */
export function boundsMet(bounds: readonly Bound[], outcome: Outcome): boolean {
  return bounds.every((bound) => bound.gate === undefined || isWithin(bound.gate, figureOf(bound, outcome)));
}

/** One line for each bound: the figure, and what became of its gate and its goal. */
export function describeBounds(bounds: readonly Bound[], outcome: Outcome): string[] {
  return bounds.map((bound) => {
    const { arm, counter, gate, goal } = bound;
    const figure = figureOf(bound, outcome);
    const verdicts = [
      ...(gate ? [`gate ${describeRange(gate)} ${isWithin(gate, figure) ? 'met' : 'MISSED'}`] : []),
      `goal ${describeRange(goal)} ${isWithin(goal, figure) ? 'met' : 'open'}`,
    ];
    return `  ${counter} of ${arm} ${figure.toPrecision(4)}: ${verdicts.join(', ')}`;
  });
}

function figureOf({ arm, counter }: Bound, { a, b, reported }: Outcome): number {
  return [a, b, ...reported].find(({ name }) => name === arm)?.counters[counter] ?? Number.NaN;
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
