import { connect, type JetStreamManager, type NatsConnection } from 'nats';
import { createLogger } from '#libs/runtime/logger.js';
import { createMetrics } from '#libs/runtime/metrics.js';
import type { PrivateServer } from '#libs/servers/private-server.js';
import { type FaultProxy, faultProxy } from '#libs/testing/fault-proxy.js';
import { privateNats } from '#libs/testing/private-servers.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import {
  type ConsumeOptions,
  type Consumption,
  connectMessaging,
  type Delivery,
  type Messaging,
  type StreamSpec,
} from './messaging.js';

const test = suite('consumption');

const text = (data: Uint8Array): string => new TextDecoder().decode(data);
const opened: Messaging[] = [];
const consuming: Consumption[] = [];
/** Opened after each test, so that one that fails does not hang. */
const gates: (() => void)[] = [];
let server: PrivateServer;
let proxy: FaultProxy;
let observer: NatsConnection;
let manager: JetStreamManager;
let messaging: Messaging;
let stream: StreamSpec;
let count = 0;

async function open(url: string): Promise<Messaging> {
  const made = connectMessaging({
    url,
    name: 'consumption-test',
    reconnectWaitMs: 20,
    pingIntervalMs: 200,
    logger: createLogger('test', 'silent'),
    metrics: createMetrics(),
  });
  opened.push(made);
  await until(() => made.connected);
  return made;
}

function consume(
  onBatch: ConsumeOptions['onBatch'],
  options: Partial<ConsumeOptions> = {},
  from = messaging,
): Consumption {
  const consumption = from.consume({
    stream,
    durable: 'worker',
    ackWaitMs: 60_000,
    maxMessages: 100,
    maxAckPending: 1_000,
    stalledAfterMs: 600,
    onBatch,
    ...options,
  });
  consuming.push(consumption);
  return consumption;
}

async function store(...words: (string | number)[]): Promise<void> {
  for (const word of words) {
    await messaging.store(`s${count}.a`, new TextEncoder().encode(String(word)), { timeoutMs: 2_000 });
  }
}

function ackAll(into: string[]): ConsumeOptions['onBatch'] {
  return async (batch) => {
    for (const delivery of batch) {
      into.push(text(delivery.data));
      delivery.ack();
    }
  };
}

/** A promise to be resolved from outside. */
function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  gates.push(open);
  return { opened, open };
}

async function messagesLeft(): Promise<number> {
  return (await manager.streams.info(stream.name)).state.messages;
}

test.before(async () => {
  server = await privateNats();
  proxy = await faultProxy('127.0.0.1', server.port);
  messaging = await open(server.url);
  observer = await connect({ servers: `127.0.0.1:${server.port}` });
  manager = await observer.jetstreamManager();
});
test.before.each(async () => {
  proxy.heal();
  count += 1;
  stream = {
    name: `S${count}`,
    subjects: [`s${count}.>`],
    retention: 'workqueue',
    replicas: 1,
    duplicateWindowMs: 60_000,
  };
  await messaging.ensureStream(stream);
});
test.after.each(async () => {
  for (const open of gates.splice(0)) open();
  await Promise.all(consuming.splice(0).map((consumption) => consumption.close()));
});
test.after(async () => {
  await Promise.all(opened.map((each) => each.close()));
  await observer.close();
  await proxy.close();
  await server.stop();
});

test('what arrives while a batch is handled goes together in the next, in order', async () => {
  const first = gate();
  const batches: string[][] = [];
  consume(async (batch) => {
    batches.push(batch.map((delivery) => text(delivery.data)));
    for (const delivery of batch) delivery.ack();
    if (batches.length === 1) await first.opened;
  });
  await store('first');
  await until(() => batches.length === 1);
  const numbers = Array.from({ length: 50 }, (_, n) => String(n));
  await store(...numbers);
  await until(async () => (await manager.consumers.info(stream.name, 'worker')).num_pending === 0);
  first.open();
  await until(() => batches.flat().length === 51);
  assert.equal(batches.flat(), ['first', ...numbers]);
  assert.is(batches.length, 2);
});

test('a process takes no more than its bound, the rest is for others', async () => {
  const stuck = gate();
  const held: Delivery[] = [];
  consume(
    async (batch) => {
      held.push(...batch);
      await stuck.opened;
      for (const delivery of batch) delivery.ack();
    },
    { maxMessages: 5 },
  );
  await store(0);
  await until(() => held.length === 1);
  await store(...Array.from({ length: 20 }, (_, n) => n + 1));
  const others: string[] = [];
  consume(ackAll(others), {}, await open(server.url));
  await until(() => others.length === 16);
  assert.equal((await manager.consumers.info(stream.name, 'worker')).num_ack_pending, 5);
  stuck.open();
  await until(async () => (await messagesLeft()) === 0);
});

test('closing ends the batch in hand and gives back at once what was waiting', async () => {
  const stuck = gate();
  const handled: string[] = [];
  const closing = consume(async (batch) => {
    await stuck.opened;
    await ackAll(handled)(batch);
  });
  await store('in hand');
  await until(async () => (await manager.consumers.info(stream.name, 'worker')).num_ack_pending === 1);
  await store('waiting 1', 'waiting 2');
  await until(async () => (await manager.consumers.info(stream.name, 'worker')).num_ack_pending === 3);
  const closed = closing.close();
  stuck.open();
  await closed;
  assert.equal(handled, ['in hand']);
  const others: string[] = [];
  consume(ackAll(others));
  await until(() => others.length === 2);
});

test('D01 a message that outlived its ack-wait in the local queue is not handed out, and none is lost', async () => {
  const ackWaitMs = 400;
  const ages: number[] = [];
  const effects = new Map<string, number>();
  const slowly = async (batch: Delivery[]): Promise<void> => {
    for (const delivery of batch) ages.push(delivery.unansweredMs());
    const [first] = batch;
    // The first batch is slower than the ack-wait, what waits behind it grows old.
    if (first && effects.size === 0) await until(() => first.unansweredMs() > 1.5 * ackWaitMs);
    for (const delivery of batch) {
      effects.set(text(delivery.data), delivery.deliveries);
      delivery.ack();
    }
  };
  await store(0, 1, 2, 3, 4, 5);
  consume(slowly, { ackWaitMs, maxMessages: 3 });
  consume(slowly, { ackWaitMs, maxMessages: 3 }, await open(server.url));
  await until(async () => (await messagesLeft()) === 0);
  assert.equal([...effects.keys()].sort(), ['0', '1', '2', '3', '4', '5']);
  assert.ok(Math.max(...ages) < ackWaitMs, `handed out after ${Math.max(...ages)} ms`);
});

test('D02 a message that is worked on past its ack-wait, and says so, comes once', async () => {
  const ackWaitMs = 300;
  let deliveries = 0;
  consume(
    async (batch) => {
      deliveries += batch.length;
      const [delivery] = batch;
      if (!delivery) return;
      await until(() => {
        delivery.working();
        return delivery.ageMs() > 3 * ackWaitMs;
      });
      delivery.ack();
    },
    { ackWaitMs },
  );
  await store('long');
  await until(async () => deliveries > 0 && (await messagesLeft()) === 0);
  assert.is(deliveries, 1);
});

test('D02 when the keep-alives are lost it comes to another, who can see that it comes again', async () => {
  const ackWaitMs = 300;
  const isOver = gate();
  let hasStarted = false;
  const behindProxy = await open(proxy.url(server.url));
  consume(
    async ([delivery]) => {
      hasStarted = true;
      proxy.blackhole();
      delivery?.working();
      await isOver.opened;
    },
    { ackWaitMs },
    behindProxy,
  );
  await store('long');
  await until(() => hasStarted);
  let deliveries = 0;
  consume(
    async ([delivery]) => {
      deliveries = delivery?.deliveries ?? 0;
      delivery?.ack();
    },
    { ackWaitMs },
  );
  await until(() => deliveries > 0);
  assert.ok(deliveries > 1);
});

test('D03 a message given back again and again is never dropped', async () => {
  let tries = 0;
  consume(async (batch) => {
    for (const delivery of batch) {
      tries = delivery.deliveries;
      if (tries < 12) delivery.nak(5);
      else delivery.ack();
    }
  });
  await store('patient');
  await until(async () => (await messagesLeft()) === 0);
  assert.is(tries, 12);
});

test('D03 what a batch that failed did not settle comes again', async () => {
  const seen: string[] = [];
  let hasFailed = false;
  consume(async (batch) => {
    for (const delivery of batch) {
      seen.push(`${text(delivery.data)} ${delivery.deliveries}`);
      if (delivery.deliveries > 1 || text(delivery.data) === 'settled') delivery.ack();
    }
    if (hasFailed) return;
    hasFailed = true;
    throw new Error('the database is away');
  });
  await store('settled');
  await until(async () => (await messagesLeft()) === 0);
  await store('fine');
  await until(() => seen.length === 2);
  hasFailed = false;
  await store('again');
  await until(() => seen.includes('again 2'));
  assert.not(seen.includes('settled 2'));
});

test('a terminated message does not come again', async () => {
  const seen: number[] = [];
  consume(async (batch) => {
    for (const delivery of batch) {
      seen.push(delivery.deliveries);
      delivery.term('no such thing');
      delivery.nak(1);
    }
  });
  await store('poison');
  await until(async () => (await messagesLeft()) === 0);
  assert.equal(seen, [1]);
});

test('D13 a deleted durable is made again, and everything stored meanwhile is delivered', async () => {
  const seen: string[] = [];
  consume(ackAll(seen));
  await store(0);
  await until(() => seen.length === 1);
  for (let round = 1; round <= 3; round += 1) {
    await manager.consumers.delete(stream.name, 'worker');
    await store(...Array.from({ length: 10 }, (_, n) => 10 * round + n));
    await until(async () => (await messagesLeft()) === 0);
  }
  assert.is(new Set(seen).size, 31);
});

test('D13 a deleted stream is made again with its settings, and what is stored then is delivered', async () => {
  const seen: string[] = [];
  consume(ackAll(seen));
  await store('before');
  await until(() => seen.length === 1);
  await manager.streams.delete(stream.name);
  await until(() => store('after').then(() => true));
  await until(() => seen.includes('after'));
  const { config } = await manager.streams.info(stream.name);
  assert.equal([config.discard, config.storage, config.retention], ['new', 'file', 'workqueue']);
});

test('an answer to a message of a stream that is gone hits no message of its successor', async () => {
  const stuck = gate();
  const seen: string[] = [];
  consume(async (batch) => {
    seen.push(...batch.map((delivery) => text(delivery.data)));
    if (seen.length === 1) await stuck.opened;
    if (seen[0] === 'old' && seen.length === 1) for (const delivery of batch) delivery.ack();
  });
  await store('old');
  await until(() => seen.length === 1);
  await manager.streams.delete(stream.name);
  await until(() => store('new').then(() => true));
  assert.is((await manager.streams.info(stream.name)).state.last_seq, 1);
  stuck.open();
  await until(() => seen.includes('new'));
  await observer.flush();
  assert.is(await messagesLeft(), 1);
});

test('D17 a message whose ack was lost comes again, and says so', async () => {
  const behindProxy = await open(proxy.url(server.url));
  const seen: number[] = [];
  consume(
    async (batch) => {
      if (seen.length === 0) proxy.cut();
      for (const delivery of batch) {
        seen.push(delivery.deliveries);
        delivery.ack();
      }
      proxy.heal();
    },
    { ackWaitMs: 300 },
    behindProxy,
  );
  await store('once more');
  await until(() => seen.length === 2);
  assert.equal(seen, [1, 2]);
  await until(async () => (await messagesLeft()) === 0);
});

test('how far behind a consumer is can be asked', async () => {
  const stuck = gate();
  const consumption = consume(
    async (batch) => {
      await stuck.opened;
      for (const delivery of batch) delivery.ack();
    },
    { maxMessages: 2 },
  );
  await store(0, 1, 2, 3, 4);
  await until(() => consumption.stats().pending === 3 && consumption.stats().ackPending === 2);
  stuck.open();
  await until(() => consumption.stats().pending === 0 && consumption.stats().ackPending === 0);
});

test.run();
