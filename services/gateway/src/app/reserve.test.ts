import { OnBusy } from '#libs/contracts/gen/holdfast/inventory/v1/sku.js';
import { OrderState } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import { orderId } from '#libs/contracts/order-id.js';
import { Fault } from '#libs/refusal/fault.js';
import { fromStatus, toStatus } from '#libs/rpc/status.js';
import { gate } from '#libs/testing/gate.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import {
  type ChangesUnderTest,
  caseOf,
  changesWith,
  faultIn,
  limitOf,
  type Placing,
  reasonOf,
  refusalOf,
} from '../../test/changes-under-test.js';
import { orderOf } from '../../test/fake-peers.js';
import { WorkRoom } from './limits/work-room.js';

const test = suite('reserve');

const request = {
  storeId: 'store-1',
  requestId: 'key-1',
  lines: [{ skuId: 'sku-1', quantity: 1, attendeeId: '', unitPriceMinor: 99 }],
};
const id = orderId('store-1', 'ana', 'key-1');

let changes: ChangesUnderTest;
test.after.each(() => changes.close());

/** Starts with an inventory that answers by `place`. */
function start(place: Placing, options?: Parameters<typeof changesWith>[1]): ChangesUnderTest {
  changes = changesWith(place, options);
  return changes;
}

async function pending(): Promise<{ $case: 'pending'; value: object }> {
  return { $case: 'pending', value: {} };
}

test('a hold has the computed id, and the user for attendee where none is named', async () => {
  const { reserve, placed } = start(pending);
  const answer = await reserve('ana', request, 5_000);
  assert.equal(answer, { $case: 'response', value: { outcome: { $case: 'pending', value: { orderId: id } } } });
  assert.equal(placed[0]?.hold, {
    orderId: id,
    storeId: 'store-1',
    userId: 'ana',
    requestId: 'key-1',
    lines: [{ skuId: 'sku-1', quantity: 1, attendeeId: 'ana', unitPriceMinor: 0 }],
    firstForMs: 3_600_000,
    onSoldOut: undefined,
    bookedBy: undefined,
  });
});

test('what is wrong is named, nothing is placed and nothing marked', async () => {
  const { reserve, placed, requests } = start(pending);
  const answer = await reserve('ana', { storeId: '', requestId: '', lines: [] }, 5_000);
  assert.is(answer.$case, 'error');
  const fault = fromStatus(answer.$case === 'error' ? answer.value : { code: 0, message: '', details: [] });
  assert.equal(
    fault.violations.map(({ field }) => field),
    ['store_id', 'request_id', 'lines'],
  );
  assert.is(reasonOf(await reserve('', request, 5_000)), 'INVALID_REQUEST');
  assert.is(placed.length, 0);
  assert.is(requests.begun.length, 0);
});

test('H02: a peer that breaks off is followed by another try with the same id, which is not the first', async () => {
  const { reserve, placed } = start(async (_hold, tries) => {
    if (tries < 3) throw new Fault('UNAVAILABLE', 'the stream broke');
    return pending();
  });
  assert.is((await reserve('ana', request, 5_000)).$case, 'response');
  assert.equal(
    placed.map(({ hold }) => [hold.orderId, hold.firstForMs]),
    [
      [id, 3_600_000],
      [id, 0],
      [id, 0],
    ],
  );
});

test('an outcome that stays unknown is UNAVAILABLE, and says when to ask again', async () => {
  for (const reason of ['UNAVAILABLE', 'TOO_LATE'] as const) {
    const { reserve, placed } = start(async () => Promise.reject(new Fault(reason, 'no answer')));
    const answer = await reserve('ana', request, 5_000);
    assert.is(reasonOf(answer), 'UNAVAILABLE');
    assert.ok(answer.$case === 'error' && (fromStatus(answer.value).retryAfterMs ?? 0) > 0);
    assert.is(placed.length, reason === 'TOO_LATE' ? 1 : 4);
    changes.close();
  }
});

test('whoever has no time left is told so, and nothing is placed', async () => {
  const { reserve, placed, requests } = start(pending);
  assert.is(reasonOf(await reserve('ana', request, 0)), 'TOO_LATE');
  assert.is(placed.length, 0);
  assert.is(requests.begun.length, 0);
});

test('an attempt is over after three seconds, or when the caller gives up', async () => {
  const { reserve, placed } = start(pending);
  await reserve('ana', request, Number.POSITIVE_INFINITY);
  await reserve('ben', request, 100);
  const [first = 0, second = 0] = placed.map(({ waitMs }) => waitMs * 0.9);
  assert.ok(first > 2_000 && first <= 3_000, `${first}`);
  assert.ok(second <= 90, `${second}`);
});

test('beyond the work room nobody begins, and whoever is turned away is told which limit it was', async () => {
  const held = gate();
  const room = new WorkRoom({ maxInFlight: 2, shedAfterMs: 1, maxWaiting: 1 });
  const { reserve, placed } = start(() => held.passed.then(pending), { room });
  const first = [reserve('ana', request, 5_000), reserve('ben', request, 5_000)];
  await until(() => placed.length === 2);
  const third = reserve('cid', request, 5_000);
  const answer = await reserve('dan', request, 5_000);
  assert.is(reasonOf(answer), 'RATE_LIMITED');
  assert.is(answer.$case === 'error' && fromStatus(answer.value).metadata.limit, 'IN_FLIGHT');
  assert.is(placed.length, 2);
  held.open();
  await Promise.all([...first, third]);
  assert.is((await reserve('dan', request, 5_000)).$case, 'response');
  assert.is(room.inFlight, 0);
});

test('a refusal that names an order of the user carries that order', async () => {
  const refusal = refusalOf('REFUSAL_REASON_LIMIT_REACHED', { ownOrderId: 'own-1' });
  const { reserve, rows } = start(async () => ({ $case: 'refused', value: refusal }));
  rows.set('own-1', orderOf({ orderId: 'own-1', userId: 'ana' }, OrderState.ORDER_STATE_HELD));
  const answer = await reserve('ana', request, 5_000);
  assert.ok(answer.$case === 'response' && answer.value.outcome?.$case === 'refused');
  assert.is(answer.value.outcome.value.ownOrder?.orderId, 'own-1');
  assert.is(answer.value.outcome.value.ownOrder?.userId, 'ana');
});

test('what was not foreseen is INTERNAL, under an id, and does not leave', async () => {
  const { reserve } = start(async () => Promise.reject(new Error('password=1234')));
  const answer = await reserve('ana', request, 5_000);
  assert.is(reasonOf(answer), 'INTERNAL');
  assert.ok(answer.$case === 'error' && fromStatus(answer.value).metadata.fault_id);
  assert.not.match(JSON.stringify(answer), '1234');
});

test('a change brings its limits along, each sku once, and the request says what to do beyond them', async () => {
  const { reserve, requests } = start(pending);
  const line = { skuId: 'sku-2', quantity: 1, attendeeId: '', unitPriceMinor: 0 };
  const lines = [...request.lines, line, { ...line, attendeeId: 'kim' }];
  await reserve('ana', { ...request, lines }, 5_000);
  await reserve('ben', { ...request, onBusy: OnBusy.ON_BUSY_FAIL }, 5_000);
  assert.equal(requests.begun[0]?.skus, [limitOf('sku-1'), limitOf('sku-2')]);
  assert.equal(requests.begun[1]?.skus, [{ ...limitOf('sku-1'), onBusy: 'FAIL' }]);
});

test('a store that takes only issued request ids takes no other', async () => {
  const { reserve, placed } = start(pending, { limitsOf: () => [{ ...limitOf('sku-1'), issuedOnly: true }] });
  assert.is(reasonOf(await reserve('ana', request, 5_000)), 'REQUEST_ID_NOT_ISSUED');
  assert.is(placed.length, 0);
});

test('what an id began before its store asked for issued ones is still told, while Redis is there to tell', async () => {
  let issuedOnly = false;
  const { reserve, placed, requests } = start(
    async () => ({ $case: 'refused', value: refusalOf('REFUSAL_REASON_SOLD_OUT') }),
    {
      limitsOf: () => [{ ...limitOf('sku-1'), issuedOnly }],
    },
  );
  const first = await reserve('ana', request, 5_000);
  issuedOnly = true;
  assert.equal(await reserve('ana', request, 5_000), { ...first, isReplay: true });
  assert.is(placed.length, 1);
  requests.isAway = true;
  assert.is(reasonOf(await reserve('ana', request, 5_000)), 'REQUEST_ID_NOT_ISSUED');
});

test('B01: an id that only the ledger knows is reused in the same words', async () => {
  const value = toStatus(new Fault('REQUEST_ID_REUSED', 'as the ledger says it'));
  const { reserve } = start(async () => ({ $case: 'error', value }));
  const fault = faultIn(await reserve('ana', request, 5_000));
  assert.equal([fault?.reason, fault?.metadata], ['REQUEST_ID_REUSED', { order_id: id }]);
  assert.match(fault?.message ?? '', 'needs a new request id');
});

test('B08: a user reserves twice with two ids', async () => {
  const { reserve, placed } = start(pending);
  for (const requestId of ['key-1', 'key-2'])
    assert.is(caseOf(await reserve('ana', { ...request, requestId }, 5_000)), 'pending');
  assert.is(placed.length, 2);
});

test('limits that become known while there is time are waited for', async () => {
  let asked = 0;
  const { reserve, placed } = start(pending, {
    limitsOf: async () => {
      asked += 1;
      return asked < 3 ? undefined : [limitOf('sku-1')];
    },
  });
  assert.is((await reserve('ana', request, 5_000)).$case, 'response');
  assert.equal([asked, placed.length], [3, 1]);
});

test('while the limits of a sku are not known nothing is placed or marked, and the same request is sent again', async () => {
  const { reserve, placed, requests } = start(pending, { limitsOf: async () => undefined });
  const answer = await reserve('ana', request, 5_000);
  assert.is(reasonOf(answer), 'UNAVAILABLE');
  assert.ok(answer.$case === 'error' && (fromStatus(answer.value).retryAfterMs ?? 0) > 0);
  assert.is(placed.length, 0);
  assert.is(requests.begun.length, 0);
});

test('a place in line and a limit are told as the port says them', async () => {
  const { reserve, requests, placed } = start(pending);
  requests.answer = { kind: 'QUEUED', skuId: 'sku-1', peopleAhead: 7, retryAfterMs: 240.2 };
  assert.equal(await reserve('ana', request, 5_000), {
    $case: 'response',
    value: { outcome: { $case: 'queued', value: { skuId: 'sku-1', peopleAhead: 7, retryAfterMs: 241 } } },
  });
  requests.answer = { kind: 'LIMITED', limit: 'USER', perSecond: 20, burst: 40, retryAfterMs: 50 };
  const answer = await reserve('ana', request, 5_000);
  assert.is(caseOf(answer), 'RATE_LIMITED');
  assert.is(answer.$case === 'error' && fromStatus(answer.value).metadata.limit, 'USER');
  assert.is(placed.length, 0);
});

test.run();
