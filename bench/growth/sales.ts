import { shardOfStore } from '#libs/contracts/order-id.js';
import type { MeshFile } from '#libs/mesh/mesh-file.js';
import { importSkus } from '../../deploy/local/import-skus.js';
import type { BenchMesh } from '../drivers/bench-mesh.js';
import { driveStreams } from '../drivers/drive.js';
import type { StreamResult } from '../drivers/stream-driver.js';
import { meterMeshCpu } from './mesh-cost.js';

const noRateLimit = { perSecond: 1_000_000, burst: 1_000_000 };
const deadlineMs = 5_000;
const windowMs = 1_000;
const storesOfSteadySale = 8;
const settleMs = 1_500;

/** What a sale did, and what it cost the mesh. */
export interface SaleFigures {
  figures: Record<string, number>;
  violations: string[];
}

/** How many orders a sale as fast as it can has, before the clock starts and after. */
export interface SaleSize {
  warmUp: number;
  items: number;
}

let sales = 0;

/** As fast as it can, 256 in flight: orders of one store over so many skus in turn, with a unit for everybody. */
export async function fastSale(
  { mesh, witness }: BenchMesh,
  skus: number,
  { warmUp, items }: SaleSize,
): Promise<SaleFigures> {
  const described = mesh.describe();
  const [storeId, tag, orders] = ['bench', nextTag(), warmUp + items];
  const skuIds = await putOnSale(described, storeId, tag, skus, Math.ceil(orders / skus));
  const cpu = meterMeshCpu(described);
  const load = { inFlight: 256, warmUp, items };
  const result = await driveStreams({ addresses: [described.gateway], storeId, skuIds, tag, deadlineMs, load });
  const spent = cpu();
  const [stretch] = result.phases;
  if (stretch === undefined) throw new Error('the driver reported nothing');
  return {
    figures: {
      'orders/s': stretch.served / ((stretch.toMs - stretch.fromMs) / 1_000),
      'p50 ms': stretch.servedP50Ms,
      'p99 ms': stretch.servedP99Ms,
      'us of CPU an order': spent.all / orders,
    },
    // Of a ledger with a million orders the audit would take longer than the sale.
    violations: [
      ...unanswered([result], orders),
      ...(await witness.miscounts(skuIds, orders)),
      ...(await witness.disproved(skuIds[0] ?? '')),
    ],
  };
}

/** So many orders a second for so long, spread over the gateways and over eight stores in as many shards as there can be. */
export async function steadySale({ mesh, witness }: BenchMesh, perSecond: number, ms: number): Promise<SaleFigures> {
  const described = mesh.describe();
  const perStore = perSecond / storesOfSteadySale;
  const phases = [
    { perSecond: perStore, ms: settleMs },
    { perSecond: perStore, ms },
  ];
  const ordersOfStore = phases.reduce((sum, phase) => sum + Math.round((phase.perSecond * phase.ms) / 1_000), 0);
  const addresses = (described.services.gateway ?? []).flatMap(({ grpc }) => grpc ?? []);
  const jobs = await Promise.all(
    storesInEightShards().map(async (storeId) => {
      const tag = nextTag();
      const skuIds = await putOnSale(described, storeId, tag, 1, ordersOfStore);
      return { addresses, storeId, skuIds, tag, deadlineMs, load: { phases, windowMs } };
    }),
  );
  const orders = ordersOfStore * storesOfSteadySale;
  const cpu = meterMeshCpu(described);
  const results = await Promise.all(jobs.map(driveStreams));
  const spent = cpu();
  const measured = results.flatMap(({ phases: [, stretch] }) => stretch ?? []);
  const violations = await witness.violations(
    jobs.flatMap(({ skuIds }) => skuIds),
    orders,
  );
  return {
    figures: {
      'us of CPU an order': spent.all / orders,
      'worst p99 ms': Math.max(...measured.map(({ servedP99Ms }) => servedP99Ms)),
      ...Object.fromEntries(
        ['gateway', 'inventory', 'order', 'redis', 'postgres', 'nats'].map((part) => [
          `us of ${part} an order`,
          (spent.byPart[part] ?? 0) / orders,
        ]),
      ),
    },
    violations: [...unanswered(results, orders), ...violations],
  };
}

/** Stores no two of which share a shard while there are eight shards; with fewer all of these have some. */
function storesInEightShards(): string[] {
  const stores = new Map<number, string>();
  for (let n = 0; stores.size < storesOfSteadySale; n += 1) {
    const shard = shardOfStore(`store-${n}`, storesOfSteadySale);
    if (!stores.has(shard)) stores.set(shard, `store-${n}`);
  }
  return [...stores.values()];
}

async function putOnSale(
  { services }: MeshFile,
  storeId: string,
  tag: string,
  skus: number,
  capacity: number,
): Promise<string[]> {
  const skuIds = Array.from({ length: skus }, (_, n) => `${tag}-${n}`);
  await importSkus(
    services.inventory?.[0]?.grpc ?? '',
    skuIds.map((skuId) => ({ skuId, storeId, title: skuId, capacity, priceMinor: 1500, rateLimit: noRateLimit })),
  );
  return skuIds;
}

/** There is a unit for everybody, so that whoever was not told HELD or PENDING was told something wrong. */
function unanswered(results: readonly StreamResult[], orders: number): string[] {
  const outcomes = results.flatMap(({ phases }) => phases.flatMap((stretch) => Object.entries(stretch.outcomes)));
  const wrong = outcomes.filter(([outcome]) => outcome !== 'HELD' && outcome !== 'PENDING');
  const told = outcomes.reduce((sum, [, count]) => sum + count, 0);
  return [
    ...wrong.map(([outcome, count]) => `${count} orders ended with ${outcome}`),
    ...(told === orders ? [] : [`of ${orders} orders ${told} ended`]),
  ];
}

function nextTag(): string {
  sales += 1;
  return `sale-${sales}`;
}
