import { setTimeout as pause } from 'node:timers/promises';
import type { PrivateServer } from '#libs/servers/private-server.js';
import { renderTable } from '#libs/terminal/table.js';
import { type BenchMesh, startBenchMesh, storeId } from './drivers/bench-mesh.js';
import { firstHeldMs, longestGapMs, SteadyFlow } from './drivers/steady-flow.js';
import { StockSwitch } from './drivers/stock-switch.js';
import { encodeItem, StreamLoad } from './drivers/stream-load.js';
import type { BenchmarkContext } from './frame/benchmark.js';
import type { Judged } from './frame/bounds.js';
import { median } from './frame/paired-runs.js';
import type { Findings, Survey } from './frame/survey.js';

const perSecond = 500;
const deadlineMs = 3_000;
/** More than all rounds together ask for. */
const capacity = 1_000_000;
/** The timeout that services have by default, and no word about a Redis that is away: it is meant to be. */
const env = { REDIS_TIMEOUT_MS: '250', LOG_LEVEL: 'error' };
const warmUpMs = { full: 3_000, quick: 1_000 };
const settleMs = 1_000;
const awayMs = 2_000;
const backWithinMs = 30_000;
const flips = { full: 5, quick: 2 };
const betweenFlipsMs = 200;

/** What every round came to, in milliseconds. */
interface Figures {
  first_held_ms: number[];
  kill_gap_ms: number[];
  gate_back_ms: number[];
  flip_gap_ms: number[];
  calm_gap_ms: number[];
}

const words: Record<keyof Figures, string> = {
  first_held_ms: 'from the kill of Redis to the first HELD for somebody who came when it was gone',
  kill_gap_ms: 'longest time without a HELD while Redis dies and is away',
  gate_back_ms: 'from the start of Redis until orders go by the gate again',
  flip_gap_ms: 'longest time without a HELD while the stock path is switched there and back',
  calm_gap_ms: 'the same in as much time without a switch',
};

/** Whether anybody notices that the way into the ledger changes. */
export const degradeGap: Survey = {
  id: 'P14',
  title: `${perSecond} orders a second of one sku while Redis is killed, and while the stock path is switched`,
  survey,
};

async function survey(context: BenchmarkContext): Promise<Findings> {
  const bench = await startBenchMesh(context, { env });
  const { redis } = bench.mesh.servers.private;
  if (redis === undefined) throw new Error('the mesh has no Redis of its own');
  const stockSwitch = new StockSwitch(bench.mesh.describe());
  context.life.closer('switch', () => stockSwitch.close());
  const figures: Figures = { first_held_ms: [], kill_gap_ms: [], gate_back_ms: [], flip_gap_ms: [], calm_gap_ms: [] };
  const tells = [await underLoad(bench, 'warm', () => pause(context.quick ? warmUpMs.quick : warmUpMs.full))];
  const rounds = context.quick ? 1 : 3;
  for (let round = 1; round <= rounds; round += 1) {
    context.progress(`round ${round} of ${rounds}: Redis is killed`);
    const killed = await underLoad(bench, `kill-${round}`, (flow) => killRedis(flow, redis, stockSwitch, figures));
    context.progress(`round ${round} of ${rounds}: the stock path is switched`);
    const flipped = await underLoad(bench, `flip-${round}`, (flow) =>
      flip(flow, { stockSwitch, figures, times: context.quick ? flips.quick : flips.full }),
    );
    tells.push(killed, flipped);
  }
  const sent = tells.reduce((total, told) => total + told.sent, 0);
  const untold = tells.reduce((total, told) => total + told.untold, 0);
  return {
    text: `${describe(figures)}\n  ${untold} of ${sent} orders were told neither HELD nor PENDING`,
    figures: { ...figures, sent, untold },
    violations: tells.flatMap(({ violations }) => violations),
    judged: judge(figures),
  };
}

/** What became of the orders of one sku. */
interface Told {
  sent: number;
  /** Neither HELD nor PENDING. */
  untold: number;
  violations: string[];
}

/** Does something while orders of a sku of its own come, and checks the laws afterwards. */
async function underLoad(
  { mesh, witness, putSkus }: BenchMesh,
  skuId: string,
  act: (flow: SteadyFlow) => Promise<void>,
): Promise<Told> {
  await putSkus([skuId], capacity);
  const load = await StreamLoad.open([mesh.describe().gateway], (item, outcome) => flow.ended(item, outcome));
  const wish = { storeId, skuId, tag: skuId, deadlineMs };
  const flow = new SteadyFlow(perSecond, (from, to) =>
    load.send(
      0,
      Array.from({ length: to - from }, (_, n) => encodeItem(wish, from + n)),
    ),
  );
  try {
    await act(flow);
  } finally {
    await flow.stop(deadlineMs);
    load.close();
  }
  const { sent, promised } = flow;
  const { REFUSED: refused = 0 } = flow.outcomes;
  const untold = sent - promised;
  const found = await witness.violations([skuId], promised, untold - refused);
  if (refused > 0) found.push(`${refused} were refused, and there was enough for all`);
  return { sent, untold, violations: found.map((text) => `${skuId}: ${text}`) };
}

async function killRedis(
  { held }: SteadyFlow,
  redis: PrivateServer,
  stockSwitch: StockSwitch,
  figures: Figures,
): Promise<void> {
  await pause(settleMs);
  const killedAt = performance.now();
  await redis.kill();
  const goneAt = performance.now();
  await pause(awayMs);
  await stockSwitch.untilOrdersGo('POSTGRES', backWithinMs);
  figures.first_held_ms.push(firstHeldMs(held, goneAt) + goneAt - killedAt);
  figures.kill_gap_ms.push(longestGapMs(held, killedAt, performance.now()));
  const startedAt = performance.now();
  await Promise.all([redis.start(), stockSwitch.untilOrdersGo('REDIS', backWithinMs)]);
  figures.gate_back_ms.push(performance.now() - startedAt);
  await pause(settleMs);
}

async function flip(
  { held }: SteadyFlow,
  { stockSwitch, figures, times }: { stockSwitch: StockSwitch; figures: Figures; times: number },
): Promise<void> {
  await pause(settleMs);
  const begun = performance.now();
  for (let n = 1; n <= times; n += 1) {
    await stockSwitch.set('POSTGRES');
    await pause(betweenFlipsMs);
    await stockSwitch.set('AUTO');
    await pause(betweenFlipsMs);
  }
  const tookMs = performance.now() - begun;
  figures.flip_gap_ms.push(longestGapMs(held, begun, begun + tookMs));
  await pause(settleMs);
  const calm = performance.now();
  await pause(tookMs);
  figures.calm_gap_ms.push(longestGapMs(held, calm, calm + tookMs));
}

function judge(figures: Figures): Judged[] {
  const longer = figures.flip_gap_ms.map((gap, round) => gap - (figures.calm_gap_ms[round] ?? Number.NaN));
  return [
    {
      words: 'median ms from the kill to the first HELD',
      figure: median(figures.first_held_ms),
      ...{ gate: { atMost: 1_000 }, goal: { atMost: 200 } },
    },
    {
      words: 'longest ms from the start of Redis until the gate is in use',
      figure: Math.max(...figures.gate_back_ms),
      ...{ gate: { atMost: 10_000 }, goal: { atMost: 3_000 } },
    },
    {
      words: 'median ms by which the longest gap is longer while the path is switched',
      figure: median(longer),
      ...{ gate: { atMost: 100 }, goal: { atMost: 0 } },
    },
  ];
}

function describe(figures: Figures): string {
  const rows = (Object.keys(words) as (keyof Figures)[]).map((name) => {
    const all = figures[name];
    return [
      words[name],
      ...[median(all), Math.max(...all)].map((ms) => ms.toFixed(0)),
      all.map((ms) => ms.toFixed(0)).join(' '),
    ];
  });
  const columns = ['ms', 'median', 'worst', 'rounds'].map((title) => ({
    title,
    side: title === 'median' || title === 'worst' ? ('right' as const) : ('left' as const),
  }));
  return renderTable(columns, rows);
}
