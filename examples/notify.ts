// A store's sender of texts: hears what becomes of those who wait, and writes one text for each change of each entry.
//
//   npm run notify                        the mesh that npm start runs, texts go to .holdfast/texts.log
//   npm run notify -- --nats nats://host:4222 --texts texts.log
//
// The file is what was sent, and the memory of it: a line begins with the entry and its version, and what has a line is
// not written again. An event is acknowledged once its line is on the disk. So every event that the stream still has gets
// its line once, however often this process is killed; the screen shows a line after that, and may miss the last one.
// One process writes a file. A provider of texts takes the place of the file: give it the same name as idempotency key.
import { closeSync, fsyncSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { AckPolicy, connect, DeliverPolicy, nanos } from 'nats';
import { WaitlistChanged } from '#libs/contracts/gen/holdfast/event/v1/waitlist_event.js';
import { WaitlistState } from '#libs/contracts/gen/holdfast/waitlist/v1/waitlist.js';
import { orderEventsStream } from '#libs/contracts/subjects.js';
import { MESH_DIRECTORY, readMeshFile } from '#libs/mesh/mesh-file.js';

const { values } = parseArgs({
  options: {
    nats: { type: 'string' },
    texts: { type: 'string', default: join(MESH_DIRECTORY, 'texts.log') },
  },
});
const servers = values.nats ?? readMeshFile(MESH_DIRECTORY)?.infra.nats?.url;
if (servers === undefined) {
  console.error('No mesh with a NATS runs here: npm start, or name a server with --nats nats://host:4222');
  process.exit(2);
}

const texts = openTexts(values.texts);
const connection = await connect({ servers, name: 'notify', maxReconnectAttempts: -1 });
process.once('SIGINT', () => connection.drain());
process.once('SIGTERM', () => connection.drain());
const manager = await connection.jetstreamManager();
const durable = 'texts';
await manager.consumers.add(orderEventsStream, {
  durable_name: durable,
  filter_subject: 'waitlist.v1.>',
  deliver_policy: DeliverPolicy.All,
  ack_policy: AckPolicy.Explicit,
  // One at a time: what comes again is not overtaken by a later change of the same entry.
  max_ack_pending: 1,
  ack_wait: nanos(5_000),
});
const consumer = await connection.jetstream().consumers.get(orderEventsStream, durable);
for await (const message of await consumer.consume({ max_messages: 100 })) {
  const change = WaitlistChanged.decode(message.data);
  const sentence = sentenceOf(change);
  if (sentence !== undefined) {
    texts.write(`${change.entryId}.${change.version}`, `to ${change.userId}: ${sentence}`);
  }
  message.ack();
}

/** The texts that were written, and how one more is. A last line that was cut short by a kill is taken away. */
function openTexts(path: string) {
  const file = openSync(path, 'a');
  const whole = readFileSync(path, 'utf8');
  const kept = whole.slice(0, whole.lastIndexOf('\n') + 1);
  truncateSync(path, Buffer.byteLength(kept));
  const written = new Set(kept.split('\n').map((line) => line.split(' ')[0]));
  process.once('exit', () => closeSync(file));
  return {
    /** Writes a text under its name, unless it was. */
    write(name: string, text: string): void {
      if (written.has(name)) return;
      writeSync(file, `${name} ${text}\n`);
      fsyncSync(file);
      written.add(name);
      console.log(text);
    },
  };
}

/** What a person reads; undefined for a change that only a newer version knows. */
function sentenceOf({ state, quantity, skuId, orderId, offerExpiresAt }: WaitlistChanged): string | undefined {
  const what = `${quantity} of ${skuId}`;
  switch (state) {
    case WaitlistState.WAITLIST_STATE_WAITING:
      return `you are in line for ${what}`;
    case WaitlistState.WAITLIST_STATE_OFFERED:
      return `${what} is kept for you until ${offerExpiresAt?.toISOString() ?? 'you decide'}, order ${orderId}`;
    case WaitlistState.WAITLIST_STATE_PROMOTED:
      return `${what} is yours, order ${orderId}`;
    case WaitlistState.WAITLIST_STATE_EXPIRED:
      return `the time for ${what} is over, it went to the next`;
    case WaitlistState.WAITLIST_STATE_DECLINED:
    case WaitlistState.WAITLIST_STATE_LEFT:
      return `you do not wait for ${what} any more`;
    case WaitlistState.WAITLIST_STATE_ENDED:
      return `the sale of ${skuId} is over, nothing came free for you`;
    default:
      return undefined;
  }
}
