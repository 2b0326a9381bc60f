import { type Order, OrderState } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import { orderId } from '#libs/contracts/order-id.js';
import { Fault } from '#libs/refusal/fault.js';
import { assert, suite } from '#libs/testing/suite.js';
import { type ChangesUnderTest, caseOf, changesWith, type Placing, refusalOf } from '../../test/changes-under-test.js';
import { orderOf } from '../../test/fake-peers.js';
import type { Answer } from './answer.js';

const test = suite('replay reservation');

const request = {
  storeId: 'store-1',
  requestId: 'key-1',
  lines: [{ skuId: 'sku-1', quantity: 1, attendeeId: '', unitPriceMinor: 0 }],
};
const id = orderId('store-1', 'ana', 'key-1');
const inState = (state: OrderState, parts: Partial<Order> = {}): Order =>
  orderOf({ orderId: id, userId: 'ana', ...parts }, state);

let changes: ChangesUnderTest;
test.after.each(() => changes.close());

/** After a first answer of ana's reservation. */
async function after(place: Placing, options?: Parameters<typeof changesWith>[1]): Promise<ChangesUnderTest> {
  changes = changesWith(place, options);
  await changes.reserve('ana', request, 5_000);
  return changes;
}

const held: Placing = async () => ({ $case: 'held', value: inState(OrderState.ORDER_STATE_HELD) });
const pending: Placing = async () => ({ $case: 'pending', value: {} });

function replay(): Promise<Answer> {
  return changes.reserve('ana', request, 5_000);
}

function stateOf(answer: Answer): OrderState | undefined {
  const outcome = answer.$case === 'response' ? answer.value.outcome : undefined;
  return outcome?.$case === 'held' ? outcome.value.order?.state : undefined;
}

test('HELD is told from the mark for thirty seconds, then as the order is', async () => {
  const { rows, requests, placed } = await after(held);
  rows.set(id, inState(OrderState.ORDER_STATE_CONFIRMED));
  requests.ageMs = 29_000;
  assert.is(stateOf(await replay()), OrderState.ORDER_STATE_HELD);
  requests.ageMs = 31_000;
  assert.is(stateOf(await replay()), OrderState.ORDER_STATE_CONFIRMED);
  assert.is(placed.length, 1);
});

test('past its expires_at a held order is read, however lately it was told', async () => {
  const expiresAt = new Date(Date.now() - 1);
  const { rows } = await after(async () => {
    return { $case: 'held', value: inState(OrderState.ORDER_STATE_HELD, { expiresAt }) };
  });
  rows.set(id, inState(OrderState.ORDER_STATE_EXPIRED));
  assert.is(stateOf(await replay()), OrderState.ORDER_STATE_EXPIRED);
});

test('what was changed since has no stored answer, and is read', async () => {
  const { rows, requests } = await after(held);
  requests.answer = { kind: 'DONE', outcome: 'HELD', ageMs: 10, answer: new Uint8Array() };
  rows.set(id, inState(OrderState.ORDER_STATE_CANCELLED));
  assert.is(stateOf(await replay()), OrderState.ORDER_STATE_CANCELLED);
});

test('PENDING is told as long as the claim is there, then as its row says', async () => {
  const { rows, claims, placed } = await after(pending);
  claims.set(id, inState(OrderState.ORDER_STATE_PENDING));
  assert.is(caseOf(await replay()), 'pending');
  const refusal = refusalOf('REFUSAL_REASON_LIMIT_REACHED', { ownOrderId: 'own-1' });
  rows.set('own-1', orderOf({ orderId: 'own-1', userId: 'ana' }, OrderState.ORDER_STATE_HELD));
  rows.set(id, inState(OrderState.ORDER_STATE_REFUSED, { refusal }));
  const answer = await replay();
  assert.ok(answer.$case === 'response' && answer.value.outcome?.$case === 'refused' && answer.isReplay);
  assert.is(answer.value.outcome.value.ownOrder?.orderId, 'own-1');
  assert.is(placed.length, 1);
});

test('L4: an order with other lines is not what was promised: it is placed again, and told so', async () => {
  const { rows, placed } = await after(async (_, tries) => {
    if (tries === 1) return { $case: 'pending', value: {} };
    throw new Fault('REQUEST_ID_REUSED', 'other lines');
  });
  const lines = [{ skuId: 'sku-2', quantity: 1, attendeeId: 'ana', unitPriceMinor: 1_500 }];
  rows.set(id, inState(OrderState.ORDER_STATE_HELD, { lines }));
  assert.is(caseOf(await replay()), 'REQUEST_ID_REUSED');
  assert.is(placed.length, 2);
});

test('when what it is today cannot be read, it is placed again by the same id, as one that is not the first', async () => {
  const away = async (): Promise<never> => {
    throw new Fault('UNAVAILABLE', 'the order service is away');
  };
  for (const first of [held, pending]) {
    const { requests, placed } = await after(first, { orders: { find: away }, inventory: { findClaim: away } });
    requests.ageMs = 31_000;
    assert.is(caseOf(await replay()), first === held ? 'held' : 'pending');
    assert.equal(
      placed.map(({ hold }) => [hold.orderId, hold.firstForMs]),
      [
        [id, 3_600_000],
        [id, 0],
      ],
    );
    changes.close();
  }
});

test('what could not be processed is told as its order is today, since an operator may have admitted it; every other no is told again', async () => {
  const refusing =
    (reason: Parameters<typeof refusalOf>[0]): Placing =>
    async () => ({ $case: 'refused', value: refusalOf(reason) });
  const held = inState(OrderState.ORDER_STATE_HELD, { version: 2 });
  const unprocessable = await after(refusing('REFUSAL_REASON_UNPROCESSABLE'));
  const refusal = refusalOf('REFUSAL_REASON_UNPROCESSABLE');
  unprocessable.rows.set(id, inState(OrderState.ORDER_STATE_REFUSED, { refusal }));
  assert.is(caseOf(await replay()), 'refused');
  unprocessable.rows.set(id, held);
  assert.is(stateOf(await replay()), OrderState.ORDER_STATE_HELD);
  assert.is(unprocessable.placed.length, 1);
  unprocessable.close();

  const soldOut = await after(refusing('REFUSAL_REASON_SOLD_OUT'));
  soldOut.rows.set(id, held);
  assert.is(caseOf(await replay()), 'refused');
});

test('a stored answer that cannot be read is none', async () => {
  const { requests, placed } = await after(held);
  requests.answer = { kind: 'DONE', outcome: 'REFUSED', ageMs: 10, answer: Buffer.from('not this') };
  assert.is(caseOf(await replay()), 'held');
  assert.is(placed.length, 2);
});

test.run();
