/** What one way of doing the work did under one load; smaller figures are better. */
export interface Point {
  /** The load, per second. */
  rate: number;
  /** Infinity where it could not keep up. */
  figure: number;
}

/** What is not better by so much is noise. */
const clearlyBetter = 0.9;

/**
 * The lowest load from which on `later` is clearly better than `earlier`, at that load and at every higher one that both
 * were measured at; undefined when there is none. Where neither kept up nothing is said.
 */
export function crossover(earlier: readonly Point[], later: readonly Point[]): number | undefined {
  const figures = new Map(later.map(({ rate, figure }) => [rate, figure]));
  let from: number | undefined;
  for (const { rate, figure } of [...earlier].sort((a, b) => b.rate - a.rate)) {
    const other = figures.get(rate);
    if (other === undefined || (figure === Number.POSITIVE_INFINITY && other === figure)) continue;
    if (other > figure * clearlyBetter) return from;
    from = rate;
  }
  return from;
}
