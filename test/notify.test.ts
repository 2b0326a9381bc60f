import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connect, type NatsConnection } from 'nats';
import { WaitlistChanged } from '#libs/contracts/gen/holdfast/event/v1/waitlist_event.js';
import { WaitlistState } from '#libs/contracts/gen/holdfast/waitlist/v1/waitlist.js';
import { orderEventsStream, waitlistEventSubject } from '#libs/contracts/subjects.js';
import type { PrivateServer } from '#libs/servers/private-server.js';
import { privateNats } from '#libs/testing/private-servers.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';

const test = suite("the sample store's sender of texts");
const program = fileURLToPath(new URL('../examples/notify.js', import.meta.url));
let nats: PrivateServer;
let connection: NatsConnection;
let directory: string;
const senders: ChildProcess[] = [];

test.before.each(async () => {
  nats = await privateNats();
  connection = await connect({ servers: nats.url });
  const manager = await connection.jetstreamManager();
  await manager.streams.add({ name: orderEventsStream, subjects: ['waitlist.v1.>'] });
  directory = mkdtempSync(join(tmpdir(), 'holdfast-notify-'));
});
test.after.each(async () => {
  await Promise.all(senders.splice(0).map(kill));
  await connection.close();
  await nats.stop();
  rmSync(directory, { recursive: true });
});

const path = (): string => join(directory, 'texts.log');

function start(): ChildProcess {
  const sender = spawn(process.execPath, [program, '--nats', nats.url, '--texts', path()], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  senders.push(sender);
  return sender;
}

async function kill(sender: ChildProcess): Promise<void> {
  sender.kill('SIGKILL');
  await until(() => sender.signalCode !== null || sender.exitCode !== null);
}

/** Tells a change as the relay does; again the same is a second message of the stream, as after the duplicate window. */
async function tell(entryId: string, version: number, state: 'WAITING' | 'OFFERED' | 'EXPIRED'): Promise<void> {
  const change = {
    ...{ entryId, version, storeId: 'kiln', userId: 'ann', skuId: 'mug', quantity: 1 },
    ...{
      state: WaitlistState[`WAITLIST_STATE_${state}`],
      changedAt: new Date(),
      orderId: '',
      offerExpiresAt: undefined,
    },
  };
  await connection.jetstream().publish(waitlistEventSubject(state, 1), WaitlistChanged.encode(change).finish());
}

const lines = (): string[] => readFileSync(path(), { encoding: 'utf8', flag: 'a+' }).split('\n').slice(0, -1);
const names = (): (string | undefined)[] => lines().map((line) => line.split(' ')[0]);
const allAcknowledged = async (): Promise<boolean> => {
  const manager = await connection.jetstreamManager();
  const info = await manager.consumers.info(orderEventsStream, 'texts').catch(() => undefined);
  return info?.num_pending === 0 && info.num_ack_pending === 0;
};

test('each change of an entry is written once, told twice, over kills, and in its order', async () => {
  const entry = randomUUID();
  await tell(entry, 1, 'WAITING');
  await tell(entry, 2, 'OFFERED');
  const first = start();
  await until(async () => names().length === 2);
  assert.match(lines()[0] ?? '', /to ann: you are in line for 1 of mug$/);
  await kill(first);
  await tell(entry, 2, 'OFFERED');
  await tell(entry, 3, 'EXPIRED');
  start();
  await until(async () => names().length === 3 && (await allAcknowledged()), { timeoutMs: 20_000 });
  assert.equal(names(), [`${entry}.1`, `${entry}.2`, `${entry}.3`]);
});

test('what was written and not acknowledged when it was killed is not written again, what was half written is', async () => {
  const entry = randomUUID();
  writeFileSync(path(), `${entry}.1 to ann: you are in line for 1 of mug\n${entry}.2 to a`);
  await tell(entry, 1, 'WAITING');
  await tell(entry, 2, 'OFFERED');
  start();
  await until(async () => names().length === 2 && (await allAcknowledged()));
  assert.equal(names(), [`${entry}.1`, `${entry}.2`]);
  assert.match(lines()[1] ?? '', /to ann: 1 of mug is kept for you/);
});

test.run();
