import { OrderState } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import { gate } from '#libs/testing/gate.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { RequestsStage } from '../src/adapters/test-redis-requests.js';
import { type ChangesUnderTest, caseOf, changesWith, type Placing, refusalOf } from './changes-under-test.js';
import { orderOf } from './fake-peers.js';

/** Owners that stall or die, over marks in a real Redis whose leases are short. */
const test = suite('lost leases');

const leaseMs = 300;
const request = {
  storeId: 'store-1',
  requestId: 'key-1',
  lines: [{ skuId: 'sku-1', quantity: 1, attendeeId: '', unitPriceMinor: 0 }],
};
const holding: Placing = async ({ orderId, userId }) => {
  return { $case: 'held', value: orderOf({ orderId, userId }, OrderState.ORDER_STATE_HELD) };
};

let stage: RequestsStage;
let started: ChangesUnderTest[] = [];

test.before(async () => {
  stage = await RequestsStage.open();
});
test.after.each(() => {
  for (const changes of started) changes.close();
  started = [];
});
test.after(() => stage.close());

function gateway(place: Placing): ChangesUnderTest {
  const requests = stage.gateway({ shards: 4, leaseMs });
  const changes = changesWith(place, { requests, leaseMs });
  started.push(changes);
  return changes;
}

/** One that stands still when it has begun: it renews nothing. */
function stalling(place: Placing): ChangesUnderTest {
  const changes = gateway(place);
  changes.close();
  return changes;
}

test('B04: an owner that stalls beyond its lease loses it; late, it ends nothing and tells what was decided', async () => {
  const stalled = gate();
  const one = stalling(async (hold, tries) => {
    const isFirst = hold.userId === 'ana' && (hold.firstForMs ?? 0) > 0;
    if (!isFirst) return holding(hold, tries);
    await stalled.passed;
    return { $case: 'refused', value: refusalOf('REFUSAL_REASON_SOLD_OUT') };
  });
  const other = gateway(holding);
  // Both have to be known to keep marks before a try can be surely the first.
  await until(async () => {
    await one.reserve(`user-${one.placed.length}`, request, 5_000);
    return (one.placed.at(-1)?.hold.firstForMs ?? 0) > 0;
  });
  const before = one.placed.length;
  const late = one.reserve('ana', request, 5_000);
  await until(() => one.placed.length > before);
  assert.is(caseOf(await other.reserve('ana', request, 5_000)), 'held');
  assert.is(other.placed[0]?.hold.firstForMs, 0, 'the second is not the first');
  stalled.open();
  assert.is(caseOf(await late), 'held', 'a no that may have no row and was not stored is placed again');
  const third = await other.reserve('ana', request, 5_000);
  assert.ok(third.$case === 'response' && third.isReplay);
  assert.is(caseOf(third), 'held');
  assert.is(other.placed.length, 1);
});

test('B04: an owner that works longer than its lease keeps it', async () => {
  const slow = gate();
  const one = gateway((hold, tries) => slow.passed.then(() => holding(hold, tries)));
  const other = gateway(holding);
  const since = performance.now();
  const first = one.reserve('ben', request, 5_000);
  await until(() => one.placed.length === 1);
  const second = other.reserve('ben', request, 5_000);
  await until(() => performance.now() - since > 3 * leaseMs);
  slow.open();
  assert.is(caseOf(await first), 'held');
  assert.is(caseOf(await second), 'held');
  assert.is(other.placed.length, 0);
});

test('B06: when the owner dies after the claim, after the commit, or before the answer is stored, the next try gets the order', async () => {
  const dead = stalling(() => new Promise(() => {}));
  void dead.reserve('cid', request, 5_000);
  await until(() => dead.placed.length === 1);
  const { reserve, placed } = gateway(holding);
  assert.is(caseOf(await reserve('cid', request, 5_000)), 'held');
  assert.is(placed[0]?.hold.orderId, dead.placed[0]?.hold.orderId);
  assert.is(placed[0]?.hold.firstForMs, 0);
});

test.run();
