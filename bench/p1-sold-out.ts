import { setTimeout as pause } from 'node:timers/promises';
import { constantEdge, unaryMesh } from './baselines/sold-out-rivals.js';
import { type BenchMesh, storeId } from './drivers/bench-mesh.js';
import { drive } from './drivers/drive.js';
import { freshTag } from './drivers/fresh-tag.js';
import { driveHttp, type HttpOrdersResult, wrkProgram } from './drivers/http-orders.js';
import type { LedgerWitness } from './drivers/ledger-witness.js';
import { meterMesh } from './drivers/mesh-meter.js';
import { meterCpu } from './drivers/process-cpu.js';
import { releaseOne } from './drivers/release.js';
import { reserveMethod } from './drivers/reserve-method.js';
import type { Arm, ArmRun, Benchmark, BenchmarkContext, Bound, OpenBenchmark } from './frame/benchmark.js';

const skuId = 'sold-out';
/** All sold before the clock starts, and within the burst of the default rate limit. */
const units = 40;
/** A no may go without a row when its request is surely the first of its id, and that takes marks older than this. */
const untilSureMs = 6_000;
const releaseWithinMs = 150;
const warmUpConnections = 128;

/** What a run against one edge needs. */
interface Edge {
  wrk: string;
  url: string;
  connections: number;
  seconds: number;
  warmUpSeconds: number;
}

const bounds: Bound[] = [
  { arm: 'mesh', counter: 'queued_per_item', gate: { atMost: 0.01 }, goal: { atMost: 0 } },
  { arm: 'mesh', counter: 'refused_rows_per_item', gate: { atMost: 0.01 }, goal: { atMost: 0 } },
  { arm: 'mesh', counter: 'redis_calls_per_item', goal: { atMost: 0.01 } },
  { arm: 'mesh', counter: 'rpcs_per_item', goal: { atMost: 0.02 } },
  { arm: 'mesh, one unit released', counter: 'first_yes_ms', gate: { atMost: releaseWithinMs }, goal: { atMost: 50 } },
];

/** How much of the HTTP edge's own speed is left when the no it tells is a true one. */
export const soldOutAgainstConstant: Benchmark = {
  id: 'P1a',
  title: 'refusals of a sku that is sold out, over HTTP, against the same edge giving all the same answer',
  unit: 'refusals/s',
  sharesMesh: true,
  gate: 0.5,
  goal: 0.9,
  bounds,
  open: (context) =>
    open(context, async (edge) => constantEdge(context, (url, pids) => refuse({ ...edge, url }, pids))),
};

/** What batching and reading the ledger for all who wait are worth. */
export const soldOutAgainstUnaryMesh: Benchmark = {
  id: 'P1b',
  title: 'refusals of a sku that is sold out, over HTTP, against a mesh of unary calls and one script for each',
  unit: 'refusals/s',
  sharesMesh: true,
  gate: 3,
  goal: 10,
  bounds,
  open: (context) =>
    open(context, async (edge) => unaryMesh(context, skuId, (url, pids) => refuse({ ...edge, url }, pids))),
};

async function open(
  context: BenchmarkContext,
  rivalOf: (edge: Omit<Edge, 'url'>) => Promise<Arm>,
): Promise<OpenBenchmark> {
  const { quick, progress, shared } = context;
  const wrk = await wrkProgram(progress);
  const bench = await shared.mesh();
  const load = {
    wrk,
    connections: 1024,
    ...(quick ? { seconds: 2, warmUpSeconds: 1 } : { seconds: 5, warmUpSeconds: 3 }),
  };
  const b = await rivalOf(load);
  progress('selling all there is');
  if (!soldOut.has(bench)) await sellOut(bench);
  const edge = { ...load, url: bench.mesh.describe().http };
  return { a: meshArm(bench, edge), b, reported: [releaseArm(bench, edge)] };
}

/** Meshes on which it is. */
const soldOut = new WeakSet<BenchMesh>();

async function sellOut(bench: BenchMesh): Promise<void> {
  const { gateway } = bench.mesh.describe();
  await bench.putSkus([skuId], units, { priceMinor: 0, paymentRequired: false, rateLimit: undefined });
  const buyers = { storeId, skuId, tag: 'buyer', warmUp: 0, requests: units, inFlight: 8, deadlineMs: 5_000 };
  const { outcomes } = await drive({ address: gateway, path: reserveMethod.path, ...buyers });
  if (outcomes.HELD !== units) throw new Error(`of ${units} units ${outcomes.HELD ?? 0} were sold`);
  soldOut.add(bench);
  await pause(untilSureMs);
}

function meshArm({ mesh, witness }: BenchMesh, edge: Edge): Arm {
  return {
    name: 'mesh',
    run: () =>
      judged(witness, async () => {
        const tag = freshTag();
        await warmUp(edge, tag);
        const meter = await meterMesh(mesh.describe());
        const result = await driveHttp(edge.wrk, { ...edge, storeId, skuId, tag });
        return runOf(result, await meter(result.requests), 0);
      }),
  };
}

/** One order is cancelled while the crowd asks; the clock runs from the release in the ledger to the first yes that a client hears. */
function releaseArm({ witness }: BenchMesh, edge: Edge): Arm {
  return {
    name: 'mesh, one unit released',
    run: () =>
      judged(witness, async () => {
        const yesAt: number[] = [];
        const load = {
          ...edge,
          connections: 256,
          storeId,
          skuId,
          tag: freshTag(),
          onYes: (at: number) => yesAt.push(at),
        };
        const driving = driveHttp(edge.wrk, load);
        await pause((edge.seconds * 1000) / 2);
        const releasedAt = await releaseOne(edge.url, witness, skuId);
        const result = await driving;
        return runOf(result, { first_yes_ms: (yesAt[0] ?? Number.POSITIVE_INFINITY) - releasedAt }, 1);
      }),
  };
}

/** A run, and what the ledger says of it: nothing oversold, and how many refusals left a row, which hardly any needs. */
async function judged(witness: LedgerWitness, run: () => Promise<ArmRun>): Promise<ArmRun> {
  const before = await witness.skuRows(skuId);
  const done = await run();
  const { refused_rows, capacity, sold, confirmed_rows } = await witness.skuRows(skuId);
  const rows = refused_rows - before.refused_rows;
  return {
    ...done,
    counters: { ...done.counters, refused_rows_per_item: rows / done.items },
    violations: [
      ...done.violations,
      ...(sold === capacity && confirmed_rows === capacity
        ? []
        : [`${sold} units of ${capacity} are sold, in ${confirmed_rows} orders`]),
      ...(await witness.audited()),
    ],
  };
}

/** With few connections: a crowd at a cold process stands for seconds before the first of it is answered. */
async function warmUp(edge: Edge, tag: string): Promise<void> {
  const load = { connections: warmUpConnections, seconds: edge.warmUpSeconds };
  await driveHttp(edge.wrk, { ...edge, ...load, storeId, skuId, tag: `${tag}w` });
}

/** A run of the driver against a rival's edge. */
async function refuse(edge: Edge, pids: Record<string, number | undefined>): Promise<ArmRun> {
  const tag = freshTag();
  await warmUp(edge, tag);
  const cpu = meterCpu(pids);
  const result = await driveHttp(edge.wrk, { ...edge, storeId, skuId, tag });
  return runOf(result, cpu(result.requests), 0);
}

function runOf(result: HttpOrdersResult, counters: Record<string, number>, yes: number): ArmRun {
  const { requests, durationMs, p50Ms, p99Ms, busyShare, refusals, lost } = result;
  return {
    items: requests,
    durationMs,
    counters: {
      p50_ms: p50Ms,
      p99_ms: p99Ms,
      driver_busy_share: busyShare,
      // A place in line: nobody was refused for a second, and so nobody knew that there is no need to wait.
      queued_per_item: (requests - refusals - yes) / requests,
      ...counters,
    },
    violations: lost > 0 ? [`${lost} requests had no answer`] : [],
  };
}
