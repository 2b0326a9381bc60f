/** What was seen at one moment, by name. */
export interface Sample {
  /** Milliseconds since the first. */
  atMs: number;
  figures: Record<string, number>;
}

/** One figure over a run. */
export interface Course {
  name: string;
  mean: number;
  /** By the line that fits best: what is added in ten minutes. */
  slopePerTenMinutes: number;
  /** What that line adds from its first sample to the last, as a share of its value at the first. */
  growth: number;
}

const tenMinutesMs = 600_000;

/** How each figure went; those of the first `settlingMs` do not count. */
export function coursesOf(samples: readonly Sample[], settlingMs: number): Course[] {
  const settled = samples.filter(({ atMs }) => atMs >= settlingMs);
  const names = [...new Set(settled.flatMap(({ figures }) => Object.keys(figures)))];
  return names.map((name) => {
    const points = settled.flatMap(({ atMs, figures }) => {
      const figure = figures[name];
      return figure === undefined ? [] : [{ atMs, figure }];
    });
    const [meanAt, mean] = [meanOf(points.map(({ atMs }) => atMs)), meanOf(points.map(({ figure }) => figure))];
    const spread = points.reduce((sum, { atMs }) => sum + (atMs - meanAt) ** 2, 0);
    const slope = points.reduce((sum, { atMs, figure }) => sum + (atMs - meanAt) * (figure - mean), 0) / (spread || 1);
    const [from, to] = [points[0]?.atMs ?? 0, points.at(-1)?.atMs ?? 0];
    const atFirst = mean + slope * (from - meanAt);
    const growth = atFirst === 0 ? 0 : (slope * (to - from)) / Math.abs(atFirst);
    return { name, mean, slopePerTenMinutes: slope * tenMinutesMs, growth };
  });
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
