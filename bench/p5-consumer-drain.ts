import { join } from 'node:path';
import { shardOfStore } from '#libs/contracts/order-id.js';
import { claimsStream, claimsSubject } from '#libs/contracts/subjects.js';
import { startNats } from '#libs/servers/start-nats.js';
import { type BenchMesh, storeId } from './drivers/bench-mesh.js';
import { type ClaimsPlan, claimsMessages } from './drivers/claims.js';
import { ClaimsQueue } from './drivers/claims-queue.js';
import { type DrainConsumer, startOrderService, startPerOrderConsumer } from './drivers/drain-consumers.js';
import { driveStreams } from './drivers/drive.js';
import { freshTag } from './drivers/fresh-tag.js';
import type { LedgerCopies } from './drivers/ledger-copies.js';
import { LedgerWitness } from './drivers/ledger-witness.js';
import { meterCpu } from './drivers/process-cpu.js';
import {
  type Arm,
  type ArmRun,
  type Benchmark,
  type BenchmarkContext,
  type OpenBenchmark,
  rated,
  rateOf,
} from './frame/benchmark.js';
import { median } from './frame/paired-runs.js';

const defaultShards = 4;
const hotSku = ['hot'];
const manySkus = Array.from({ length: 1_000 }, (_, n) => `sku-${n}`);
/** The gate lets claims in by batches of 30 to 150 under load; a message carries what was let in together. */
const claimsPerMessage = 48;
const drainTimeoutMs = 300_000;
const repeated = '20 % duplicates';
const letIn = 'a mesh letting in all it can';
const inFlight = 512;
const deadlineMs = 5_000;

/** How an arm differs from another. */
interface DrainArm {
  name: string;
  stream: string;
  subject: string;
  /** Makes the stream if the arm's consumer does not, and starts the consumer. */
  start(databaseUrl: string, natsUrl: string, queue: ClaimsQueue): Promise<DrainConsumer>;
  claims: Omit<ClaimsPlan, 'storeId' | 'tag'>;
  warmUpOrders: number;
}

/** How fast what the gate has let in becomes orders. */
export const consumerDrain: Benchmark = {
  id: 'P5',
  title: 'the order service draining claims of one sku, against one transaction and one ack per order, 16 at a time',
  unit: 'orders/s',
  sharesMesh: true,
  gate: 8,
  goal: 20,
  bounds: [
    { arm: repeated, counter: 'cost_share', goal: { atMost: 0.1 } },
    { arm: letIn, counter: 'drain_by_peak', goal: { atLeast: 1.2 } },
  ],
  open,
};

async function open(context: BenchmarkContext): Promise<OpenBenchmark> {
  const copies = await context.shared.ledgerCopies();
  const bench = await context.shared.mesh();
  const orders = context.quick ? 5_000 : 50_000;
  const batched = { orders, skuIds: hotSku, claimsPerMessage };
  const shard = shardOfStore(storeId, defaultShards);
  const ours = {
    stream: claimsStream(shard),
    subject: claimsSubject(shard),
    start: startOrderService,
    warmUpOrders: context.quick ? 2_000 : 4_000,
  };
  const onePerMessage: DrainArm = {
    name: 'per order',
    stream: 'PER_ORDER',
    subject: 'per-order',
    start: async (databaseUrl, natsUrl, queue) => {
      await queue.create();
      return startPerOrderConsumer(databaseUrl, natsUrl, queue.stream);
    },
    claims: { orders: context.quick ? 500 : 4_000, skuIds: hotSku, claimsPerMessage: 1 },
    warmUpOrders: context.quick ? 200 : 500,
  };
  const armOf = (arm: DrainArm): Arm => ({ name: arm.name, run: () => drainOnce(context, copies, arm) });
  const { arm: a, rates } = rated(armOf({ ...ours, name: 'order service', claims: batched }));
  // Of six messages one is a repetition: one claim of five comes twice.
  const twice = armOf({ ...ours, name: repeated, claims: { ...batched, repeatEvery: 5 } });
  return {
    a,
    b: armOf(onePerMessage),
    reported: [
      armOf({ ...ours, name: 'spread over 1,000 skus', claims: { ...batched, skuIds: manySkus } }),
      counted(twice, (run) => ({ cost_share: 1 - rateOf(run) / median(rates) })),
      counted(letInArm(bench, orders), (run) => ({ drain_by_peak: median(rates) / rateOf(run) })),
    ],
  };
}

/** The arm with one more counter. */
function counted(arm: Arm, counters: (run: ArmRun) => Record<string, number>): Arm {
  return {
    ...arm,
    run: async () => {
      const run = await arm.run();
      return { ...run, counters: { ...run.counters, ...counters(run) } };
    },
  };
}

/** What a whole mesh lets in, and with it decides, at the peak of what comes as fast as it is answered. */
function letInArm({ mesh, witness, putSkus }: BenchMesh, orders: number): Arm {
  return {
    name: letIn,
    run: async () => {
      const tag = freshTag();
      const skuId = `hot-${tag}`;
      const load = { inFlight, warmUp: orders * 0.2, items: orders };
      const capacity = load.warmUp + load.items;
      await putSkus([skuId], capacity);
      const wish = { addresses: [mesh.describe().gateway], storeId, skuIds: [skuId], tag, deadlineMs };
      const { phases, busyShare } = await driveStreams({ ...wish, load });
      const [stretch] = phases;
      if (stretch === undefined) throw new Error('the driver reported nothing');
      return {
        items: stretch.served,
        durationMs: stretch.toMs - stretch.fromMs,
        counters: { p99_ms: stretch.servedP99Ms, driver_busy_share: busyShare },
        violations: await witness.violations([skuId], capacity),
      };
    },
  };
}

/**
 * The consumer is up and warm, and then frozen while the claims are stored, so that neither its start nor the publisher
 * is measured. The clock runs from the thaw to the ack of the last message, which follows the last commit.
 */
async function drainOnce(context: BenchmarkContext, copies: LedgerCopies, arm: DrainArm): Promise<ArmRun> {
  const { orders, skuIds } = arm.claims;
  const closers: (() => Promise<void>)[] = [];
  try {
    const databaseUrl = await copies.make();
    closers.push(() => copies.drop(databaseUrl));
    const witness = new LedgerWitness(databaseUrl);
    closers.push(() => witness.close());
    await witness.putSkus(storeId, skuIds, orders);
    await witness.putSkus(storeId, ['warm'], arm.warmUpOrders);
    const nats = await startNats({ directory: join(context.directory, 'nats') });
    closers.push(() => nats.stop());
    const queue = await ClaimsQueue.open(nats.url, arm.stream, arm.subject);
    closers.push(() => queue.close());
    const consumer = await arm.start(databaseUrl, nats.url, queue);
    let stopped: Promise<void> | undefined;
    const stopConsumer = (): Promise<void> => {
      stopped ??= consumer.stop();
      return stopped;
    };
    closers.push(stopConsumer);

    const warmUp = { ...arm.claims, orders: arm.warmUpOrders, skuIds: ['warm'] };
    await queue.store(claimsMessages({ ...warmUp, storeId, tag: 'warm' }));
    await queue.drained(drainTimeoutMs);
    const messages = claimsMessages({ ...arm.claims, storeId, tag: 'run' });
    const cpu = meterCpu({ consumer: consumer.pid, postgres: copies.postgresPid, nats: nats.pid });
    const durationMs = await thawAndDrain(consumer, queue, messages);
    const spent = cpu(orders);

    await stopConsumer();
    const commits = await copies.commits(databaseUrl);
    const counters = { pg_commits_per_item: commits / (orders + arm.warmUpOrders), ...spent };
    return { items: orders, durationMs, counters, violations: await witness.violations(skuIds, orders) };
  } finally {
    for (let close = closers.pop(); close; close = closers.pop()) await close();
  }
}

async function thawAndDrain(consumer: DrainConsumer, queue: ClaimsQueue, messages: Uint8Array[]): Promise<number> {
  process.kill(consumer.pid, 'SIGSTOP');
  try {
    await queue.store(messages);
  } finally {
    process.kill(consumer.pid, 'SIGCONT');
  }
  const begun = performance.now();
  await queue.drained(drainTimeoutMs);
  return performance.now() - begun;
}
