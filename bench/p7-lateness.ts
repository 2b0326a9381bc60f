import { setTimeout as pause } from 'node:timers/promises';
import { renderTable } from '#libs/terminal/table.js';
import { type BenchMesh, storeId } from './drivers/bench-mesh.js';
import { type ClosedLoop, closedLoop } from './drivers/closed-loop.js';
import { DueHolds } from './drivers/due-holds.js';
import { freshTag } from './drivers/fresh-tag.js';
import { latenciesOf, type Stretch } from './drivers/open-loop.js';
import { encodeItem, StreamLoad } from './drivers/stream-load.js';
import type { BenchmarkContext } from './frame/benchmark.js';
import type { Judged } from './frame/bounds.js';
import { median } from './frame/paired-runs.js';
import type { Findings, Survey } from './frame/survey.js';

const holds = 10_000;
const skus = 100;
const inFlight = 256;
/** More than one round sells. */
const capacity = 1_000_000;
const deadlineMs = 5_000;
/** By then they are written and sales have been counted alone. */
const endInMs = 9_000;
const warmUpMs = 1_500;
const aloneMs = 2_000;
/** Sales are counted for so long after the last hold was released, while the events are told. */
const afterwardsMs = 2_000;
const endedWithinMs = 30_000;

/** What one round came to. */
interface Round {
  /** One for each hold. */
  lateMs: number[];
  /** Orders a second. */
  alone: number;
  beside: number;
  afterwards: number;
  violations: string[];
}

/** Whether holds end in time, and what that costs whoever buys meanwhile. */
export const expiryBesideSales: Survey = {
  id: 'P7b',
  title: `${holds} holds of ${skus} skus that end at one instant, beside ${inFlight} reservations of another sku in flight`,
  sharesMesh: true,
  survey,
};

async function survey(context: BenchmarkContext): Promise<Findings> {
  const bench = await context.shared.mesh();
  const rounds: Round[] = [];
  const count = context.quick ? 1 : 3;
  for (let round = 1; round <= count; round += 1) {
    context.progress(`round ${round} of ${count}`);
    rounds.push(await endHoldsOnce(bench, `${round}`));
  }
  const { servedP50Ms: p50Ms, servedP99Ms: p99Ms } = latenciesOf(rounds.flatMap(({ lateMs }) => lateMs));
  const share = median(rounds.map(({ alone, beside }) => beside / alone));
  return {
    text: describe(rounds),
    figures: {
      ...{ late_p50_ms: p50Ms, late_p99_ms: p99Ms, sales_share: share },
      rounds: rounds.map(({ alone, beside, afterwards }) => ({ alone, beside, afterwards })),
    },
    violations: rounds.flatMap(({ violations }) => violations),
    judged: judge(p99Ms, share),
  };
}

async function endHoldsOnce({ mesh, witness, putSkus }: BenchMesh, round: string): Promise<Round> {
  const tag = freshTag();
  const skuId = `sale-${tag}`;
  await putSkus([skuId], capacity);
  const dueHolds = await DueHolds.open(mesh.servers.urls.postgres, `due-${tag}-`);
  const sale = await openSale(mesh.describe().gateway, skuId);
  try {
    const endAt = new Date(Date.now() + endInMs);
    const aloneFrom = new Date(endAt.getTime() - aloneMs);
    await dueHolds.fill({ storeId, skus, holds, endAt });
    const restMs = aloneFrom.getTime() - warmUpMs - Date.now();
    if (restMs < 0) throw new Error('it took too long to write the holds');
    await pause(restMs);
    const sold = sale.run();
    await pause(endAt.getTime() - Date.now());
    const noneLeftAt = await dueHolds.ended(endedWithinMs);
    await pause(afterwardsMs);
    sale.stop();
    const stretch = await sold;
    const lateMs = await dueHolds.lateMs(endAt, noneLeftAt);
    const releasedAt = new Date(endAt.getTime() + Math.max(...lateMs));
    const found = [
      ...unexpected(stretch),
      ...(await dueHolds.violations(holds)),
      ...(await witness.violations([skuId], stretch.served)),
    ];
    return {
      lateMs,
      alone: await dueHolds.admittedPerSecond(skuId, aloneFrom, endAt),
      beside: await dueHolds.admittedPerSecond(skuId, endAt, releasedAt),
      afterwards: await dueHolds.admittedPerSecond(skuId, releasedAt, new Date(releasedAt.getTime() + afterwardsMs)),
      violations: found.map((text) => `round ${round}: ${text}`),
    };
  } finally {
    sale.close();
    await dueHolds.close();
  }
}

/** Reservations of one sku, the next as soon as one has its answer, until it is stopped. */
async function openSale(gateway: string, skuId: string): Promise<ClosedLoop & { close(): void }> {
  const wish = { storeId, skuId, tag: skuId, deadlineMs };
  const load = await StreamLoad.open([gateway], (item, outcome) => loop.end(item, outcome));
  const loop = closedLoop({ inFlight, warmUp: 0, items: capacity }, (from, to) =>
    load.send(
      0,
      Array.from({ length: to - from }, (_, n) => encodeItem(wish, from + n)),
    ),
  );
  return { ...loop, close: () => load.close() };
}

/** There is a unit for everybody. */
function unexpected({ outcomes }: Stretch): string[] {
  return Object.entries(outcomes)
    .filter(([outcome]) => !['HELD', 'PENDING'].includes(outcome))
    .map(([outcome, count]) => `${count} reservations ended with ${outcome}`);
}

function judge(lateP99Ms: number, salesShare: number): Judged[] {
  return [
    {
      words: 'p99 ms from the end of a hold to its release',
      figure: lateP99Ms,
      ...{ gate: { atMost: 5_000 }, goal: { atMost: 1_000 } },
    },
    {
      words: 'median share of the sales that go on meanwhile',
      figure: salesShare,
      ...{ gate: { atLeast: 0.5 }, goal: { atLeast: 0.7 } },
    },
  ];
}

function describe(rounds: readonly Round[]): string {
  const rows = rounds.map(({ lateMs, alone, beside, afterwards }) => {
    const { servedP50Ms, servedP99Ms } = latenciesOf(lateMs);
    return [servedP50Ms, servedP99Ms, Math.max(...lateMs), alone, beside, afterwards].map((figure) =>
      figure.toFixed(0),
    );
  });
  const titles = ['late ms, p50', 'p99', 'worst', 'orders/s before', 'meanwhile', 'afterwards'];
  return renderTable(
    titles.map((title) => ({ title, side: 'right' as const })),
    rows,
  );
}
