import { OrderState } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import { orderId } from '#libs/contracts/order-id.js';
import { Fault } from '#libs/refusal/fault.js';
import { gate } from '#libs/testing/gate.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import {
  type ChangesUnderTest,
  caseOf,
  changesWith,
  faultIn,
  type Placing,
  refusalOf,
} from '../../test/changes-under-test.js';
import { orderOf } from '../../test/fake-peers.js';
import { FakeRequests } from '../../test/fake-requests.js';
import { LocalBuckets } from './limits/local-buckets.js';
import { WorkRoom } from './limits/work-room.js';

const test = suite('once');

const line = { skuId: 'sku-1', quantity: 1, attendeeId: '', unitPriceMinor: 0 };
const request = { storeId: 'store-1', requestId: 'key-1', lines: [line] };
const id = orderId('store-1', 'ana', 'key-1');
const soldOut = { $case: 'refused', value: refusalOf('REFUSAL_REASON_SOLD_OUT') } as const;

let started: ChangesUnderTest[] = [];
test.after.each(() => {
  for (const changes of started) changes.close();
  started = [];
});

/** A gateway; several of a test share one port of marks. */
function gateway(place: Placing, options?: Parameters<typeof changesWith>[1]): ChangesUnderTest {
  const changes = changesWith(place, options);
  started.push(changes);
  return changes;
}

const holding: Placing = async ({ orderId, userId, requestId, lines }) => {
  return { $case: 'held', value: orderOf({ orderId, userId, requestId, lines }, OrderState.ORDER_STATE_HELD) };
};

test('B01: an id that was used for another sku or quantity is reused, nothing is placed, and the first answer stays', async () => {
  const { reserve, placed } = gateway(holding);
  const first = await reserve('ana', request, 5_000);
  for (const other of [{ skuId: 'sku-2' }, { quantity: 2 }, { attendeeId: 'kim' }]) {
    const fault = faultIn(await reserve('ana', { ...request, lines: [{ ...line, ...other }] }, 5_000));
    assert.is(fault?.reason, 'REQUEST_ID_REUSED');
    assert.equal(fault?.metadata, { order_id: id });
    assert.match(fault?.message ?? '', 'needs a new request id');
  }
  assert.equal(await reserve('ana', request, 5_000), { ...first, isReplay: true });
  assert.is(placed.length, 1);
});

test('B01: while the first is carried out, too', async () => {
  const held = gate();
  const { reserve, placed } = gateway((hold, tries) => held.passed.then(() => holding(hold, tries)));
  const first = reserve('ana', request, 5_000);
  await until(() => placed.length === 1);
  const other = { ...request, lines: [{ ...line, quantity: 2 }] };
  const fault = faultIn(await reserve('ana', other, 5_000));
  assert.equal([fault?.reason, fault?.metadata], ['REQUEST_ID_REUSED', { order_id: id }]);
  held.open();
  assert.is(caseOf(await first), 'held');
  assert.is(placed.length, 1);
});

test('B02: of 200 tries in one gateway one is carried out, and all hear the same', async () => {
  const held = gate();
  const { reserve, placed, requests } = gateway((hold, tries) => held.passed.then(() => holding(hold, tries)));
  const early = Array.from({ length: 100 }, () => reserve('ana', request, 5_000));
  await until(() => placed.length === 1);
  const late = Array.from({ length: 100 }, () => reserve('ana', request, 5_000));
  assert.is(requests.begun.length, 100, 'whoever finds it here asks nobody');
  held.open();
  const answers = await Promise.all([...early, ...late]);
  for (const answer of answers) assert.equal({ ...answer, isReplay: true }, { ...answers[0], isReplay: true });
  assert.is(placed.length, 1);
});

test('B02: whoever finds it in another gateway hears it from there', async () => {
  const requests = new FakeRequests();
  const held = gate();
  const one = gateway((hold, tries) => held.passed.then(() => holding(hold, tries)), { requests });
  const other = gateway(holding, { requests });
  const first = one.reserve('ana', request, 5_000);
  await until(() => one.placed.length === 1);
  const second = other.reserve('ana', request, 5_000);
  await until(() => requests.begun.length === 3);
  held.open();
  const { isReplay, ...again } = { isReplay: undefined, ...(await second) };
  assert.equal(again, await first);
  assert.ok(isReplay);
  assert.is(other.placed.length, 0);
});

test('B03: whoever waits too long for another try is told so while still listening, and never that something is away', async () => {
  const requests = new FakeRequests();
  const stuck = gateway(() => new Promise(() => {}), { requests });
  const other = gateway(holding, { requests });
  void stuck.reserve('ana', request, 5_000);
  await until(() => stuck.placed.length === 1);
  const giveUpAt = performance.now() + 2_000;
  const answers = await Promise.all([stuck.reserve('ana', request, 2_000), other.reserve('ana', request, 2_000)]);
  assert.equal(answers.map(caseOf), ['REQUEST_IN_PROGRESS', 'REQUEST_IN_PROGRESS']);
  assert.ok(performance.now() < giveUpAt, 'in time');
});

test('B03: a try that ends without knowing is no answer for the others: one of them carries it out', async () => {
  const held = gate();
  const { reserve, placed } = gateway(async (hold, tries) => {
    if (tries > 1) return holding(hold, tries);
    await held.passed;
    throw new Fault('TOO_LATE', 'no answer came');
  });
  const first = reserve('ana', request, 5_000);
  await until(() => placed.length === 1);
  const others = Array.from({ length: 20 }, () => reserve('ana', request, 5_000));
  held.open();
  assert.is(caseOf(await first), 'UNAVAILABLE');
  assert.equal(new Set((await Promise.all(others)).map(caseOf)), new Set(['held']));
  assert.is(placed.length, 2);
  assert.is(placed[1]?.hold.firstForMs, 0, 'as one that is not the first');
});

test('B04: whoever stalls beyond the lease ends nothing that is not theirs, and its no is placed again before it is told', async () => {
  const requests = new FakeRequests();
  requests.leaseMs = 0;
  const stalled = gate();
  const one = gateway((hold, tries) => (tries > 1 ? holding(hold, tries) : stalled.passed.then(() => soldOut)), {
    requests,
    leaseMs: 50,
  });
  const other = gateway(holding, { requests });
  const leaseIsOverAt = performance.now() + 100;
  const slow = one.reserve('ana', request, 5_000);
  // Standing still it renews nothing.
  one.close();
  await until(() => performance.now() > leaseIsOverAt);
  assert.is(caseOf(await other.reserve('ana', request, 5_000)), 'held');
  stalled.open();
  assert.is(caseOf(await slow), 'held');
  assert.equal(
    one.placed.map(({ hold }) => hold.firstForMs),
    [3_600_000, 0],
  );
  assert.is(caseOf(await other.reserve('ana', request, 5_000)), 'held');
  assert.is(other.placed.length, 1);
});

test('B04: a lease is renewed as long as somebody waits for the answer', async () => {
  const requests = new FakeRequests();
  requests.leaseMs = 1_000_000;
  const held = gate();
  const one = gateway((hold, tries) => held.passed.then(() => holding(hold, tries)), { requests, leaseMs: 60 });
  const first = one.reserve('ana', request, 5_000);
  await until(() => requests.renewed.length >= 2);
  held.open();
  assert.is(caseOf(await first), 'held');
  const renewed = requests.renewed.length;
  const left = one.reserve('ben', { ...request, requestId: 'key-2' }, 5_000);
  await left;
  assert.is(requests.renewed.length, renewed);
});

test('B06: a mark whose owner died is taken over when its lease is over, as one that is not the first', async () => {
  const requests = new FakeRequests();
  requests.leaseMs = 100;
  const dead = gateway(() => new Promise(() => {}), { requests });
  dead.close();
  void dead.reserve('ana', request, 5_000);
  const { reserve, placed } = gateway(holding, { requests });
  assert.is(caseOf(await reserve('ana', request, 5_000)), 'held');
  assert.is(placed[0]?.hold.firstForMs, 0);
});

test('B06: when the end of a yes is lost, the next try is told it by the ledger', async () => {
  const { reserve, placed, requests } = gateway(holding);
  requests.losesEnds = true;
  requests.leaseMs = 0;
  const first = await reserve('ana', request, 5_000);
  await until(() => placed.length === 1);
  requests.losesEnds = false;
  assert.equal(await reserve('ana', request, 5_000), first);
  assert.is(placed[1]?.hold.firstForMs, 0);
});

test('B06: when the answer to a beginning is lost it is carried out without a mark, which is for the port to clear', async () => {
  const { reserve, placed, requests } = gateway(holding);
  requests.losesBegins = true;
  const first = await reserve('ana', request, 5_000);
  assert.is(placed[0]?.hold.firstForMs, undefined);
  assert.equal(requests.ended, []);
  requests.losesBegins = false;
  assert.equal(await reserve('ana', request, 5_000), first);
  assert.is(placed[1]?.hold.firstForMs, 0);
});

test('a no of a first try is told when it is stored, and placed again, leaving a row, when it cannot be', async () => {
  const requests = new FakeRequests();
  const { reserve, placed } = gateway(async () => soldOut, { requests });
  assert.is(caseOf(await reserve('ana', request, 5_000)), 'refused');
  assert.is(requests.stateOf(id), 'DONE');
  requests.losesEnds = true;
  assert.is(caseOf(await reserve('ben', request, 5_000)), 'refused');
  assert.equal(
    placed.map(({ hold }) => hold.firstForMs),
    [3_600_000, 3_600_000, 0],
  );
});

test('L6: a no of which nobody knows whether it is stored is not told, nor is a yes; the next try hears what is there', async () => {
  const requests = new FakeRequests();
  const { reserve, placed } = gateway(async (hold, tries) => (tries === 1 ? soldOut : holding(hold, tries)), {
    requests,
  });
  requests.losesEndReplies = true;
  const fault = faultIn(await reserve('ana', request, 5_000));
  assert.equal([fault?.reason, placed.length], ['UNAVAILABLE', 1]);
  assert.match(fault?.message ?? '', 'send the same request again');
  requests.losesEndReplies = false;
  assert.is(caseOf(await reserve('ana', request, 5_000)), 'refused');
});

test('a no that other gateways do not respect is placed again, and what that gives is told and stored', async () => {
  const requests = new FakeRequests();
  const { reserve } = gateway(async (hold, tries) => (tries === 1 ? soldOut : holding(hold, tries)), { requests });
  requests.othersKeepNoMarks = true;
  assert.is(caseOf(await reserve('ana', request, 5_000)), 'held');
  await until(() => requests.stateOf(id) === 'DONE');
  assert.is(caseOf(await reserve('ana', request, 5_000)), 'held');
});

test('B07: another user with the same id sees nothing of the first', async () => {
  const { reserve, placed } = gateway(holding);
  await reserve('ana', request, 5_000);
  const answer = await reserve('ben', request, 5_000);
  assert.ok(answer.$case === 'response' && answer.value.outcome?.$case === 'held');
  assert.is(answer.value.outcome.value.order?.userId, 'ben');
  assert.is.not(placed[0]?.hold.orderId, placed[1]?.hold.orderId);
});

test('B11: other ways of writing the same order are the same request', async () => {
  const two = { ...line, skuId: 'sku-2', quantity: 2 };
  const { reserve, placed } = gateway(holding);
  const first = await reserve('ana', { ...request, lines: [line, two] }, 5_000);
  const one = { ...two, quantity: 1 };
  const ways = [
    [two, line],
    [one, line, one],
    [{ ...line, attendeeId: 'ana' }, two],
    [{ ...line, unitPriceMinor: 77 }, two],
  ];
  for (const lines of ways) {
    assert.equal(await reserve('ana', { ...request, lines, onBusy: 1 }, 5_000), { ...first, isReplay: true });
  }
  assert.is(placed.length, 1);
});

test('while Redis is away tries go straight through under their one id, and those of one gateway still meet', async () => {
  const held = gate();
  const { reserve, placed, requests } = gateway((hold, tries) => held.passed.then(() => holding(hold, tries)));
  requests.isAway = true;
  const tries = Array.from({ length: 20 }, () => reserve('ana', request, 5_000));
  await until(() => placed.length === 1);
  held.open();
  assert.equal([...new Set((await Promise.all(tries)).map(caseOf))], ['held']);
  assert.is(placed.length, 1);
  assert.is(placed[0]?.hold.firstForMs, undefined);
});

test('while Redis is away the local buckets say who passes', async () => {
  const user = { perSecond: 1_000, burst: 1_000 };
  const localBuckets = new LocalBuckets({ requests: { gateways: 50 }, user });
  const { reserve, placed, requests } = gateway(holding, { localBuckets });
  requests.isAway = true;
  assert.is(caseOf(await reserve('ana', request, 5_000)), 'held');
  assert.is(caseOf(await reserve('ben', request, 5_000)), 'RATE_LIMITED');
  assert.is(placed.length, 1);
});

for (const isAway of [false, true]) {
  const when = isAway ? 'while Redis is away' : 'before Redis went away';
  test(`what was sold out ${when} is told to everybody, and no limit delays it until there are units again`, async () => {
    const user = { perSecond: 1_000, burst: 1_000 };
    const localBuckets = new LocalBuckets({ requests: { gateways: 50 }, user, now: () => 0 });
    const { reserve, requests } = gateway(async (hold, tries) => (tries < 22 ? soldOut : holding(hold, tries)), {
      localBuckets,
    });
    const next = async (tries: number): Promise<string | undefined> =>
      caseOf(await reserve(`user-${tries}`, request, 5_000));
    requests.isAway = isAway;
    assert.is(await next(1), 'refused');
    requests.isAway = true;
    for (let tries = 2; tries < 22; tries += 1) assert.is(await next(tries), 'refused');
    assert.is(await next(22), 'held');
    if (!isAway) assert.is(await next(23), 'held');
    assert.is(await next(24), 'RATE_LIMITED');
  });
}

test('whoever waits for another try leaves the room to others', async () => {
  const requests = new FakeRequests();
  const room = new WorkRoom({ maxInFlight: 1, shedAfterMs: 1, maxWaiting: 1 });
  const stuck = gateway(() => new Promise(() => {}), { requests });
  const { reserve } = gateway(holding, { requests, room });
  void stuck.reserve('ana', request, 5_000);
  await until(() => requests.begun.length === 1);
  const waiting = reserve('ana', request, 1_000);
  await until(() => requests.begun.length > 1);
  await until(() => room.inFlight === 0);
  assert.is(caseOf(await reserve('ben', request, 5_000)), 'held');
  assert.is(caseOf(await waiting), 'REQUEST_IN_PROGRESS');
});

test.run();
