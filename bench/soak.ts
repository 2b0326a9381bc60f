import { renderTable } from '#libs/terminal/table.js';
import { importSkus } from '../deploy/local/import-skus.js';
import { type BenchMesh, startBenchMesh } from './drivers/bench-mesh.js';
import { driveStreams } from './drivers/drive.js';
import type { Stretch } from './drivers/open-loop.js';
import type { BenchmarkContext } from './frame/benchmark.js';
import type { Judged } from './frame/bounds.js';
import type { Findings, Survey } from './frame/survey.js';
import { Looks } from './soak/looks.js';
import { type Course, coursesOf } from './soak/slope.js';

const storeId = 'bench';
const noRateLimit = { perSecond: 1_000_000, burst: 1_000_000 };
const deadlineMs = 5_000;
const shareOfCapacity = 0.7;
/** Nobody pays, so that units come back all the time; beyond so many holds a second the rest is refused. */
const holdTtlSeconds = 30;
const skus = 100;
const capacityOfSku = 300;
const sizes = {
  /** Long enough to be flat or not; the quick one only shows that it works. */
  full: { find: { warmUp: 90_000, items: 60_000 }, parts: 4, partMs: 300_000, lookEveryMs: 10_000 },
  quick: { find: { warmUp: 3_000, items: 6_000 }, parts: 4, partMs: 6_000, lookEveryMs: 1_000 },
};
/** What may be larger after the soak than before, as a share; below `leastMean` a share means nothing. */
const flat = { atMost: 0.1 };
const leastMean = 1;
/** The mark of each request is kept for MARKS_KEEP_HOURS, so that Redis grows for as long; what counts is its bytes a key. */
const mayGrow = 'Redis MB';

/** Whether anything grows that should not while orders are held, end unpaid and are held again for twenty minutes. */
export const soak: Survey = {
  id: 'soak',
  title: `twenty minutes at ${shareOfCapacity} of what can be done: memory, connections, Redis, streams and tables`,
  apart: true,
  survey,
};

async function survey(context: BenchmarkContext): Promise<Findings> {
  const size = context.quick ? sizes.quick : sizes.full;
  const bench = await startBenchMesh(context);
  const skuIds = Array.from({ length: skus }, (_, n) => `soak-${n}`);
  await importSkus(
    bench.mesh.describe().services.inventory?.[0]?.grpc ?? '',
    skuIds.map((skuId) => ({
      ...{ skuId, storeId, title: skuId, capacity: capacityOfSku, priceMinor: 1500, holdTtlSeconds },
      rateLimit: noRateLimit,
    })),
  );
  const job = { addresses: [bench.mesh.describe().gateway], storeId, skuIds, deadlineMs };
  context.progress('finding out what can be done');
  const found = await driveStreams({ ...job, tag: 'find', load: { inFlight: 256, ...size.find } });
  const perSecond = Math.floor(shareOfCapacity * rateOf(found.phases[0]));
  const looks = await Looks.begin(() => bench.mesh.describe(), size.lookEveryMs);
  const parts: Stretch[] = [];
  try {
    for (let part = 0; part < size.parts; part += 1) {
      context.progress(`part ${part + 1} of ${size.parts}: ${perSecond} a second`);
      const load = { phases: [{ perSecond, ms: size.partMs }], windowMs: size.partMs, countRefused: true };
      const { phases } = await driveStreams({ ...job, tag: `part-${part}`, load });
      parts.push(...phases);
    }
  } finally {
    await looks.end();
  }
  const courses = coursesOf(looks.samples, size.partMs / 2);
  return {
    text: `${perSecond} requests a second\n\n${partsTable(parts)}\n\n${coursesTable(courses)}`,
    figures: { perSecond, parts, courses, samples: looks.samples },
    violations: await violationsOf(bench, parts),
    judged: context.quick ? [] : [...judgedParts(parts), ...judgedCourses(courses)],
  };
}

function rateOf(stretch: Stretch | undefined): number {
  return stretch === undefined ? 0 : stretch.sent / ((stretch.toMs - stretch.fromMs) / 1_000);
}

/** The ledger's audit, and anybody who was told neither yes nor no. */
async function violationsOf({ witness }: BenchMesh, parts: readonly Stretch[]): Promise<string[]> {
  const unanswered = parts.map(({ sent, served }) => sent - served).reduce((sum, one) => sum + one, 0);
  return [
    ...(unanswered === 0 ? [] : [`${unanswered} requests had neither a yes nor a no`]),
    ...(await witness.audited()),
  ];
}

function judgedParts(parts: readonly Stretch[]): Judged[] {
  const ratio = (parts.at(-1)?.servedP99Ms ?? Number.NaN) / (parts[0]?.servedP99Ms ?? Number.NaN);
  return [
    { words: 'p99 of the last part by that of the first', figure: ratio, gate: { atMost: 1.2 }, goal: { atMost: 1 } },
  ];
}

function judgedCourses(courses: readonly Course[]): Judged[] {
  return courses
    .filter(({ name, mean }) => mean >= leastMean && name !== mayGrow)
    .map(({ name, growth }) => ({ words: `growth of ${name}`, figure: growth, gate: flat, goal: { atMost: 0.02 } }));
}

function partsTable(parts: readonly Stretch[]): string {
  const titles = ['part', 'sent', 'held', 'refused', 'p50 ms', 'p99 ms'];
  const rows = parts.map(({ sent, outcomes, servedP50Ms, servedP99Ms }, n) => [
    `${n + 1}`,
    `${sent}`,
    `${(outcomes.HELD ?? 0) + (outcomes.PENDING ?? 0)}`,
    `${outcomes.REFUSED ?? 0}`,
    servedP50Ms.toFixed(1),
    servedP99Ms.toFixed(1),
  ]);
  return renderTable(
    titles.map((title) => ({ title, side: 'right' })),
    rows,
  );
}

function coursesTable(courses: readonly Course[]): string {
  const rows = courses.map(({ name, mean, slopePerTenMinutes, growth }) => [
    name,
    mean.toPrecision(4),
    slopePerTenMinutes.toPrecision(2),
    `${(growth * 100).toFixed(1)} %`,
  ]);
  return renderTable(
    [{ title: 'figure' }, ...['mean', 'slope in 10 min', 'growth'].map((title) => ({ title, side: 'right' as const }))],
    rows,
  );
}
