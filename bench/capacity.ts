import { renderTable } from '#libs/terminal/table.js';
import { type Costs, needOf, type RequestCost, type Surge } from './capacity/model.js';
import { lastLine } from './frame/last-line.js';
import type { Findings, Survey } from './frame/survey.js';

const mesh = 'mesh';
/** Orders a second that one ledger commits, by P5. */
const drain = 'order service';
const parts = ['bff', 'gateway', 'inventory', 'order', 'scheduler', 'redis', 'nats', 'postgres'];
const surges: readonly Surge[] = [1_000, 10_000, 100_000, 1_000_000].flatMap((perSecond) =>
  [0.1, 0.005].map((heldShare) => ({ perSecond, heldShare })),
);

/** What a crowd needs, calculated from what P1a, P4a and P5 measured here. */
export const capacity: Survey = {
  id: 'capacity',
  title: 'cores, shards and ledgers for so many requests a second over HTTP, by the costs last measured here',
  apart: true,
  survey: async () => {
    const costs = measuredCosts();
    const needs = surges.map((surge) => ({ ...surge, ...needOf(costs, surge) }));
    return { text: table(costs, needs), figures: { costs, needs }, violations: [] } satisfies Findings;
  },
};

function measuredCosts(): Costs {
  const [refused, held, drained] = ['P1a', 'P4a', 'P5'].map((id) => lastLine(id));
  const ledgerOrdersPerSecond = drained?.arms[drain]?.rate;
  if (!refused?.counters[mesh] || !held?.counters[mesh] || ledgerOrdersPerSecond === undefined) {
    throw new Error('P1, P4 and P5 have not been measured here: npm run bench -- P1 P4 P5');
  }
  return { held: costOf(held.counters[mesh]), refused: costOf(refused.counters[mesh]), ledgerOrdersPerSecond };
}

function costOf(counters: Record<string, number>): RequestCost {
  const cpuUs = parts.map((part) => [part, counters[`${part}_cpu_us_per_item`] ?? 0] as const);
  return { cpuUs: Object.fromEntries(cpuUs), transactions: counters.pg_transactions_per_item ?? 0 };
}

function table(costs: Costs, needs: readonly (Surge & ReturnType<typeof needOf>)[]): string {
  const right = (title: string) => ({ title, side: 'right' as const });
  const costRows = (['held', 'refused'] as const).map((kind) => [
    kind,
    ...parts.map((part) => (costs[kind].cpuUs[part] ?? 0).toFixed(1)),
    Object.values(costs[kind].cpuUs)
      .reduce((sum, us) => sum + us, 0)
      .toFixed(0),
  ]);
  const needRows = needs.map(
    ({ perSecond, heldShare, cores, allCores, redisShards, ledgers, transactionsPerSecond }) => [
      perSecond.toLocaleString('en'),
      `${heldShare * 100} %`,
      ...parts.map((part) => (cores[part] ?? 0).toFixed(1)),
      allCores.toFixed(1),
      `${redisShards}`,
      `${ledgers}`,
      Math.round(transactionsPerSecond).toLocaleString('en'),
    ],
  );
  return [
    renderTable([{ title: 'us of CPU a request' }, ...parts.map(right), right('all')], costRows),
    renderTable(
      [
        'requests/s',
        'get a unit',
        ...parts.map((part) => `${part} cores`),
        'cores',
        'Redis shards',
        'ledgers',
        'transactions/s',
      ].map(right),
      needRows,
    ),
  ].join('\n\n');
}
