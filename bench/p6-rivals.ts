import { renderTable } from '#libs/terminal/table.js';
import { lockServer } from './baselines/lock-server.js';
import { type WayToSell, waysToSell } from './baselines/ways-to-sell.js';
import { storeId } from './drivers/bench-mesh.js';
import { runCallers } from './drivers/callers.js';
import { claimOf } from './drivers/claims.js';
import { openDirectAdmission } from './drivers/direct-admission.js';
import { LedgerWitness } from './drivers/ledger-witness.js';
import type { BenchmarkContext } from './frame/benchmark.js';
import type { Findings, Survey } from './frame/survey.js';

const callers = 256;
const skuId = 'hot';
/** So many ask for each unit: it ends in a rush for the last ones. */
const askedShare = 1.2;
const units = { full: { fast: 2_000, slow: 500 }, quick: { fast: 300, slow: 90 } };
const ourUnits = { full: 20_000, quick: 5_000 };
/** What is said when nothing is left. */
const isNo = /^fewer than|"kind":"REFUSED"/;

const ours: WayToSell = {
  ...{ name: 'direct admission', pace: 'fast' },
  open: async (databaseUrl) => openDirectAdmission(databaseUrl),
  note: 'one commit for all who come meanwhile',
};

/** What a way came to. */
interface Sold {
  name: string;
  perSecond: number;
  p99Ms: number;
  /** Orders beyond the units. */
  oversold: number;
  /** Units that nobody has, though more had asked than there were. */
  left: number;
  /** Of those who asked: neither a yes nor the word that nothing is left. */
  gaveUpShare: number;
  /** What the ledger's audit says where that is what the way is known for. */
  audit: string[];
  violations: string[];
  note: string;
}

/** What each way of selling a hot sku on Postgres costs, and what it gets wrong. */
export const hotSkuRivals: Survey = {
  id: 'P6g',
  title: `${askedShare} times as many orders as a sku has units, ${callers} callers, by each way of selling on Postgres`,
  survey,
};

async function survey(context: BenchmarkContext): Promise<Findings> {
  const sold: Sold[] = [];
  for (const way of [ours, ...waysToSell(await lockServer(context))]) {
    context.progress(way.name);
    const size = context.quick ? 'quick' : 'full';
    sold.push(await sellOut(context, way, way === ours ? ourUnits[size] : units[size][way.pace]));
  }
  return {
    text: describe(sold),
    figures: { ways: sold },
    violations: sold.flatMap(({ name, violations }) => violations.map((text) => `${name}: ${text}`)),
  };
}

async function sellOut({ shared }: BenchmarkContext, way: WayToSell, count: number): Promise<Sold> {
  const copies = await shared.ledgerCopies();
  const closers: (() => Promise<unknown>)[] = [];
  try {
    const databaseUrl = await copies.make();
    closers.push(() => copies.drop(databaseUrl));
    const witness = new LedgerWitness(databaseUrl);
    closers.push(() => witness.close());
    await witness.putSkus(storeId, [skuId], count);
    const seller = await way.open(databaseUrl, skuId, count);
    closers.push(() => seller.close());
    const failures: string[] = [];
    let nos = 0;
    const asked = count * askedShare;
    const { durationMs, held, p99Ms } = await runCallers(callers, asked, async (n) => {
      try {
        return await seller.sell(claimOf({ storeId, skuIds: [skuId], tag: skuId }, n));
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        if (isNo.test(message.replace(/^an order was told /, ''))) nos += 1;
        else failures.push(message);
        return false;
      }
    });
    const orders = await witness.ordersOf(skuId);
    const audit = await witness.audited();
    return {
      ...{ name: way.name, note: way.note, perSecond: held / (durationMs / 1_000), p99Ms },
      ...{ oversold: Math.max(0, orders - count), left: Math.max(0, count - orders) },
      gaveUpShare: (asked - held - nos) / asked,
      audit: way.laws === 'none' ? audit : [],
      violations: [...failures.slice(0, 1), ...violations(way, { count, held, orders, audit })],
    };
  } finally {
    for (let close = closers.pop(); close; close = closers.pop()) await close();
  }
}

interface Outcome {
  count: number;
  held: number;
  orders: number;
  audit: string[];
}

/** What must not be; of a way that is known to sell twice, that it did not. */
function violations({ laws }: WayToSell, { count, held, orders, audit }: Outcome): string[] {
  if (laws === 'none')
    return orders > count && audit.length > 0 ? [] : ['it is here to sell a unit twice, and nobody saw it do so'];
  return [
    ...(held === orders ? [] : [`${held} were told yes and ${orders} have an order`]),
    ...(orders <= count ? [] : [`${orders} orders of ${count} units`]),
    ...(laws === 'units' ? [] : audit),
  ];
}

function describe(sold: readonly Sold[]): string {
  const titles = ['way', 'orders/s', 'p99 ms', 'oversold', 'left over', 'gave up', 'what it costs and gets wrong'];
  const rows = sold.map(({ name, perSecond, p99Ms, oversold, left, gaveUpShare, note }) => {
    const figures = [perSecond.toFixed(0), p99Ms.toFixed(0), `${oversold}`, `${left}`];
    return [name, ...figures, `${(gaveUpShare * 100).toFixed(0)} %`, note];
  });
  const isText = (at: number): boolean => at === 0 || at === titles.length - 1;
  return renderTable(
    titles.map((title, at) => ({ title, side: isText(at) ? 'left' : 'right' })),
    rows,
  );
}
