import type { Metrics } from '#libs/runtime/metrics.js';

/** Counts the refusals that were answered, by whether the order has a row that says so. */
export class RefusalCount {
  private readonly counters: { recorded: { inc(): void }; unrecorded: { inc(): void } };
  private recorded = 0;
  private unrecorded = 0;

  constructor(metrics: Pick<Metrics, 'counter'>) {
    const counter = metrics.counter('refusals_total', 'Refusals answered, by whether they have a row.', ['recorded']);
    this.counters = {
      recorded: counter.labels({ recorded: 'true' }),
      unrecorded: counter.labels({ recorded: 'false' }),
    };
  }

  add({ recorded }: { recorded: boolean }): void {
    this[recorded ? 'recorded' : 'unrecorded'] += 1;
    this.counters[recorded ? 'recorded' : 'unrecorded'].inc();
  }

  get stats(): { recorded: number; unrecorded: number } {
    return { recorded: this.recorded, unrecorded: this.unrecorded };
  }
}
