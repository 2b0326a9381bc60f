import { randomInt, randomUUID } from 'node:crypto';
import { OrderServiceDefinition } from '#libs/contracts/gen/holdfast/order/v1/order_service.js';
import { CallerRole } from '#libs/contracts/gen/holdfast/order/v1/payment.js';
import { connect } from '#libs/rpc/client.js';
import { renderTable } from '#libs/terminal/table.js';
import { type BenchMesh, startBenchMesh } from './drivers/bench-mesh.js';
import { LedgerWitness } from './drivers/ledger-witness.js';
import { latenciesOf, OpenLoop } from './drivers/open-loop.js';
import { joinLine, LineWatcher, soldOut } from './drivers/waiting-line.js';
import { WaitlistListener } from './drivers/waitlist-listener.js';
import type { BenchmarkContext } from './frame/benchmark.js';
import { median } from './frame/paired-runs.js';
import type { Findings, Survey } from './frame/survey.js';

const skuId = 'line';
/** Of those who wait, the first are promoted one after the other and the next all at once; the others go on waiting. */
const waiting = 10_000;
const cancelsPerSecond = 50;
const cancelMs = { full: 20_000, quick: 2_000 };
const freedAtOnce = 1_000;
const deadlineMs = 5_000;
const heardWithinMs = 60_000;
const [shortLine, longLine] = [1_000, 100_000];
const quickLongLine = 10_000;
const [looks, entriesPerLook] = [21, 500];

/** What somebody who waits notices: how soon the news comes, and what it costs to say where one is. */
export const waitlist: Survey = {
  id: 'P16b',
  title: `places among ${longLine} who wait, and the news of a promotion on the stream while ${waiting} wait`,
  survey,
};

async function survey(context: BenchmarkContext): Promise<Findings> {
  context.progress('places in a long line');
  const places = await readPlaces(context);
  context.progress('promotions');
  const news = await promote(await startBenchMesh(context), context.quick ? cancelMs.quick : cancelMs.full);
  const ratio = median(places.longMs) / median(places.shortMs);
  const [each, atOnce] = [latenciesOf(news.eachMs), latenciesOf(news.atOnceMs)];
  return {
    text: renderTable(
      [{ title: 'figure', side: 'left' }, ...['p50', 'p99'].map((title) => ({ title, side: 'right' as const }))],
      [
        [`ms from a cancellation to the event, ${cancelsPerSecond} a second`, ...rounded(each)],
        [`ms from a rise by ${freedAtOnce} units to the event`, ...rounded(atOnce)],
        [`ms for a place among ${shortLine}`, median(places.shortMs).toFixed(4), ''],
        [`ms for a place among ${longLine}`, median(places.longMs).toFixed(4), ''],
      ],
    ),
    figures: {
      ...{ offer_p50_ms: each.servedP50Ms, offer_p99_ms: each.servedP99Ms },
      ...{ offer_at_once_p50_ms: atOnce.servedP50Ms, offer_at_once_p99_ms: atOnce.servedP99Ms },
      ...{ place_short_ms: median(places.shortMs), place_long_ms: median(places.longMs), place_ratio: ratio },
    },
    violations: [...places.violations, ...news.violations],
    judged: [
      {
        words: 'p99 ms from a cancellation to the event of the promotion',
        figure: each.servedP99Ms,
        ...{ gate: { atMost: 2_000 }, goal: { atMost: 500 } },
      },
      {
        words: `p99 ms from a rise by ${freedAtOnce} units to the event`,
        figure: atOnce.servedP99Ms,
        ...{ gate: { atMost: 2_000 }, goal: { atMost: 1_000 } },
      },
      {
        words: `time of a place among ${longLine} by that among ${shortLine}`,
        figure: ratio,
        ...{ gate: { atMost: 3 }, goal: { atMost: 2 } },
      },
    ],
  };
}

function rounded({ servedP50Ms, servedP99Ms }: ReturnType<typeof latenciesOf>): string[] {
  return [servedP50Ms, servedP99Ms].map((ms) => ms.toFixed(0));
}

interface Places {
  shortMs: number[];
  longMs: number[];
  violations: string[];
}

/** Random entries of a short line and of a long one by turns; the time is the ledger's, without a call for each. */
async function readPlaces({ shared, quick }: BenchmarkContext): Promise<Places> {
  const copies = await shared.ledgerCopies();
  const databaseUrl = await copies.make();
  const witness = new LedgerWitness(databaseUrl);
  const watcher = await LineWatcher.open(databaseUrl);
  try {
    const lines = { short: shortLine, long: quick ? quickLongLine : longLine };
    const entries = { short: await line(witness, 'short', lines.short), long: await line(witness, 'long', lines.long) };
    await watcher.analyze();
    const found: Places = { shortMs: [], longMs: [], violations: [] };
    for (let look = 0; look < looks; look += 1) {
      for (const which of ['short', 'long'] as const) {
        const picked = Array.from({ length: entriesPerLook }, () => randomInt(lines[which]));
        const { ahead, msEach } = await watcher.places(picked.map((n) => entries[which][n] ?? ''));
        found[`${which}Ms`].push(msEach);
        const wrong = picked.filter((n) => ahead.get(entries[which][n] ?? '') !== n);
        if (wrong.length > 0)
          found.violations.push(`${wrong.length} entries of the ${which} line are told another place`);
      }
    }
    for (const which of ['short', 'long'] as const)
      found.violations.push(...(await watcher.violations(which, lines[which])));
    found.violations.push(...(await witness.audited()));
    return found;
  } finally {
    await Promise.all([watcher.close(), witness.close()]);
  }
}

async function line(witness: LedgerWitness, name: string, count: number): Promise<string[]> {
  await soldOut(witness, name, 1);
  return joinLine(witness, name, count);
}

interface News {
  eachMs: number[];
  atOnceMs: number[];
  violations: string[];
}

/** Units come back one after the other, and then many at once. */
async function promote({ mesh, witness }: BenchMesh, ms: number): Promise<News> {
  const { services } = mesh.describe();
  const loop = new OpenLoop([{ perSecond: cancelsPerSecond, ms }], () => true);
  const orders = await soldOut(witness, skuId, loop.items);
  await joinLine(witness, skuId, waiting);
  const listener = await WaitlistListener.open(mesh.servers.urls.nats ?? '');
  const client = connect(OrderServiceDefinition, services.order?.[0]?.grpc ?? '', { defaultDeadlineMs: deadlineMs });
  try {
    await listener.heard({ joined: waiting, offers: 0 }, heardWithinMs);
    const cancel = async (n: number): Promise<void> => {
      const request = { orderId: orders[n] ?? '', userId: '', requestId: randomUUID(), reason: '' };
      await client.cancelOrder({ ...request, role: CallerRole.CALLER_ROLE_OPERATOR });
      loop.end(n, 'CANCELLED');
    };
    const failures: unknown[] = [];
    await loop.run((from, to) => {
      for (let n = from; n < to; n += 1) void cancel(n).catch((error: unknown) => failures.push(error));
    }, deadlineMs);
    if (failures.length > 0) throw failures[0];
    await listener.heard({ joined: waiting, offers: loop.items }, heardWithinMs);
    const change = {
      storeId: 'bench',
      skuId,
      operator: 'bench',
      reason: 'more room',
      requestId: randomUUID(),
      force: false,
    };
    await witness.ledger.capacitySet({ ...change, capacity: loop.items + freedAtOnce });
    await listener.heard({ joined: waiting, offers: loop.items + freedAtOnce }, heardWithinMs);
    return {
      eachMs: listener.offerMs.slice(0, loop.items),
      atOnceMs: listener.offerMs.slice(loop.items),
      violations: await witness.audited(),
    };
  } finally {
    client.close();
    await listener.close();
  }
}
