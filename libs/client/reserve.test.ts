import { OnBusy, OnSoldOut } from '#libs/contracts/gen/holdfast/inventory/v1/sku.js';
import { LimitScope, RefusalReason } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import { WaitlistState } from '#libs/contracts/gen/holdfast/waitlist/v1/waitlist.js';
import { Fault } from '#libs/refusal/fault.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { connectHoldfast, type Holdfast, type HoldfastClient, type Waiting, type Wish } from './index.js';
import { heldOrder, noRefusal, type Said, type StandInGateway, startStandInGateway } from './stand-in-gateway.js';

const test = suite('client: reserve');
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

const wish: Wish = { storeId: 'kiln', lines: [{ skuId: 'mug', quantity: 2 }], requestId: 'key-1' };
const held: Said = { $case: 'held', value: { order: heldOrder } };
const queued = (peopleAhead: number, retryAfterMs: number): Said => ({
  $case: 'queued',
  value: { skuId: 'mug', peopleAhead, retryAfterMs },
});
const refused = (reason: RefusalReason): Said => ({
  $case: 'refused',
  value: {
    refusal: {
      ...{ ...noRefusal, reason, limit: 2, ownOrderId: heldOrder.orderId, scope: LimitScope.LIMIT_SCOPE_SKU },
    },
    ownOrder: heldOrder,
  },
});

test('what is wanted goes in the name of the user, and the held order comes back', async () => {
  gateway.says(held);
  const outcome = await holdfast.reserve({ ...wish, onBusy: 'FAIL', onSoldOut: 'REFUSE' });
  assert.equal(outcome, { kind: 'HELD', requestId: 'key-1', order: heldOrder });
  const [{ userId, request } = { userId: '', request: undefined }] = gateway.tries;
  assert.equal([userId, gateway.tries.length], ['ada', 1]);
  assert.equal(request, {
    storeId: 'kiln',
    requestId: 'key-1',
    lines: [{ skuId: 'mug', quantity: 2, attendeeId: '', unitPriceMinor: 0 }],
    onBusy: OnBusy.ON_BUSY_FAIL,
    onSoldOut: OnSoldOut.ON_SOLD_OUT_REFUSE,
    forceReason: undefined,
  });
});

test('a place in the waitlist is an outcome, and nothing is sent again for it', async () => {
  const entry = { entryId: 'e-1', skuId: 'mug', peopleAhead: 3 };
  gateway.says({ $case: 'waiting', value: { ...entry, state: WaitlistState.WAITLIST_STATE_WAITING, orderId: '' } });
  const outcome = await holdfast.reserve({ ...wish, onSoldOut: 'JOIN_WAITLIST' });
  assert.equal(outcome, { kind: 'WAITLISTED', requestId: 'key-1', state: 'WAITING', ...entry });
  assert.is(gateway.tries.length, 1);
});

test('a request without an id gets one, another for each reservation', async () => {
  gateway.says(held);
  const { requestId: _, ...keyless } = wish;
  const ids = [(await holdfast.reserve(keyless)).requestId, (await holdfast.reserve(keyless)).requestId];
  assert.is(new Set(ids).size, 2);
  assert.equal(
    gateway.tries.map(({ request }) => request.requestId),
    ids,
  );
});

test('a no has its reason and facts, a promise its order', async () => {
  gateway.says(refused(RefusalReason.REFUSAL_REASON_LIMIT_REACHED));
  const no = await holdfast.reserve(wish);
  assert.ok(no.kind === 'REFUSED' && no.reason === 'LIMIT_REACHED');
  assert.equal([no.refusal.limit, no.ownOrder?.orderId], [2, heldOrder.orderId]);
  gateway.says({ $case: 'pending', value: { orderId: 'o-1' } });
  assert.equal(await holdfast.reserve(wish), { kind: 'PENDING', requestId: 'key-1', orderId: 'o-1' });
});

test('a place in line is kept with the same request, and never asked for too soon', async () => {
  gateway.says(queued(9, 60), queued(3, 40), held);
  const waits: Waiting[] = [];
  const outcome = await holdfast.reserve(wish, { onWait: (waiting) => waits.push(waiting) });
  assert.is(outcome.kind, 'HELD');
  assert.equal(waits, [
    { why: 'QUEUED', waitMs: 60, skuId: 'mug', peopleAhead: 9 },
    { why: 'QUEUED', waitMs: 40, skuId: 'mug', peopleAhead: 3 },
  ]);
  const [first, second, third] = gateway.tries;
  assert.equal([second?.request, third?.request], [first?.request, first?.request]);
});

test('what tells to come again is obeyed, with one request id', async () => {
  gateway.says(
    new Fault('RATE_LIMITED', 'too fast', { retryAfterMs: 150 }),
    new Fault('REQUEST_IN_PROGRESS', 'being answered', { retryAfterMs: 30 }),
    new Fault('BUSY', 'too much waits', { retryAfterMs: 30 }),
    // One more is what the connection tries by itself.
    new Fault('UNAVAILABLE', 'away', { retryAfterMs: 30 }),
    new Fault('UNAVAILABLE', 'away', { retryAfterMs: 30 }),
    held,
  );
  const waits: Waiting[] = [];
  const outcome = await holdfast.reserve(wish, { onWait: (waiting) => waits.push(waiting) });
  assert.is(outcome.kind, 'HELD');
  assert.equal([...new Set(gateway.tries.map(({ request }) => request.requestId))], ['key-1']);
  assert.equal(
    waits.map(({ why }) => why),
    ['RATE_LIMITED', 'REQUEST_IN_PROGRESS', 'BUSY', 'UNAVAILABLE'],
  );
  assert.ok((waits[0]?.waitMs ?? 0) >= 150);
});

test('what no repetition mends is thrown at once', async () => {
  for (const reason of ['INVALID_REQUEST', 'REQUEST_ID_REUSED', 'REQUEST_ID_NOT_ISSUED', 'SKU_NOT_FOUND'] as const) {
    gateway.says(new Fault(reason, 'no'));
    const thrown = await holdfast.reserve(wish).catch((error: unknown) => error);
    assert.ok(thrown instanceof Fault && thrown.reason === reason, reason);
    assert.is(gateway.tries.length, 1);
  }
});

test('the time of the caller ends it with what was last known', async () => {
  gateway.says(queued(70, 5_000));
  const inLine = await holdfast.reserve(wish, { deadlineMs: 1_000 });
  assert.equal(inLine, { kind: 'QUEUED', requestId: 'key-1', skuId: 'mug', peopleAhead: 70, retryAfterMs: 5_000 });
  gateway.says(new Fault('RATE_LIMITED', 'too fast', { retryAfterMs: 5_000 }));
  const limited = await holdfast.reserve(wish, { deadlineMs: 1_000 });
  assert.ok(limited.kind === 'UNDECIDED' && limited.fault.reason === 'RATE_LIMITED');
  gateway.says('nothing');
  const silent = await holdfast.reserve(wish, { deadlineMs: 100 });
  assert.ok(silent.kind === 'UNDECIDED' && silent.fault.reason === 'TOO_LATE');
});

test('whoever gives up is let go, while waiting and while asking', async () => {
  for (const said of [queued(70, 30_000), 'nothing'] as const) {
    gateway.says(said);
    const giveUp = new AbortController();
    const given = holdfast.reserve(wish, { signal: giveUp.signal }).catch((error: unknown) => error);
    await until(() => gateway.tries.length === 1);
    giveUp.abort();
    const thrown = await given;
    assert.ok(thrown instanceof Fault && thrown.reason === 'CANCELLED');
    assert.is(gateway.tries.length, 1);
  }
});

test.run();
