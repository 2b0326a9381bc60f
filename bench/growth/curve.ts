import { renderTable } from '#libs/terminal/table.js';
import type { BenchmarkContext } from '../frame/benchmark.js';

/** What was measured at one size; figures by name, unit first as in `orders/s` or `us of CPU an order`. */
export interface CurvePoint {
  size: number;
  figures: Record<string, number>;
}

/** Figures that change, or do not, while one thing grows. */
export interface Curve {
  /** What grows. */
  of: string;
  points: CurvePoint[];
}

/** A curve, and the laws that did not hold afterwards, in words. */
export type MeasuredCurve = Curve & { violations: string[] };

export type MeasureCurve = (context: BenchmarkContext) => Promise<MeasuredCurve>;

/** The names of all figures, in the order in which they first appear. */
export function figureNames({ points }: Curve): string[] {
  return [...new Set(points.flatMap(({ figures }) => Object.keys(figures)))];
}

/** The curve as a table, a row for each size. */
export function curveTable(curve: Curve): string {
  const names = figureNames(curve);
  const columns = [curve.of, ...names].map((title) => ({ title, side: 'right' as const }));
  const rows = curve.points.map(({ size, figures }) => [
    size.toLocaleString('en'),
    ...names.map((name) => shownFigure(figures[name])),
  ]);
  return renderTable(columns, rows);
}

/** Three significant digits; a dash for what was not measured. */
export function shownFigure(figure: number | undefined): string {
  if (figure === undefined || Number.isNaN(figure)) return '-';
  return Math.abs(figure) >= 100 ? Math.round(figure).toLocaleString('en') : `${Number(figure.toPrecision(3))}`;
}
