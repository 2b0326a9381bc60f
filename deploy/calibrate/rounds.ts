import { median } from '../../bench/frame/paired-runs.js';

/** Measures one thing by doing the same work again and again. */
export interface Meter {
  name: string;
  /** Does the work once, under names that begin with the tag, and says how much of it was done per second. */
  run(tag: string): Promise<number>;
  close(): Promise<void>;
}

/** What the runs of one meter did per second. */
export interface Repeated {
  /** The median. */
  perSecond: number;
  lowest: number;
  highest: number;
  runs: number;
}

export interface RoundsOptions {
  runs: number;
  /** Called before each run: lets what the last one left behind come to an end. */
  settle(): Promise<void>;
  report(line: string): void;
}

/**
 * Runs all meters in turn, once to warm up and then so many times. In turn, because whatever else the machine does for
 * some seconds then spoils one run of each and not all runs of one: the medians stay.
 */
export async function runRounds(meters: readonly Meter[], options: RoundsOptions): Promise<Repeated[]> {
  const { runs, settle, report } = options;
  const rates = meters.map((): number[] => []);
  for (let round = 0; round <= runs; round += 1) {
    for (const [index, meter] of meters.entries()) {
      report(
        round === 0 ? `warming up: ${meter.name}` : `run ${round} of ${runs}: ${meter.name}${soFar(rates[index])}`,
      );
      await settle();
      const rate = await meter.run(round === 0 ? 'warm' : `r${round}`);
      if (round > 0) rates[index]?.push(rate);
    }
  }
  return rates.map((all) => ({ perSecond: median(all), lowest: Math.min(...all), highest: Math.max(...all), runs }));
}

function soFar(rates: number[] = []): string {
  return rates.length === 0 ? '' : `, so far ${Math.round(median(rates)).toLocaleString('en-US')}/s`;
}
