import type { PlaceHoldsResult } from '#libs/contracts/gen/holdfast/inventory/v1/inventory_service.js';
import { OrderState, RefusalReason } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import { orderId } from '#libs/contracts/order-id.js';
import { Fault, type FaultReason } from '#libs/refusal/fault.js';
import { fromStatus } from '#libs/rpc/status.js';
import { createLogger } from '#libs/runtime/logger.js';
import { assert, suite } from '#libs/testing/suite.js';
import type { Hold } from './ports.js';
import { type Answer, createReserve, type Reserve } from './reserve.js';

const test = suite('reserve');

const request = {
  storeId: 'store-1',
  requestId: 'key-1',
  lines: [{ skuId: 'sku-1', quantity: 1, attendeeId: '', unitPriceMinor: 99 }],
};
const id = orderId('store-1', 'ana', 'key-1');
const pending: PlaceHoldsResult = { itemId: 1, outcome: { $case: 'pending', value: {} } };

/** A reserve whose inventory answers by `place`, and the holds it was asked for. */
function reserveWith(place: (hold: Hold, tries: number) => Promise<PlaceHoldsResult>, maxInFlight = 10) {
  const placed: { hold: Hold; waitMs: number }[] = [];
  const reserve: Reserve = createReserve({
    placeHold: (hold, waitMs) => place(hold, placed.push({ hold, waitMs })),
    ownOrder: async (ownId, userId) => ({ ...ownOrder, orderId: ownId, userId }),
    maxInFlight,
    logger: createLogger('test', 'silent'),
  });
  return { reserve, placed };
}

function reasonOf(answer: Answer): FaultReason | undefined {
  return answer.$case === 'error' ? fromStatus(answer.value).reason : undefined;
}

test('a hold has the computed id, and the user for attendee where none is named', async () => {
  const { reserve, placed } = reserveWith(async () => pending);
  const answer = await reserve('ana', request, 5_000);
  assert.equal(answer, { $case: 'response', value: { outcome: { $case: 'pending', value: { orderId: id } } } });
  assert.equal(placed[0]?.hold, {
    orderId: id,
    storeId: 'store-1',
    userId: 'ana',
    requestId: 'key-1',
    lines: [{ skuId: 'sku-1', quantity: 1, attendeeId: 'ana', unitPriceMinor: 0 }],
  });
});

test('what is wrong is named and nothing is placed', async () => {
  const { reserve, placed } = reserveWith(async () => pending);
  const answer = await reserve('ana', { storeId: '', requestId: '', lines: [] }, 5_000);
  assert.is(answer.$case, 'error');
  const fault = fromStatus(answer.$case === 'error' ? answer.value : { code: 0, message: '', details: [] });
  assert.equal(
    fault.violations.map(({ field }) => field),
    ['store_id', 'request_id', 'lines'],
  );
  assert.is(reasonOf(await reserve('', request, 5_000)), 'USER_MISSING');
  assert.is(placed.length, 0);
});

test('H02: a peer that breaks off is followed by another try with the same id', async () => {
  const { reserve, placed } = reserveWith(async (_hold, tries) => {
    if (tries < 3) throw new Fault('UNAVAILABLE', 'the stream broke');
    return pending;
  });
  assert.is((await reserve('ana', request, 5_000)).$case, 'response');
  assert.equal(
    placed.map(({ hold }) => hold.orderId),
    [id, id, id],
  );
});

test('an outcome that stays unknown is UNAVAILABLE, and says when to ask again', async () => {
  for (const reason of ['UNAVAILABLE', 'TOO_LATE'] as const) {
    const { reserve, placed } = reserveWith(async () => Promise.reject(new Fault(reason, 'no answer')));
    const answer = await reserve('ana', request, 5_000);
    assert.is(reasonOf(answer), 'UNAVAILABLE');
    assert.ok(answer.$case === 'error' && (fromStatus(answer.value).retryAfterMs ?? 0) > 0);
    assert.is(placed.length, reason === 'TOO_LATE' ? 1 : 4);
  }
});

test('no more tries than there is time for', async () => {
  const { reserve, placed } = reserveWith(async () => Promise.reject(new Fault('UNAVAILABLE', 'the stream broke')));
  assert.is(reasonOf(await reserve('ana', request, 0)), 'UNAVAILABLE');
  assert.is(placed.length, 1);
});

test('an attempt is over after three seconds, or when the caller gives up', async () => {
  const { reserve, placed } = reserveWith(async () => pending);
  await reserve('ana', request, Number.POSITIVE_INFINITY);
  await reserve('ana', request, 100);
  const [first = 0, second = 0] = placed.map(({ waitMs }) => waitMs * 0.9);
  assert.ok(first > 2_000 && first <= 3_000, `${first}`);
  assert.ok(second <= 90, `${second}`);
});

test('beyond the bound it is busy at once, and not before', async () => {
  let answerAll = (): void => {};
  const gate = new Promise<void>((resolve) => {
    answerAll = resolve;
  });
  const { reserve, placed } = reserveWith(() => gate.then(() => pending), 2);
  const first = [reserve('ana', request, 5_000), reserve('ben', request, 5_000)];
  assert.is(reasonOf(await reserve('cid', request, 5_000)), 'BUSY');
  assert.is(placed.length, 2);
  answerAll();
  await Promise.all(first);
  assert.is((await reserve('cid', request, 5_000)).$case, 'response');
});

test('a refusal that names an order of the user carries that order', async () => {
  const refusal = { ...noRefusal, reason: RefusalReason.REFUSAL_REASON_LIMIT_REACHED, ownOrderId: 'own-1' };
  const { reserve } = reserveWith(async () => ({ itemId: 1, outcome: { $case: 'refused', value: refusal } }));
  const answer = await reserve('ana', request, 5_000);
  assert.ok(answer.$case === 'response' && answer.value.outcome?.$case === 'refused');
  assert.is(answer.value.outcome.value.ownOrder?.orderId, 'own-1');
  assert.is(answer.value.outcome.value.ownOrder?.userId, 'ana');
});

test('what was not foreseen is INTERNAL, under an id, and does not leave', async () => {
  const { reserve } = reserveWith(async () => Promise.reject(new Error('password=1234')));
  const answer = await reserve('ana', request, 5_000);
  assert.is(reasonOf(answer), 'INTERNAL');
  assert.ok(answer.$case === 'error' && fromStatus(answer.value).metadata.fault_id);
  assert.not.match(JSON.stringify(answer), '1234');
});

const noRefusal = {
  reason: RefusalReason.REFUSAL_REASON_UNSPECIFIED,
  skuId: 'sku-1',
  free: 0,
  nextReleaseAt: undefined,
  opensAt: undefined,
  closedAt: undefined,
  slotPast: false,
  limit: 0,
  ownOrderId: '',
};
const ownOrder = {
  storeId: 'store-1',
  requestId: 'key-0',
  state: OrderState.ORDER_STATE_HELD,
  version: 1,
  lines: [],
  amountMinor: 0,
  currency: 'EUR',
  createdAt: undefined,
  expiresAt: undefined,
  refusal: undefined,
};

test.run();
