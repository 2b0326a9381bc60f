// A consumer as one would write it first: one message an order, one transaction, one ack, several at a time.
// A process of its own: `per-order-consumer.js <database URL> <NATS URL> <stream>`; tells its parent "ready".
import { AckPolicy, connect, type JsMsg, nanos } from 'nats';
import { Pool } from 'pg';
import { ClaimsPlaced } from '#libs/contracts/gen/holdfast/event/v1/claim.js';
import { insertOrder } from './order-transaction.js';

const concurrency = 16;
const prefetch = 256;
const ackWaitMs = 30_000;
const redeliveryDelayMs = 1_000;

const [databaseUrl = '', natsUrl = '', stream = ''] = process.argv.slice(2);
process.once('disconnect', () => process.exit());

const pool = new Pool({ connectionString: databaseUrl, max: concurrency });
const connection = await connect({ servers: natsUrl });
const manager = await connection.jetstreamManager();
const durable = 'per-order';
await manager.consumers.add(stream, {
  durable_name: durable,
  ack_policy: AckPolicy.Explicit,
  ack_wait: nanos(ackWaitMs),
  max_ack_pending: prefetch * 2,
});
const consumer = await connection.jetstream().consumers.get(stream, durable);
const messages = await consumer.consume({ max_messages: prefetch });
process.send?.('ready');

const inHand = new Set<Promise<void>>();
for await (const message of messages) {
  const done = handle(message).finally(() => inHand.delete(done));
  inHand.add(done);
  if (inHand.size >= concurrency) await Promise.race(inHand);
}

async function handle(message: JsMsg): Promise<void> {
  try {
    for (const claim of ClaimsPlaced.decode(message.data).claims) await insertOrder(pool, claim);
    message.ack();
  } catch (error) {
    console.error(error);
    message.nak(redeliveryDelayMs);
  }
}
