import { OrderChanged } from '#libs/contracts/gen/holdfast/event/v1/order_event.js';
import { OrderState, RefusalReason } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import { shardOfStore } from '#libs/contracts/order-id.js';
import { claimsSubject } from '#libs/contracts/subjects.js';
import type { ClaimToAdmit } from '#libs/ledger/claims-batch.js';
import { claimOf, only } from '#libs/ledger/test-ledger.js';
import { Fault } from '#libs/refusal/fault.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { type Desk, deskAt } from './desk.js';
import { type RunningOrder, Stage, shards } from './test-stage.js';

const test = suite('dead letters at the order service');
let stage: Stage;
let order: RunningOrder;
let desk: Desk;
const told: OrderChanged[] = [];

test.before(async () => {
  stage = await Stage.open();
  order = await stage.start();
  desk = deskAt(order.grpcAddress);
  stage.messaging.subscribe('order.v1.>', (data) => told.push(OrderChanged.decode(data)));
});
test.after(async () => {
  desk.close();
  await stage.close();
});

const listed = async (withResolved = false) =>
  (await desk.letters.listDeadLetters({ withResolved, pageSize: 0, pageToken: '' })).deadLetters;
let requests = 0;
const seeTo = (deadLetterId: number) => ({ deadLetterId, reason: 'mended', requestId: `request-${++requests}` });
const isBroken = `CHECK (user_id NOT LIKE 'unlucky%' OR state = 'REFUSED') NOT VALID`;
const breakTable = () => stage.ledger.sql(`ALTER TABLE ledger.orders ADD CONSTRAINT test_no_luck ${isBroken}`);
const mendTable = () => stage.ledger.sql('ALTER TABLE ledger.orders DROP CONSTRAINT test_no_luck');

/** A claim that the broken ledger refused as unprocessable, and its letter. */
async function refusedClaim(user: string): Promise<{ claim: ClaimToAdmit; letterId: number; skuId: string }> {
  const { skuId } = await stage.ledger.sku();
  const claim = claimOf(`unlucky-${user}`, skuId);
  await stage.place(claim);
  const letter = await until(async () => (await listed()).find(({ orderId }) => orderId === claim.orderId));
  return { claim, skuId, letterId: letter.deadLetterId };
}

const reasonOf = async (promise: Promise<unknown>) => (await rejectionOf(promise, Fault)).reason;

test('K09: a claim that can be processed again becomes HELD by an operator, who is named, and the world is told', async () => {
  await breakTable();
  const { claim, letterId, skuId } = await refusedClaim('ann');
  const early = rejectionOf(desk.letters.replayDeadLetter(seeTo(letterId), desk.olga), Fault);
  assert.is((await early).reason, 'ORDER_STATE');
  assert.match((await early).message, 'still cannot process');
  await mendTable();
  const request = seeTo(letterId);
  const replayed = await desk.letters.replayDeadLetter(request, desk.olga);
  assert.equal([replayed.order?.state, replayed.order?.version], [OrderState.ORDER_STATE_HELD, 2]);
  assert.equal([replayed.deadLetter?.resolvedBy, replayed.deadLetter?.resolution], ['olga', 'REPLAYED: mended']);
  assert.equal(await desk.letters.replayDeadLetter(request, desk.olga), replayed);
  const { order: row } = await order.client.getOrder({ orderId: claim.orderId, userId: '' });
  assert.is(row?.state, OrderState.ORDER_STATE_HELD);
  const event = await until(() => told.find(({ orderId }) => orderId === claim.orderId));
  assert.equal([event.state, event.version], [OrderState.ORDER_STATE_HELD, 2]);
  assert.is((await stage.ledger.stock(skuId)).held, 1);
  // The stream brings the old message once more.
  await stage.place(claim);
  await stage.drained();
  assert.is((await stage.ledger.stock(skuId)).held, 1);
  assert.equal(await stage.movements(claim.orderId), ['ADMIT']);
});

test('a letter shows its message, as bytes and in words', async () => {
  await breakTable();
  const { claim, letterId, skuId } = await refusedClaim('bob');
  await mendTable();
  const { deadLetter } = await desk.letters.getDeadLetter({ deadLetterId: letterId });
  assert.ok((deadLetter?.payload.length ?? 0) > 0);
  const { not_after, ...shown } = JSON.parse(deadLetter?.payloadJson ?? '');
  assert.equal(shown, {
    order_id: claim.orderId,
    store_id: claim.storeId,
    user_id: claim.userId,
    request_id: claim.requestId,
    lines: [{ sku_id: skuId, quantity: 1, attendee_id: claim.userId }],
  });
  assert.ok(Date.parse(not_after) > 0);
  assert.match(deadLetter?.error ?? '', 'test_no_luck');
  const inList = (await listed()).find(({ deadLetterId }) => deadLetterId === letterId);
  assert.equal([inList?.payload.length, inList?.payloadJson], [0, '']);
});

test('a letter that holds no claim can be shown and discarded, not replayed', async () => {
  const before = (await listed()).length;
  await stage.store(claimsSubject(shardOfStore('store-1', shards)), new Uint8Array([255, 255, 255]));
  await until(async () => (await listed()).length === before + 1);
  const letterId = (await listed())[0]?.deadLetterId ?? 0;
  const { deadLetter } = await desk.letters.getDeadLetter({ deadLetterId: letterId });
  assert.equal([[...(deadLetter?.payload ?? [])], deadLetter?.payloadJson], [[255, 255, 255], '']);
  assert.is(await reasonOf(desk.letters.replayDeadLetter(seeTo(letterId), desk.olga)), 'INVALID_REQUEST');
  const discarded = await desk.letters.discardDeadLetter(seeTo(letterId), desk.olga);
  assert.is(discarded.deadLetter?.resolution, 'DISCARDED: mended');
  assert.is(await reasonOf(desk.letters.replayDeadLetter(seeTo(letterId), desk.olga)), 'INVALID_REQUEST');
  assert.is(await reasonOf(desk.letters.discardDeadLetter(seeTo(letterId), desk.olga)), 'DEAD_LETTER_RESOLVED');
});

test('lines that make no sense are named when their claim is replayed, and stay refused', async () => {
  const { skuId } = await stage.ledger.sku();
  const claim = claimOf('mallory', [{ skuId, quantity: -3, attendeeId: 'mallory' }]);
  await stage.place(claim);
  const letter = await until(async () => (await listed()).find(({ orderId }) => orderId === claim.orderId));
  const fault = await rejectionOf(desk.letters.replayDeadLetter(seeTo(letter.deadLetterId), desk.olga), Fault);
  assert.equal([fault.reason, only(fault.violations).field], ['INVALID_REQUEST', 'lines[0].quantity']);
  const { order: row } = await order.client.getOrder({ orderId: claim.orderId, userId: '' });
  assert.is(row?.refusal?.reason, RefusalReason.REFUSAL_REASON_UNPROCESSABLE);
});

test('what resolves nothing says everything that is wrong with it', async () => {
  const nothing = { deadLetterId: 0, reason: ' ', requestId: '' };
  for (const verb of [desk.letters.replayDeadLetter, desk.letters.discardDeadLetter]) {
    const fault = await rejectionOf(verb(nothing, desk.olga), Fault);
    assert.equal(
      fault.violations.map(({ field }) => field),
      ['dead_letter_id', 'reason', 'request_id'],
    );
    assert.is(await reasonOf(verb(seeTo(999_999), desk.olga)), 'DEAD_LETTER_NOT_FOUND');
    assert.is(await reasonOf(verb(seeTo(1))), 'TOKEN_MISSING');
  }
  assert.is(await reasonOf(desk.letters.getDeadLetter({ deadLetterId: 999_999 })), 'DEAD_LETTER_NOT_FOUND');
});

test.run();
