import { setTimeout as pause } from 'node:timers/promises';
import { renderTable } from '#libs/terminal/table.js';
import type { DispensableServer } from '../deploy/local/topology.js';
import { type LoadName, loadNames, SetUpUnderLoad, type Step } from './drivers/set-up-under-load.js';
import type { BenchmarkContext } from './frame/benchmark.js';
import { crossover } from './frame/crossover.js';
import type { Findings, Survey } from './frame/survey.js';

/** What is measured at what size. */
interface Sizes {
  rates: Record<LoadName, number[]>;
  stepMs: number;
  warmUpMs: number;
  idleMs: number;
}

const full: Sizes = {
  rates: { orders: [25, 100, 400, 800, 1_600, 3_200], refusals: [100, 400, 1_600, 3_200, 6_400, 12_800] },
  ...{ stepMs: 2_500, warmUpMs: 3_000, idleMs: 5_000 },
};
const small: Sizes = {
  rates: { orders: [200, 400], refusals: [800] },
  ...{ stepMs: 500, warmUpMs: 300, idleMs: 500 },
};

const named: { name: string; without: DispensableServer[] }[] = [
  { name: 'Postgres alone', without: ['redis', 'nats'] },
  { name: 'Postgres and Redis', without: ['nats'] },
  { name: 'all three', without: [] },
];

/** Which set-up to take: what each of the three does with orders and with refusals while more and more of them come. */
export const setUps: Survey = {
  id: 'P15',
  title: 'three set-ups over rising load, open loop: Postgres alone, with Redis, with Redis and NATS',
  survey,
};

/** All three are up and take turns, so that whatever else the machine does weighs on all alike. */
async function survey(context: BenchmarkContext): Promise<Findings> {
  const sizes = context.quick ? small : full;
  const meshes = await Promise.all(named.map((one) => SetUpUnderLoad.start(context, one)));
  for (const mesh of meshes) await mesh.warmUp(sizes.warmUpMs);
  const idle = meshes.map((mesh) => mesh.meterIdle());
  await pause(sizes.idleMs);
  const costs = idle.map((read) => read());
  for (const load of loadNames) {
    for (const [round, rate] of sizes.rates[load].entries()) {
      for (const mesh of round % 2 === 0 ? meshes : meshes.toReversed()) {
        context.progress(`${rate} ${load} a second: ${mesh.name}`);
        await mesh.step(load, rate, sizes.stepMs);
      }
    }
  }
  const violations: string[] = [];
  for (const mesh of meshes) violations.push(...(await mesh.violations()));
  return {
    text: [...loadNames.flatMap((load) => describeLoad(load, meshes)), describeCosts(meshes, costs)].join('\n\n'),
    figures: {
      steps: Object.fromEntries(meshes.map(({ name, steps }) => [name, steps])),
      idle: Object.fromEntries(meshes.map(({ name }, at) => [name, costs[at]])),
      crossovers: loadNames.flatMap((load) => crossovers(load, meshes)),
    },
    violations,
  };
}

const measures = [
  { measure: 'p99', of: ({ p99Ms, keptUp }: Step) => (keptUp ? p99Ms : Number.POSITIVE_INFINITY) },
  {
    measure: 'CPU of Postgres',
    of: ({ postgresCores, keptUp }: Step) => (keptUp ? postgresCores : Number.POSITIVE_INFINITY),
  },
] as const;

interface Crossover {
  load: LoadName;
  measure: string;
  from: string;
  to: string;
  /** Absent: not up to the highest rate that was measured. */
  perSecond?: number;
}

function crossovers(load: LoadName, meshes: readonly SetUpUnderLoad[]): Crossover[] {
  return meshes.slice(1).flatMap((larger, at) =>
    measures.map(({ measure, of }) => {
      const [earlier, later] = [meshes[at], larger].map((mesh) =>
        (mesh?.steps ?? [])
          .filter((step) => step.load === load)
          .map((step) => ({ rate: step.perSecond, figure: of(step) })),
      );
      const perSecond = crossover(earlier ?? [], later ?? []);
      const words = { load, measure, from: meshes[at]?.name ?? '', to: larger.name };
      return { ...words, ...(perSecond !== undefined && { perSecond }) };
    }),
  );
}

function describeLoad(load: LoadName, meshes: readonly SetUpUnderLoad[]): string[] {
  const rates = [
    ...new Set(
      meshes
        .flatMap(({ steps }) => steps)
        .filter((step) => step.load === load)
        .map((step) => step.perSecond),
    ),
  ];
  const rows = rates.flatMap((rate) => meshes.map((mesh) => rowOf(mesh.name, rate, mesh.stepOf(load, rate))));
  const titles = [
    `${load}/s`,
    'set-up',
    'answered',
    'p50 ms',
    'p99 ms',
    'Postgres',
    'all',
    'transactions',
    'without a row',
  ];
  const columns = titles.map((title) => ({ title, side: title === 'set-up' ? ('left' as const) : ('right' as const) }));
  const sentences = crossovers(load, meshes).map(({ measure, from, to, perSecond }) => {
    const when = perSecond === undefined ? 'at none of these rates' : `from ${perSecond}/s on`;
    return `  ${measure} of ${load}: ${to} is better than ${from} ${when}`;
  });
  return [`${renderTable(columns, rows)}`, sentences.join('\n')];
}

function rowOf(name: string, rate: number, step: Step | undefined): string[] {
  if (step === undefined) return [`${rate}`, name, 'left out: too much before'];
  const { answeredShare, p50Ms, p99Ms, postgresCores, allCores, transactionsPerItem, rowlessShare } = step;
  return [
    `${rate}`,
    name,
    percent(answeredShare),
    p50Ms.toFixed(1),
    p99Ms.toFixed(1),
    percent(postgresCores),
    percent(allCores),
    transactionsPerItem.toFixed(2),
    step.load === 'refusals' ? percent(rowlessShare) : '',
  ];
}

function describeCosts(
  meshes: readonly SetUpUnderLoad[],
  costs: readonly { cores: number; memoryMb: Record<string, number> }[],
): string {
  const rows = meshes.map(({ name }, at) => {
    const { cores = 0, memoryMb = {} } = costs[at] ?? {};
    const parts = Object.entries(memoryMb).map(([part, mb]) => `${part} ${mb.toFixed(0)}`);
    const sum = Object.values(memoryMb).reduce((total, mb) => total + mb, 0);
    return [name, `${(cores * 100).toFixed(1)} %`, sum.toFixed(0), parts.join(', ')];
  });
  const titles = ['idle', 'CPU', 'memory MB', 'of which'];
  return renderTable(
    titles.map((title) => ({ title })),
    rows,
  );
}

function percent(share: number): string {
  return `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;
}
