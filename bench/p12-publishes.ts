import { join } from 'node:path';
import { type Claim, ClaimsPlaced } from '#libs/contracts/gen/holdfast/event/v1/claim.js';
import { claimsStream, claimsSubject } from '#libs/contracts/subjects.js';
import { startNats } from '#libs/servers/start-nats.js';
import { storeId } from './drivers/bench-mesh.js';
import { runCallers } from './drivers/callers.js';
import { claimOf } from './drivers/claims.js';
import { openClaimsPublisher } from './drivers/claims-publisher.js';
import { ClaimsQueue } from './drivers/claims-queue.js';
import { freshTag } from './drivers/fresh-tag.js';
import { meterCpu } from './drivers/process-cpu.js';
import type { Arm, Benchmark, BenchmarkContext, OpenBenchmark } from './frame/benchmark.js';

const callers = 256;
const warmUpShare = 0.2;
const skuIds = ['hot'];
const shard = 0;

/** What it is worth that claims which were let in together are one message. */
export const batchedPublish: Benchmark = {
  id: 'P12b',
  title: `claims into a stream, ${callers} callers who wait until it has them, batched, against one message a claim`,
  unit: 'claims/s',
  gate: 5,
  goal: 10,
  open,
};

async function open({ directory, life, quick }: BenchmarkContext): Promise<OpenBenchmark> {
  const nats = await startNats({ directory: join(directory, 'nats') });
  life.closer('nats', () => nats.stop());
  const queue = await ClaimsQueue.open(nats.url, claimsStream(shard), claimsSubject(shard));
  life.closer('queue', () => queue.close());
  await queue.create();
  const publisher = await openClaimsPublisher(nats.url);
  life.closer('publisher', () => publisher.close());
  const publishOne = async (claim: Claim): Promise<boolean> => {
    await queue.publish(ClaimsPlaced.encode({ claims: [claim] }).finish());
    return true;
  };
  const armOf = (name: string, claims: number, store: (claim: Claim) => Promise<boolean>): Arm =>
    publishArm(queue, nats.pid, { name, claims, store });
  return {
    a: armOf('batched', quick ? 20_000 : 150_000, (claim) => publisher.store(claim)),
    b: armOf('one by one', quick ? 5_000 : 30_000, publishOne),
    reported: [],
  };
}

interface Way {
  name: string;
  claims: number;
  store(claim: Claim): Promise<boolean>;
}

function publishArm(queue: ClaimsQueue, natsPid: number, { name, claims, store }: Way): Arm {
  return {
    name,
    run: async () => {
      const tag = freshTag();
      const publish = (n: number) => store(claimOf({ storeId, skuIds, tag }, n));
      const warmUp = claims * warmUpShare;
      await runCallers(callers, warmUp, publish);
      await queue.purge();
      const cpu = meterCpu({ callers: process.pid, nats: natsPid });
      const { durationMs, held, p50Ms, p99Ms } = await runCallers(callers, claims, (n) => publish(warmUp + n));
      const spent = cpu(claims);
      const messages = await queue.read();
      await queue.purge();
      const counters = { p50_ms: p50Ms, p99_ms: p99Ms, messages_per_item: messages.length / claims, ...spent };
      return { items: held, durationMs, counters, violations: missing(messages, claims) };
    },
  };
}

/** Every claim is in the stream, and once. */
function missing(messages: readonly Uint8Array[], claims: number): string[] {
  const orderIds = messages.flatMap((message) => ClaimsPlaced.decode(message).claims.map(({ orderId }) => orderId));
  const distinct = new Set(orderIds).size;
  if (orderIds.length === claims && distinct === claims) return [];
  return [`of ${claims} claims the stream has ${distinct}, in ${orderIds.length} places`];
}
