import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import type { Delivery } from './messaging.js';
import { ackInto, decode, TestMessaging } from './test-messaging.js';

const test = suite('consumption');
const nats = new TestMessaging(test);

test('what arrives while a batch is handled goes together in the next, in order', async () => {
  const first = nats.gate();
  const batches: string[][] = [];
  nats.consume(async (batch) => {
    batches.push(batch.map((delivery) => decode(delivery.data)));
    for (const delivery of batch) delivery.ack();
    if (batches.length === 1) await first.passed;
  });
  await nats.store('first');
  await until(() => batches.length === 1);
  const numbers = Array.from({ length: 50 }, (_, n) => String(n));
  await nats.store(...numbers);
  await until(async () => (await nats.consumerInfo()).num_pending === 0);
  first.open();
  await until(() => batches.flat().length === 51);
  assert.equal(batches.flat(), ['first', ...numbers]);
  assert.is(batches.length, 2);
});

test('a process takes no more than its bound, the rest is for others', async () => {
  const stuck = nats.gate();
  const held: Delivery[] = [];
  nats.consume(
    async (batch) => {
      held.push(...batch);
      await stuck.passed;
      for (const delivery of batch) delivery.ack();
    },
    { maxMessages: 5 },
  );
  await nats.store(0);
  await until(() => held.length === 1);
  await nats.store(...Array.from({ length: 20 }, (_, n) => n + 1));
  const others: string[] = [];
  nats.consume(ackInto(others), {}, await nats.open('past proxy'));
  await until(() => others.length === 16);
  await until(async () => (await nats.consumerInfo()).num_ack_pending === 5);
  stuck.open();
  await until(async () => (await nats.messagesLeft()) === 0);
});

test('closing ends the batch in hand and gives back at once what was waiting', async () => {
  const stuck = nats.gate();
  const handled: string[] = [];
  let inHand = 0;
  const closing = nats.consume(async (batch) => {
    inHand += batch.length;
    await stuck.passed;
    await ackInto(handled)(batch);
  });
  await nats.store('in hand');
  await until(() => inHand === 1);
  await nats.store('waiting 1', 'waiting 2');
  await until(async () => (await nats.consumerInfo()).num_ack_pending === 3);
  const closed = closing.close();
  stuck.open();
  await closed;
  assert.equal(handled, ['in hand']);
  const others: string[] = [];
  nats.consume(ackInto(others));
  await until(() => others.length === 2);
});

test('D01 a message that outlived its ack-wait in the local queue is not handed out, and none is lost', async () => {
  const ackWaitMs = 400;
  const ages: number[] = [];
  const effects = new Set<string>();
  const prefetched = nats.gate();
  let handling = 0;
  const handle = async (batch: Delivery[]): Promise<void> => {
    const [first] = batch;
    const isSlow = ages.length === 0;
    handling += 1;
    for (const delivery of batch) ages.push(delivery.unansweredMs());
    // The very first batch is slower than the ack-wait: what waits behind it grows old.
    if (first && isSlow) {
      await prefetched.passed;
      await until(() => first.unansweredMs() > 1.5 * ackWaitMs);
    }
    for (const delivery of batch) {
      effects.add(decode(delivery.data));
      delivery.ack();
    }
    handling -= 1;
  };
  nats.consume(handle, { ackWaitMs, maxMessages: 3 });
  await nats.store(0);
  await until(() => ages.length === 1);
  await nats.store(1, 2, 3, 4, 5);
  await until(async () => (await nats.consumerInfo()).num_ack_pending === 3);
  prefetched.open();
  nats.consume(handle, { ackWaitMs, maxMessages: 3 }, await nats.open('past proxy'));
  await until(async () => handling === 0 && (await nats.messagesLeft()) === 0);
  assert.equal([...effects].sort(), ['0', '1', '2', '3', '4', '5']);
  assert.ok(Math.max(...ages) < ackWaitMs, `handed out after ${Math.max(...ages)} ms`);
});

test('D02 a message that is worked on past its ack-wait, and says so, comes once', async () => {
  const ackWaitMs = 1_000;
  let deliveries = 0;
  nats.consume(
    async (batch) => {
      deliveries += batch.length;
      const [delivery] = batch;
      if (!delivery) return;
      await until(() => {
        delivery.working();
        return delivery.ageMs() > 2 * ackWaitMs;
      });
      delivery.ack();
    },
    { ackWaitMs },
  );
  await nats.store('long');
  await until(async () => deliveries > 0 && (await nats.messagesLeft()) === 0);
  assert.is(deliveries, 1);
});

test('D02 when the keep-alives are lost it comes to another, who can see that it comes again', async () => {
  const ackWaitMs = 300;
  const isOver = nats.gate();
  let hasStarted = false;
  const behindProxy = await nats.open('through proxy');
  nats.consume(
    async ([delivery]) => {
      hasStarted = true;
      nats.proxy.blackhole();
      delivery?.working();
      await isOver.passed;
    },
    { ackWaitMs },
    behindProxy,
  );
  await nats.store('long');
  await until(() => hasStarted);
  let deliveries = 0;
  nats.consume(
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
  nats.consume(async (batch) => {
    for (const delivery of batch) {
      tries = delivery.deliveries;
      if (tries < 12) delivery.nak(5);
      else delivery.ack();
    }
  });
  await nats.store('patient');
  await until(async () => (await nats.messagesLeft()) === 0);
  assert.is(tries, 12);
});

test('D03 what a batch that failed did not settle comes again', async () => {
  const seen: string[] = [];
  let hasFailed = false;
  nats.consume(async (batch) => {
    for (const delivery of batch) {
      seen.push(`${decode(delivery.data)} ${delivery.deliveries}`);
      if (delivery.deliveries > 1 || decode(delivery.data) === 'settled') delivery.ack();
    }
    if (hasFailed) return;
    hasFailed = true;
    throw new Error('the database is away');
  });
  await nats.store('settled');
  await until(async () => (await nats.messagesLeft()) === 0);
  await nats.store('fine');
  await until(() => seen.length === 2);
  hasFailed = false;
  await nats.store('again');
  await until(() => seen.includes('again 2'));
  assert.not(seen.includes('settled 2'));
});

test('a terminated message does not come again', async () => {
  const seen: number[] = [];
  nats.consume(async (batch) => {
    for (const delivery of batch) {
      seen.push(delivery.deliveries);
      delivery.term('no such thing');
      delivery.nak(1);
    }
  });
  await nats.store('poison');
  await until(async () => (await nats.messagesLeft()) === 0);
  assert.equal(seen, [1]);
});

test('how far behind a consumer is can be asked', async () => {
  const stuck = nats.gate();
  const consumption = nats.consume(
    async (batch) => {
      await stuck.passed;
      for (const delivery of batch) delivery.ack();
    },
    { maxMessages: 2 },
  );
  await nats.store(0, 1, 2, 3, 4);
  await until(() => consumption.stats().pending === 3 && consumption.stats().ackPending === 2);
  stuck.open();
  await until(() => consumption.stats().pending === 0 && consumption.stats().ackPending === 0);
});

test.run();
