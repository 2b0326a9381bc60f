import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

const PREFIX = 'holdfast_';
/** Seconds: from a script in Redis (0.1 ms) to a call that used up its deadline. */
const LATENCY_BUCKETS_SECONDS = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
];

/** Between two looks at the delay of the event loop, which count it in: each wakes the process, whether it is busy or not. */
const EVENT_LOOP_LOOK_MS = 100;

/**
 * The metrics of one process. Each maker gives the metric of that name, made on the first call, so that two pools or
 * two clients of one process count into the same one. Names are given without the `holdfast_` prefix, in base units,
 * counters ending in `_total`; labels never carry a user, an order or a request id.
 */
export interface Metrics {
  counter(name: string, help: string, labels?: readonly string[]): Counter;
  /** `collect` is called at each scrape, which waits for it, and sets the gauge. */
  gauge(name: string, help: string, labels?: readonly string[], collect?: (gauge: Gauge) => unknown): Gauge;
  histogram(name: string, help: string, labels?: readonly string[], buckets?: readonly number[]): Histogram;
  /** The Prometheus text of everything, with the default metrics of the process (CPU, memory, event-loop delay, GC). */
  text(): Promise<string>;
  readonly contentType: string;
}

/** Makes an empty registry of its own, so that several services can run in one process under test. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_LOOK_MS });
  const registers = [registry];

  return {
    counter: (name, help, labels = []) =>
      existing(registry, name, Counter) ??
      new Counter({ name: PREFIX + name, help, labelNames: [...labels], registers }),
    gauge: (name, help, labels = [], collect) =>
      existing(registry, name, Gauge) ??
      new Gauge({
        name: PREFIX + name,
        help,
        labelNames: [...labels],
        registers,
        ...(collect && {
          async collect() {
            await collect(this);
          },
        }),
      }),
    histogram: (name, help, labels = [], buckets = LATENCY_BUCKETS_SECONDS) =>
      existing(registry, name, Histogram) ??
      new Histogram({
        name: PREFIX + name,
        help,
        labelNames: [...labels],
        buckets: [...buckets],
        registers,
      }),
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

function existing<Kind>(registry: Registry, name: string, kind: new (...args: never[]) => Kind): Kind | undefined {
  const metric: unknown = registry.getSingleMetric(PREFIX + name);
  if (metric === undefined) return undefined;
  if (metric instanceof kind) return metric;
  throw new TypeError(`${PREFIX}${name} is already a metric of another kind`);
}
