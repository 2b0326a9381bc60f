import type { DispensableServer } from '../../deploy/local/topology.js';
import { increase, type Reading, scrape, total } from '../../deploy/rush/readings.js';
import type { BenchmarkContext } from '../frame/benchmark.js';
import { type BenchMesh, startBenchMesh, storeId } from './bench-mesh.js';
import { driveStreams } from './drive.js';
import { meterMesh } from './mesh-meter.js';
import { isServed, type Stretch } from './open-loop.js';
import { meterCpu } from './process-cpu.js';
import { memoryMb } from './process-memory.js';

/** Orders of which each gets a unit, and requests for what is sold out. */
export const loadNames = ['orders', 'refusals'] as const;
export type LoadName = (typeof loadNames)[number];

/** What one set-up did with so many a second. */
export interface Step {
  load: LoadName;
  perSecond: number;
  /** Of what was sent: a yes, or where nothing is left a no. */
  answeredShare: number;
  p50Ms: number;
  p99Ms: number;
  /** CPU time by duration: of Postgres, and of all services and servers together. */
  postgresCores: number;
  allCores: number;
  transactionsPerItem: number;
  /** Of the refusals: those that left no row. */
  rowlessShare: number;
  /** CPU time of the load generator by duration: near 1 it was the bottleneck. */
  driverCores: number;
  keptUp: boolean;
}

const skusOfStep = 16;
const deadlineMs = 5_000;
/** Before what is measured, at the same rate. */
const settleMs = 500;
/** So few items would make a p99 of chance. */
const leastItems = 100;
/** Whoever leaves more without an answer, or lets them wait longer, cannot keep up. */
const keptUpShare = 0.98;
const keptUpP99Ms = 1_000;
const warmUpRate = 400;

/** A mesh without some of its servers, and the loads that it is put under. */
export class SetUpUnderLoad {
  readonly steps: Step[] = [];
  readonly #bench: BenchMesh;
  #skus = 0;
  /** Orders that were told yes, and tries whose end nobody knows, by their skus. */
  readonly #told = new Map<string[], { yes: number; unknown: number }>();

  private constructor(
    readonly name: string,
    bench: BenchMesh,
  ) {
    this.#bench = bench;
  }

  static async start(
    context: BenchmarkContext,
    { name, without }: { name: string; without: DispensableServer[] },
  ): Promise<SetUpUnderLoad> {
    return new SetUpUnderLoad(name, await startBenchMesh(context, { name: name.replaceAll(' ', '-'), without }));
  }

  /** Compiles what is used, and lets the marks become old enough to prove something. */
  async warmUp(ms: number): Promise<void> {
    for (const load of loadNames) await this.#drive(load, warmUpRate, ms);
  }

  /** One more load of that kind; left out when this set-up could not keep up with a smaller one. */
  async step(load: LoadName, perSecond: number, ms: number): Promise<void> {
    if (this.steps.some((step) => step.load === load && !step.keptUp)) return;
    const longEnoughMs = Math.max(ms, (leastItems / perSecond) * 1_000);
    this.steps.push(await this.#drive(load, perSecond, longEnoughMs));
  }

  stepOf(load: LoadName, perSecond: number): Step | undefined {
    return this.steps.find((step) => step.load === load && step.perSecond === perSecond);
  }

  /** What it costs while nobody comes: CPU time by duration from now on, and memory. */
  meterIdle(): () => { cores: number; memoryMb: Record<string, number> } {
    const { services, infra } = this.#bench.mesh.describe();
    const processes = [
      ...Object.entries(services).map(([name, [one]]) => [name, one] as const),
      ...Object.entries(infra),
    ];
    const begun = performance.now();
    const spent = meterCpu(Object.fromEntries(processes.map(([name, one]) => [name, one?.pid])));
    return () => ({
      cores: microsecondsOf(spent(1)) / 1_000 / (performance.now() - begun),
      memoryMb: Object.fromEntries(processes.map(([name, one]) => [name, memoryMb(one?.pid)])),
    });
  }

  /** Whoever was told yes has an order, and nobody beyond those whose end is unknown; and what the ledger's audit finds. */
  async violations(): Promise<string[]> {
    const found: string[] = [];
    for (const [skuIds, { yes, unknown }] of this.#told) {
      const rows = await Promise.all(skuIds.map((skuId) => this.#bench.witness.skuRows(skuId)));
      const held = rows.reduce((sum, row) => sum + row.held, 0);
      if (held < yes || held > yes + unknown) {
        found.push(`${this.name}: ${held} orders are held, ${yes} were told yes and ${unknown} nothing`);
      }
    }
    return [...found, ...(await this.#bench.witness.audited()).map((text) => `${this.name}: ${text}`)];
  }

  async #drive(load: LoadName, perSecond: number, ms: number): Promise<Step> {
    const phases = [
      { perSecond, ms: settleMs },
      { perSecond, ms },
    ];
    const items = phases.reduce((sum, phase) => sum + Math.round((phase.perSecond * phase.ms) / 1_000), 0);
    const skuIds = await this.#putSkus(load, items);
    const { services, gateway } = this.#bench.mesh.describe();
    const inventories = services.inventory?.map(({ admin }) => admin) ?? [];
    const [before, meter] = [await scrape(inventories), await meterMesh(this.#bench.mesh.describe())];
    const begun = performance.now();
    const job = { addresses: [gateway], storeId, skuIds, tag: skuIds[0] ?? '', deadlineMs };
    const countRefused = load === 'refusals';
    const { phases: stretches, busyShare } = await driveStreams({
      ...job,
      load: { phases, windowMs: 1_000, countRefused },
    });
    const tookMs = performance.now() - begun;
    const spent = await meter(items);
    const cores = (microseconds: number): number => (microseconds * items) / 1_000 / tookMs;
    const [settling, stretch] = stretches;
    if (settling === undefined || stretch === undefined) throw new Error('the driver reported too little');
    this.#remember(skuIds, [settling, stretch]);
    const answeredShare = stretch.served / stretch.sent;
    return {
      ...{ load, perSecond, answeredShare, p50Ms: stretch.servedP50Ms, p99Ms: stretch.servedP99Ms },
      postgresCores: cores(spent.postgres_cpu_us_per_item ?? 0),
      allCores: cores(microsecondsOf(spent)),
      transactionsPerItem: spent.pg_transactions_per_item ?? 0,
      rowlessShare: rowlessShare(before, await scrape(inventories)),
      driverCores: busyShare,
      keptUp: answeredShare >= keptUpShare && stretch.servedP99Ms <= keptUpP99Ms,
    };
  }

  /** Skus with units for everybody, or with none at all. */
  async #putSkus(load: LoadName, items: number): Promise<string[]> {
    const skuIds = Array.from({ length: skusOfStep }, (_, n) => `${load}-${this.#skus + n}`);
    this.#skus += skusOfStep;
    const capacity = load === 'orders' ? Math.ceil(items / skusOfStep) : 0;
    await this.#bench.putSkus(skuIds, capacity);
    return skuIds;
  }

  #remember(skuIds: string[], stretches: Stretch[]): void {
    const count = (counts: (outcome: string) => boolean): number =>
      stretches
        .flatMap(({ outcomes }) => Object.entries(outcomes))
        .reduce((sum, [outcome, times]) => sum + (counts(outcome) ? times : 0), 0);
    this.#told.set(skuIds, { yes: count(isServed), unknown: count((outcome) => !isServed(outcome)) });
  }
}

function microsecondsOf(counters: Record<string, number>): number {
  return Object.entries(counters).reduce(
    (sum, [name, value]) => sum + (name.endsWith('_cpu_us_per_item') ? value : 0),
    0,
  );
}

function rowlessShare(before: Reading[], after: Reading[]): number {
  const grown = increase(before, after);
  const refusals = (counts: (recorded: string | undefined) => boolean): number =>
    total(grown, 'holdfast_refusals_total', ({ recorded }) => counts(recorded));
  return (
    refusals((recorded) => recorded === 'false') /
    Math.max(
      1,
      refusals(() => true),
    )
  );
}
