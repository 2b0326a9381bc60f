import type {
  PlaceHoldsItem,
  PlaceHoldsRequest,
  PlaceHoldsResponse,
  PlaceHoldsResult,
} from '#libs/contracts/gen/holdfast/inventory/v1/inventory_service.js';
import { Fault } from '#libs/refusal/fault.js';
import { createMetrics } from '#libs/runtime/metrics.js';
import { freePort } from '#libs/servers/free-port.js';
import { seeded } from '#libs/testing/seeded.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { type RpcServer, startServer } from './server.js';
import type { BidiHandler } from './service.js';
import { answering, hold, holdsCaller, pending, silentLogger, standIn } from './stand-in.js';
import { startStandIn } from './stand-in-server.js';

const test = suite('BatchCaller');

type PlaceHolds = BidiHandler<PlaceHoldsRequest, PlaceHoldsResponse>;
type Answer = (result: PlaceHoldsResult) => void;

const closers: (() => unknown)[] = [];

test.after.each(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function serve(placeHolds?: PlaceHolds, { address = '127.0.0.1:0', drainMs = 2_000 } = {}): Promise<RpcServer> {
  const services = [standIn(placeHolds && { placeHolds })];
  const server = await startServer({ address, services, logger: silentLogger, drainMs });
  closers.push(() => server.drain());
  return server;
}

function callerOf(target: string, options?: Parameters<typeof holdsCaller>[1]) {
  const caller = holdsCaller(target, options);
  closers.push(() => caller.close());
  return caller;
}

async function reasonOf(call: Promise<unknown>): Promise<Fault['reason'] | 'answered'> {
  return call.then(
    () => 'answered' as const,
    (error: unknown) => {
      assert.instance(error, Fault);
      return (error as Fault).reason;
    },
  );
}

/** Serves by hand: what arrived, message by message, and how to answer it. */
function byHand() {
  const messages: PlaceHoldsItem[][] = [];
  const answers = new Map<string, () => void>();
  const placeHolds: PlaceHolds = (stream) => {
    answering(
      {
        ...stream,
        get ended() {
          return stream.ended;
        },
        onMessage: (listener) =>
          stream.onMessage((request) => {
            messages.push(request.items);
            listener(request);
          }),
      },
      (item: PlaceHoldsItem, answer: Answer) => answers.set(item.orderId, () => answer(pending(item.itemId))),
    );
  };
  return { messages, answers, placeHolds };
}

test('what is called in one tick goes in one message, and each call gets its own result', async () => {
  const { messages, answers, placeHolds } = byHand();
  const caller = callerOf((await serve(placeHolds)).address);
  await until(() => caller.openPeers === 1);
  const calls = ['a', 'b', 'c'].map((orderId) => caller.call(hold(orderId), 5_000));
  await until(() => answers.size === 3);
  assert.equal(
    messages.map((items) => items.map(({ orderId }) => orderId)),
    [['a', 'b', 'c']],
  );
  const settled: string[] = [];
  for (const [i, call] of calls.entries()) void call.then(() => settled.push('abc'.charAt(i)));
  for (const orderId of ['c', 'a', 'b']) {
    answers.get(orderId)?.();
    await until(() => settled.at(-1) === orderId);
  }
  const ids = (await Promise.all(calls)).map(({ itemId }) => itemId);
  assert.equal(
    ids,
    messages[0]?.map(({ itemId }) => itemId),
  );
});

test('an item carries the time that its caller has left when it is sent', async () => {
  const { messages, answers, placeHolds } = byHand();
  const port = await freePort();
  const caller = callerOf(`127.0.0.1:${port}`);
  const call = caller.call(hold('a'), 5_000);
  const calledAt = performance.now();
  await until(() => performance.now() >= calledAt + 60);
  await serve(placeHolds, { address: `127.0.0.1:${port}` });
  await until(() => answers.get('a'));
  const remainingMs = messages[0]?.[0]?.remainingMs ?? 0;
  assert.ok(remainingMs > 0 && remainingMs <= 4_940, String(remainingMs));
  answers.get('a')?.();
  await call;
});

test('while no peer is there items wait, until their time is over', async () => {
  const caller = callerOf(`127.0.0.1:${await freePort()}`);
  const call = caller.call(hold('a'), 80);
  assert.is(caller.waiting, 1);
  assert.is(await reasonOf(call), 'TOO_LATE');
  assert.is(caller.waiting, 0);
});

test('H01 an item that is not answered in time is TOO_LATE, and its late result disturbs nobody', async () => {
  const { answers, placeHolds } = byHand();
  const caller = callerOf((await serve(placeHolds)).address);
  assert.is(await reasonOf(caller.call(hold('late'), 80)), 'TOO_LATE');
  const next = caller.call(hold('next'), 5_000);
  await until(() => answers.size === 2);
  answers.get('late')?.();
  answers.get('next')?.();
  assert.is(await reasonOf(next), 'answered');
});

test('items beyond what may wait are BUSY at once', async () => {
  const caller = callerOf(`127.0.0.1:${await freePort()}`, { maxWaiting: 2 });
  const calls = ['a', 'b', 'c'].map((orderId) => reasonOf(caller.call(hold(orderId), 60)));
  assert.equal(await Promise.all(calls), ['TOO_LATE', 'TOO_LATE', 'BUSY']);
});

test('no peer is given more than it may have in flight', async () => {
  const { messages, answers, placeHolds } = byHand();
  const caller = callerOf((await serve(placeHolds)).address, { maxInFlight: 2, maxBatch: 1 });
  const calls = ['a', 'b', 'c'].map((orderId) => caller.call(hold(orderId), 5_000));
  await until(() => answers.size === 2);
  assert.is(caller.waiting, 1);
  answers.get('a')?.();
  await until(() => answers.size === 3);
  assert.is(messages.length, 3);
  answers.get('b')?.();
  answers.get('c')?.();
  await Promise.all(calls);
});

test('a store with much waiting does not keep another store waiting', async () => {
  const { messages, answers, placeHolds } = byHand();
  const port = await freePort();
  const caller = callerOf(`127.0.0.1:${port}`, { maxBatch: 2, keyOf: (item) => item.storeId });
  const calls = ['a1', 'a2', 'a3', 'b1'].map((orderId) => caller.call(hold(orderId, orderId.charAt(0)), 5_000));
  await serve(placeHolds, { address: `127.0.0.1:${port}` });
  await until(() => answers.size === 4);
  assert.equal(
    messages.map((items) => items.map(({ orderId }) => orderId)),
    [
      ['a1', 'b1'],
      ['a2', 'a3'],
    ],
  );
  for (const answer of answers.values()) answer();
  await Promise.all(calls);
});

test('H02 a stream that breaks rejects exactly its items; the next calls go on a new one', async () => {
  const { answers, placeHolds } = byHand();
  const first = await serve(placeHolds, { drainMs: 0 });
  const caller = callerOf(first.address);
  const calls = ['a', 'b'].map((orderId) => reasonOf(caller.call(hold(orderId), 5_000)));
  await until(() => answers.size === 2);
  await first.drain();
  assert.equal(await Promise.all(calls), ['UNAVAILABLE', 'UNAVAILABLE']);
  const waiting = caller.call(hold('c'), 5_000);
  await serve(undefined, { address: first.address });
  assert.is(await reasonOf(waiting), 'answered');
});

test('an item that cannot be written is refused alone', async () => {
  const caller = callerOf((await serve()).address, { maxRequestBytes: 2_000 });
  await until(() => caller.openPeers === 1);
  const broken = {
    ...hold('broken'),
    lines: [{ skuId: 's', quantity: Number.NaN, attendeeId: '', unitPriceMinor: 0 }],
  };
  const long = { ...hold('long'), requestId: 'x'.repeat(3_000) };
  const calls = [hold('a'), broken, hold('b'), long, hold('c')].map((item) => caller.call(item, 5_000));
  const settled = await Promise.allSettled(calls);
  assert.equal(
    settled.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled'],
  );
  assert.is(await reasonOf(calls[3] as Promise<unknown>), 'INVALID_REQUEST');
});

test('a batch that is too long for one message goes in several', async () => {
  const { messages, answers, placeHolds } = byHand();
  const caller = callerOf((await serve(placeHolds)).address, { maxRequestBytes: 1_000 });
  await until(() => caller.openPeers === 1);
  const calls = Array.from({ length: 50 }, (_, i) => caller.call(hold(`order-${i}`), 5_000));
  await until(() => answers.size === 50);
  assert.ok(messages.length > 1);
  assert.equal(
    messages.flat().map(({ orderId }) => orderId),
    calls.map((_, i) => `order-${i}`),
  );
  for (const answer of answers.values()) answer();
  await Promise.all(calls);
});

test('H05 a peer that drains gets nothing new and finishes what it has; nobody sees an error', async () => {
  const held: (() => void)[] = [];
  const served = [0, 0];
  const serving =
    (i: number): PlaceHolds =>
    (stream) =>
      answering(stream, (item, answer) => {
        served[i] = (served[i] ?? 0) + 1;
        if (item.orderId === 'hold') held.push(() => answer(pending(item.itemId)));
        else answer(pending(item.itemId));
      });
  const servers = [await serve(serving(0), { drainMs: 60_000 }), await serve(serving(1))];
  const caller = callerOf(servers.map(({ address }) => address).join(','));
  await until(() => caller.openPeers === 2);
  const inFlight: Promise<unknown>[] = [];
  for (let i = 0; i < 4; i += 1) {
    inFlight.push(caller.call(hold('hold'), 60_000));
    await until(() => held.length === i + 1);
  }
  let stop = false;
  const worker = async (): Promise<void> => {
    while (!stop) await caller.call(hold('quick'), 20_000);
  };
  const traffic = Promise.allSettled(Array.from({ length: 20 }, worker));
  const moreTraffic = async (i: number): Promise<void> => {
    const before = served[i] ?? 0;
    await until(() => (served[i] ?? 0) > before + 50);
  };
  await Promise.all([moreTraffic(0), moreTraffic(1)]);
  const drained = servers[0]?.drain();
  await until(() => caller.openPeers === 1);
  await moreTraffic(1);
  const before = served[0];
  await moreTraffic(1);
  assert.is(served[0], before);
  for (const finish of held) finish();
  await Promise.all([drained, ...inFlight]);
  stop = true;
  assert.ok((await traffic).every(({ status }) => status === 'fulfilled'));
});

test('H04 a peer that freezes is passed over until it speaks again', async () => {
  const frozen = await startStandIn();
  closers.push(() => frozen.kill('SIGKILL'));
  const lively = await serve();
  const caller = callerOf(`${frozen.address},${lively.address}`);
  await until(() => caller.openPeers === 2);
  frozen.signal('SIGSTOP');
  await until(async () => (await reasonOf(caller.call(hold('0'), 500))) === 'TOO_LATE');
  for (let i = 0; i < 10; i += 1) assert.is(await reasonOf(caller.call(hold('0'), 5_000)), 'answered');
  frozen.signal('SIGCONT');
});

test('over random breaks, drains and delays every call is settled once', async () => {
  const random = seeded();
  let settled = 0;
  const start = (address?: string) =>
    serve(
      (stream) =>
        answering(stream, (item, answer) => {
          if (random.chance(0.2)) setTimeout(() => answer(pending(item.itemId)), random.integer(0, 20));
          else answer(pending(item.itemId));
        }),
      { ...(address && { address }), drainMs: random.pick([0, 1_000]) },
    );
  const servers = [await start(), await start()];
  const caller = callerOf(servers.map(({ address }) => address).join(','), { maxInFlight: 50, maxBatch: 10 });
  const calls: Promise<string>[] = [];
  for (let round = 0; round < 6; round += 1) {
    for (let i = 0; i < 100; i += 1) {
      calls.push(reasonOf(caller.call(hold(`${round}-${i}`), 2_000)).finally(() => settled++));
      if (random.chance(0.3)) await new Promise((resolve) => setImmediate(resolve));
    }
    const victim = random.integer(0, 1);
    const address = servers[victim]?.address;
    await servers[victim]?.drain();
    servers[victim] = await start(address);
  }
  const reasons = await Promise.all(calls);
  assert.is(settled, 600);
  assert.ok(reasons.every((reason) => ['answered', 'UNAVAILABLE', 'TOO_LATE'].includes(reason)));
  assert.ok(reasons.filter((reason) => reason === 'answered').length > 300);
});

test('items and messages of both ends are counted', async () => {
  const metrics = createMetrics();
  const caller = callerOf((await serve()).address, { metrics });
  await Promise.all([caller.call(hold('a'), 5_000), caller.call(hold('b'), 5_000)]);
  const text = await metrics.text();
  assert.match(text, 'holdfast_batch_items_total{stream="InventoryService.PlaceHolds sent"} 2');
  assert.match(text, 'holdfast_batch_messages_total{stream="InventoryService.PlaceHolds sent"} 1');
});

test('a caller that closes rejects what is under way, and what comes after', async () => {
  const { answers, placeHolds } = byHand();
  const server = await serve(placeHolds);
  const caller = callerOf(server.address, { maxInFlight: 1, maxBatch: 1 });
  const calls = ['sent', 'waiting'].map((orderId) => reasonOf(caller.call(hold(orderId), 5_000)));
  await until(() => answers.size === 1);
  caller.close();
  assert.equal(await Promise.all(calls), ['UNAVAILABLE', 'UNAVAILABLE']);
  assert.is(await reasonOf(caller.call(hold('after'), 5_000)), 'UNAVAILABLE');
});

test.run();
