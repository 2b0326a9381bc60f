/** The metrics of one process at one moment: `name{labels}` to value. */
export interface Reading {
  address: string;
  samples: Map<string, number>;
}

export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

const SCRAPE_TIMEOUT_MS = 2_000;

/** Scrapes /metrics of admin addresses (`host:port`); a process that does not answer is left out. */
export async function scrape(addresses: string[]): Promise<Reading[]> {
  const readings = await Promise.all(
    addresses.map(async (address) => {
      try {
        const signal = AbortSignal.timeout(SCRAPE_TIMEOUT_MS);
        const response = await fetch(`http://${address}/metrics`, { signal });
        return { address, samples: parseMetrics(await response.text()) };
      } catch {
        return undefined;
      }
    }),
  );
  return readings.filter((reading) => reading !== undefined);
}

/** Reads the Prometheus text format; lines that are no samples are skipped. */
export function parseMetrics(text: string): Map<string, number> {
  const samples = new Map<string, number>();
  for (const line of text.split('\n')) {
    const space = line.lastIndexOf(' ');
    if (line.startsWith('#') || space < 0) continue;
    samples.set(line.slice(0, space), Number(line.slice(space + 1)));
  }
  return samples;
}

/**
 * What counters grew by between two scrapes, summed over all processes. A process that was restarted in between began
 * at zero again, and one that is new began there as well.
 */
export function increase(before: Reading[], after: Reading[]): Sample[] {
  const grown = new Map<string, number>();
  for (const { address, samples } of after) {
    const earlier = before.find((reading) => reading.address === address)?.samples;
    const sameProcess = earlier?.get(STARTED) === samples.get(STARTED);
    for (const [key, value] of samples) {
      const from = sameProcess ? (earlier?.get(key) ?? 0) : 0;
      grown.set(key, (grown.get(key) ?? 0) + value - from);
    }
  }
  return [...grown].map(([key, value]) => ({ ...parseKey(key), value }));
}

const STARTED = 'process_start_time_seconds';

/** The sum of all samples of one name that `counts` lets through. */
export function total(samples: Sample[], name: string, counts: (labels: Record<string, string>) => boolean): number {
  return samples
    .filter((sample) => sample.name === name && counts(sample.labels))
    .reduce((sum, sample) => sum + sample.value, 0);
}

/** The quantile of a histogram in milliseconds, linear within its bucket; 0 when nothing was observed. */
export function quantileMs(samples: Sample[], histogram: string, quantile: number): number {
  const counts = new Map<number, number>();
  for (const { name, labels, value } of samples) {
    if (name !== `${histogram}_bucket`) continue;
    const upTo = labels.le === '+Inf' ? Number.POSITIVE_INFINITY : Number(labels.le);
    counts.set(upTo, (counts.get(upTo) ?? 0) + value);
  }
  const buckets = [...counts].sort(([a], [b]) => a - b);
  const rank = quantile * (buckets.at(-1)?.[1] ?? 0);
  let [from, below] = [0, 0];
  for (const [upTo, count] of buckets) {
    if (count >= rank && count > below) {
      const seconds =
        upTo === Number.POSITIVE_INFINITY ? from : from + ((upTo - from) * (rank - below)) / (count - below);
      return seconds * 1000;
    }
    [from, below] = [upTo, count];
  }
  return 0;
}

function parseKey(key: string): Omit<Sample, 'value'> {
  const brace = key.indexOf('{');
  if (brace < 0) return { name: key, labels: {} };
  const pairs = [...key.slice(brace + 1, -1).matchAll(/([A-Za-z_][A-Za-z0-9_]*)="((?:[^"\\]|\\.)*)"/g)];
  return { name: key.slice(0, brace), labels: Object.fromEntries(pairs.map(([, label, value]) => [label, value])) };
}
