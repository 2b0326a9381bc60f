import { performance } from 'node:perf_hooks';
import type { LookedSku } from '#libs/ledger/reconcile-looks.js';
import type { Finding } from '#libs/ledger/reconcile-plans.js';
import { Fault } from '#libs/refusal/fault.js';
import { Found, MOST_KEPT } from './found.js';
import { Pace } from './pace.js';
import type { ReconcileLedger } from './ports.js';

/** What is looked at. */
export type Scope = { readonly skuIds: readonly string[] } | 'ALL' | 'ENDED';

/** A run of a look as far as rows are concerned. */
export interface RowsRun {
  readonly ledger: ReconcileLedger;
  readonly scope: Scope;
  readonly signal: AbortSignal;
  /** Called with each chunk of skus: what is beside the ledger is looked at there, and nothing is found wrong in `clean`. */
  onSkus(skuIds: readonly string[], clean: readonly LookedSku[]): Promise<void>;
}

/** What a look at rows came to, before it looked twice. */
export interface RowsSeen {
  skus: number;
  orders: number;
  found: Found;
  /** Skus with findings, and the stocks that were seen; not all of them when there are more than a plan keeps. */
  suspects: LookedSku[];
}

const CHUNK = { first: 20, most: 500 };
const STRETCH = { first: 1_000, most: 20_000 };
const ENDED_STRETCH = 5_000;
/** A look at everything may take minutes; what sold out meanwhile is not kept waiting for it. */
const ENDED_EVERY_MS = 30_000;

/** Goes through the rows once, in many short snapshots. */
export async function lookAtRows(run: RowsRun): Promise<RowsSeen> {
  const seen: RowsSeen = { skus: 0, orders: 0, found: new Found(), suspects: [] };
  const pace = new Pace(CHUNK, run.signal);
  for await (const { skuIds, isExtra } of chunks(run, pace)) {
    await pace.work(async () => {
      const look = await run.ledger.reconcileLook(skuIds, { withOrders: run.scope !== 'ALL', atMost: MOST_KEPT });
      seen.found.add(look.findings, look.found);
      if (!isExtra) seen.skus += skuIds.length;
      if (run.scope !== 'ALL') seen.orders += look.orders;
      const wrong = new Set(look.findings.map(({ skuId }) => skuId));
      if (seen.suspects.length < MOST_KEPT) seen.suspects.push(...look.skus.filter(({ skuId }) => wrong.has(skuId)));
      await run.onSkus(
        skuIds,
        look.skus.filter(({ skuId }) => !wrong.has(skuId)),
      );
    });
  }
  if (run.scope === 'ALL') await lookAtOrders(run, seen);
  return seen;
}

/** Looks again at what was found, in other snapshots, and keeps what is found again with the same differences. */
export async function confirmRows({ ledger, signal }: RowsRun, { found }: RowsSeen): Promise<void> {
  const again: Finding[] = [];
  const pace = new Pace(CHUNK, signal);
  const skuIds = distinct(found.kept.map(({ skuId }) => skuId));
  for (let at = 0, size = 0; at < skuIds.length; at += size) {
    size = pace.size;
    const options = { withOrders: false, atMost: 2 * MOST_KEPT };
    const { findings } = await pace.work(() => ledger.reconcileLook(skuIds.slice(at, at + size), options));
    again.push(...findings);
  }
  const orderIds = distinct(found.kept.map(({ orderId }) => orderId));
  if (orderIds.length > 0) again.push(...(await ledger.reconcileOrders(orderIds, 2 * MOST_KEPT)).findings);
  found.confirm(again);
}

async function lookAtOrders({ ledger, signal }: RowsRun, seen: RowsSeen): Promise<void> {
  const pace = new Pace(STRETCH, signal);
  let after: string | undefined;
  do {
    const stretch = { rows: pace.size, atMost: MOST_KEPT };
    const look = await pace.work(() => ledger.reconcileOrphans(after, stretch));
    seen.found.add(look.findings, look.found);
    seen.orders += look.orders;
    after = look.last;
  } while (after !== undefined);
}

/** The skus of a scope, chunk by chunk. Extra ones are looked at besides. */
async function* chunks(
  { ledger, scope }: RowsRun,
  pace: Pace,
): AsyncGenerator<{ skuIds: readonly string[]; isExtra?: boolean }> {
  if (scope === 'ENDED') yield* endedChunks(ledger, pace);
  else if (scope !== 'ALL') yield* named(scope.skuIds, ledger, pace);
  else {
    let endedAtMs = performance.now();
    let skuIds = await ledger.skusAfter('', pace.size);
    while (skuIds.length > 0) {
      yield { skuIds };
      if (performance.now() - endedAtMs > ENDED_EVERY_MS) {
        for await (const { skuIds: ended } of endedChunks(ledger, pace)) yield { skuIds: ended, isExtra: true };
        endedAtMs = performance.now();
      }
      skuIds = await ledger.skusAfter(skuIds.at(-1) ?? '', pace.size);
    }
  }
}

async function* endedChunks(ledger: ReconcileLedger, pace: Pace): AsyncGenerator<{ skuIds: readonly string[] }> {
  let after: string | undefined = '';
  do {
    const { skuIds, last }: { skuIds: string[]; last?: string } = await ledger.reconcileEnded(after, ENDED_STRETCH);
    yield* slices(skuIds, pace);
    after = last;
  } while (after !== undefined);
}

async function* named(
  skuIds: readonly string[],
  ledger: ReconcileLedger,
  pace: Pace,
): AsyncGenerator<{ skuIds: readonly string[] }> {
  const known = new Set((await ledger.stockRead(skuIds)).skus.map(({ skuId }) => skuId));
  const unknown = skuIds.find((skuId) => !known.has(skuId));
  if (unknown !== undefined)
    throw new Fault('SKU_NOT_FOUND', 'there is no such sku', { metadata: { sku_id: unknown } });
  yield* slices([...known].sort(), pace);
}

function* slices(skuIds: readonly string[], pace: Pace): Generator<{ skuIds: readonly string[] }> {
  for (let at = 0, size = 0; at < skuIds.length; at += size) {
    size = pace.size;
    yield { skuIds: skuIds.slice(at, at + size) };
  }
}

function distinct(ids: readonly (string | undefined)[]): string[] {
  return [...new Set(ids.filter((id) => id !== undefined))];
}
