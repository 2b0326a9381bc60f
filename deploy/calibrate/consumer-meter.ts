import { shardOfStore } from '#libs/contracts/order-id.js';
import { claimsStream, claimsSubject } from '#libs/contracts/subjects.js';
import { claimsMessages } from '../../bench/drivers/claims.js';
import { ClaimsQueue } from '../../bench/drivers/claims-queue.js';
import { LedgerWitness } from '../../bench/drivers/ledger-witness.js';
import type { Mesh } from '../local/mesh.js';
import type { Effort } from './effort.js';
import type { Meter } from './rounds.js';

const storeId = 'calibrate';
/** What services take when nothing is said. */
const shards = 4;
const shard = shardOfStore(storeId, shards);
/** The gate lets claims in by batches of 30 to 150 under load; a message carries what was let in together. */
const claimsPerMessage = 48;
const drainTimeoutMs = 60_000;

/**
 * How many claims the order service takes off the stream and has decided in a second. It is frozen while they are stored;
 * the clock runs from its thaw to the ack of the last message, which follows the last commit.
 */
export async function consumerMeter(mesh: Mesh, { consumerClaims }: Effort): Promise<Meter> {
  const { nats = '', postgres } = mesh.servers.urls;
  const witness = new LedgerWitness(postgres);
  const queue = await ClaimsQueue.open(nats, claimsStream(shard), claimsSubject(shard));
  return {
    name: 'consumer',
    async run(tag) {
      const skuId = `drain-${tag}`;
      await witness.putSkus(storeId, [skuId], consumerClaims);
      const messages = claimsMessages({ storeId, skuIds: [skuId], tag, orders: consumerClaims, claimsPerMessage });
      return consumerClaims / (await thawAndDrain(mesh, queue, messages));
    },
    async close() {
      await queue.close();
      await witness.close();
    },
  };
}

/** Seconds. */
async function thawAndDrain(mesh: Mesh, queue: ClaimsQueue, messages: Uint8Array[]): Promise<number> {
  const pid = mesh.describe().services.order?.[0]?.pid ?? 0;
  process.kill(pid, 'SIGSTOP');
  try {
    await queue.store(messages);
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  const begun = performance.now();
  await queue.drained(drainTimeoutMs);
  return (performance.now() - begun) / 1_000;
}
