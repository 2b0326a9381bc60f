import type { PlaceHoldsResult } from '#libs/contracts/gen/holdfast/inventory/v1/inventory_service.js';
import { holdsCaller } from '#libs/rpc/stand-in.js';
import { until } from '#libs/testing/until.js';
import { placeHoldMethod } from './baselines/place-hold-method.js';
import { startRival } from './baselines/start-rival.js';
import { unaryClient } from './baselines/unary-client.js';
import { storeId } from './drivers/bench-mesh.js';
import { runCallers } from './drivers/callers.js';
import { claimOf } from './drivers/claims.js';
import { freshTag } from './drivers/fresh-tag.js';
import { meterCpu } from './drivers/process-cpu.js';
import { type Program, startProgram } from './drivers/start-program.js';
import type { Arm, Benchmark, BenchmarkContext, OpenBenchmark } from './frame/benchmark.js';

const callers = 256;
const deadlineMs = 10_000;
const warmUpShare = 0.2;
const skuIds = ['hot'];

type Hold = Omit<ReturnType<typeof claimOf>, 'notAfter'>;

/** What it is worth that calls to another process go together. */
export const batchedHop: Benchmark = {
  id: 'P12a',
  title: `calls to a process that answers at once, ${callers} callers, batched on one stream, against unary calls`,
  unit: 'calls/s',
  gate: 3,
  goal: 6,
  open,
};

async function open({ life, quick }: BenchmarkContext): Promise<OpenBenchmark> {
  const [batched, unary] = await Promise.all([
    startProgram(new URL('./drivers/batch-answers.js', import.meta.url)),
    startRival('unary-answers'),
  ]);
  life.closer('answers', () => Promise.all([batched.stop(), unary.stop()]));
  const caller = holdsCaller(batched.address);
  life.closer('caller', () => caller.close());
  await until(() => caller.openPeers === 1);
  const placeHold = unaryClient(unary.address, placeHoldMethod, deadlineMs);
  const inBatches = (hold: Hold) => caller.call(hold, deadlineMs);
  const oneByOne = (hold: Hold) =>
    placeHold({ ...hold, itemId: 0, remainingMs: deadlineMs }, { 'holdfast-actor': hold.userId });
  return {
    a: hopArm('batched', batched, quick ? 20_000 : 200_000, inBatches),
    b: hopArm('unary', unary, quick ? 5_000 : 30_000, oneByOne),
    reported: [],
  };
}

function hopArm(name: string, { pid }: Program, calls: number, ask: (hold: Hold) => Promise<PlaceHoldsResult>): Arm {
  return {
    name,
    run: async () => {
      const tag = freshTag();
      let strangers = 0;
      const call = async (n: number): Promise<boolean> => {
        const { notAfter: _, ...hold } = claimOf({ storeId, skuIds, tag }, n);
        const { outcome } = await ask({ ...hold });
        if (outcome?.$case !== 'held' || outcome.value.orderId !== hold.orderId) strangers += 1;
        return true;
      };
      const warmUp = calls * warmUpShare;
      await runCallers(callers, warmUp, call);
      const cpu = meterCpu({ callers: process.pid, server: pid });
      const { durationMs, held, p50Ms, p99Ms } = await runCallers(callers, calls, (n) => call(warmUp + n));
      const counters = { p50_ms: p50Ms, p99_ms: p99Ms, ...cpu(calls) };
      const violations = strangers > 0 ? [`${strangers} calls were answered with another order`] : [];
      return { items: held, durationMs, counters, violations };
    },
  };
}
