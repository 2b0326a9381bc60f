import { type Order, OrderState, RefusalReason } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import { Fault } from '#libs/refusal/fault.js';
import type { CallContext } from '#libs/rpc/call-context.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { connectHoldfast, type Holdfast, type HoldfastClient } from './index.js';
import { heldOrder, noRefusal, type StandInGateway, startStandInGateway } from './stand-in-gateway.js';

const test = suite('client: watch and wait');
let gateway: StandInGateway;
let client: HoldfastClient;
let holdfast: Holdfast;

test.before(async () => {
  gateway = await startStandInGateway();
  client = connectHoldfast(gateway.address);
  holdfast = client.forUser('ada');
});
test.after(async () => {
  client.close();
  await gateway.close();
});

const { orderId } = heldOrder;
const at = (version: number, name: keyof typeof OrderState, more: Partial<Order> = {}): Order => {
  return { ...heldOrder, version, state: OrderState[name], ...more };
};
const pending = at(0, 'ORDER_STATE_PENDING');
const held = at(1, 'ORDER_STATE_HELD');
const confirmed = at(2, 'ORDER_STATE_CONFIRMED');
const cancelled = at(3, 'ORDER_STATE_CANCELLED');

type Word = Order | Fault | 'silence';

/** Serves each time that the order is watched the next of these streams. */
function streams(...all: Word[][]): { opened: () => number } {
  let opened = 0;
  gateway.serves({
    async *watchOrder(_request, call) {
      for (const word of all[opened++] ?? ['silence']) {
        if (word instanceof Fault) throw word;
        if (word === 'silence') await untilGone(call);
        else yield { order: word };
      }
    },
  });
  return { opened: () => opened };
}

function untilGone({ signal }: CallContext): Promise<unknown> {
  return new Promise((resolve) => signal.addEventListener('abort', resolve));
}

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const read: Item[] = [];
  for await (const item of items) read.push(item);
  return read;
}

test('an order is told as it is and after each change, until nothing can change', async () => {
  streams([pending, held, confirmed, cancelled]);
  assert.equal(await all(holdfast.watchOrder(orderId)), [pending, held, confirmed, cancelled]);
});

test('over streams that break nothing is told twice, and the last state comes', async () => {
  const away = new Fault('UNAVAILABLE', 'this process closes', { retryAfterMs: 10 });
  const { opened } = streams([held, away], [away], [held, away], [held, confirmed, away], [cancelled]);
  assert.equal(await all(holdfast.watchOrder(orderId)), [held, confirmed, cancelled]);
  assert.is(opened(), 5);
});

test('what changed while nobody could be asked is told at the next stream', async () => {
  streams([pending, new Fault('BUSY', 'too many watch', { retryAfterMs: 10 })], [cancelled]);
  const waits: string[] = [];
  const told = await all(holdfast.watchOrder(orderId, { onWait: ({ why }) => waits.push(why) }));
  assert.equal([told, waits], [[pending, cancelled], ['BUSY']]);
});

test('a stream that ends by itself is the end, also after a state that only newer gateways know', async () => {
  const { opened } = streams([held, at(2, 'UNRECOGNIZED')]);
  assert.equal(
    (await all(holdfast.watchOrder(orderId))).map(({ version }) => version),
    [1, 2],
  );
  assert.is(opened(), 1);
});

test('a stream that outlives its token goes on with the next one, and is over where there is none', async () => {
  const expired = new Fault('TOKEN_EXPIRED', 'the time of the token is over');
  let drawn = 0;
  const another = client.withToken(() => `token ${++drawn}`);
  streams([held, expired], [held, confirmed, expired], [cancelled]);
  assert.equal(await all(another.watchOrder(orderId)), [held, confirmed, cancelled]);
  assert.is(drawn, 3);
  const { opened } = streams([held, expired], [expired]);
  const fault = await rejectionOf(all(holdfast.watchOrder(orderId)), Fault);
  assert.equal([fault.reason, opened()], ['TOKEN_EXPIRED', 2]);
});

test('an order that is not there is told at once', async () => {
  const { opened } = streams([new Fault('ORDER_NOT_FOUND', 'no such order')]);
  const fault = await rejectionOf(all(holdfast.watchOrder(orderId)), Fault);
  assert.equal([fault.reason, opened()], ['ORDER_NOT_FOUND', 1]);
});

test('whoever stops reading lets the stream go', async () => {
  let gone = false;
  gateway.serves({
    async *watchOrder(_request, call) {
      yield { order: held };
      await untilGone(call);
      gone = true;
    },
  });
  for await (const order of holdfast.watchOrder(orderId)) if (order) break;
  await until(() => gone);
});

test('a promise is waited for until it is decided', async () => {
  streams([pending, held, 'silence']);
  assert.equal(await holdfast.waitForOrder(orderId), { kind: 'HELD', order: held });
  const refusal = { ...noRefusal, reason: RefusalReason.REFUSAL_REASON_SOLD_OUT };
  const no = at(1, 'ORDER_STATE_REFUSED', { refusal });
  streams([pending, no]);
  assert.equal(await holdfast.waitForOrder(orderId), { kind: 'REFUSED', order: no, reason: 'SOLD_OUT', refusal });
});

test('an order is waited for until it is paid or lost', async () => {
  streams([pending, held, confirmed, 'silence']);
  assert.is((await holdfast.waitForOrder(orderId, { until: 'PAID' })).kind, 'CONFIRMED');
  const expired = at(2, 'ORDER_STATE_EXPIRED');
  streams([held, expired]);
  assert.equal(await holdfast.waitForOrder(orderId, { until: 'PAID' }), { kind: 'EXPIRED', order: expired });
});

test('when the time is over the outcome is what was seen last', async () => {
  streams([pending, held, 'silence']);
  const unpaid = await holdfast.waitForOrder(orderId, { until: 'PAID', deadlineMs: 300 });
  assert.equal(unpaid, { kind: 'HELD', order: held });
  streams(...Array.from({ length: 99 }, () => [new Fault('UNAVAILABLE', 'away', { retryAfterMs: 20 })]));
  const unknown = await holdfast.waitForOrder(orderId, { deadlineMs: 300 });
  assert.ok(unknown.kind === 'UNDECIDED' && unknown.fault.reason === 'UNAVAILABLE');
});

test('whoever gives up waiting is let go', async () => {
  const { opened } = streams([held, 'silence']);
  const giveUp = new AbortController();
  const given = rejectionOf(holdfast.waitForOrder(orderId, { until: 'PAID', signal: giveUp.signal }), Fault);
  await until(() => opened() === 1);
  giveUp.abort();
  assert.is((await given).reason, 'CANCELLED');
});

test.run();
