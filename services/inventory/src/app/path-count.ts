import type { Metrics } from '#libs/runtime/metrics.js';

/** Through the gate or past it; and what it let in, by the stream or past it. */
export type Path = 'REDIS' | 'POSTGRES' | 'STREAM' | 'DIRECT';

/** Counts which ways orders went. */
export class PathCount {
  private readonly counter;

  constructor(metrics: Pick<Metrics, 'counter'>) {
    this.counter = metrics.counter('path_total', 'Orders by the ways they went', ['path']);
  }

  add(path: Path): void {
    this.counter.inc({ path });
  }
}
