import { randomUUID } from 'node:crypto';
import { OrderDeskServiceDefinition } from '#libs/contracts/gen/holdfast/control/v1/order_desk_service.js';
import { OrderState } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import { CallerRole } from '#libs/contracts/gen/holdfast/order/v1/payment.js';
import { claimOf, lineOf } from '#libs/ledger/test-ledger.js';
import { Fault } from '#libs/refusal/fault.js';
import { actorMetadata } from '#libs/rpc/actor.js';
import { type Client, connect } from '#libs/rpc/client.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import { type RunningOrder, Stage } from './test-stage.js';

const test = suite('staff');
const staffOf = (userId: string, ...stores: string[]) => ({
  metadata: actorMetadata({ userId, role: 'STAFF', stores }),
});
const sam = staffOf('sam', 'store-0', 'store-1');
const strangers = [staffOf('tom', 'store-2'), staffOf('uwe')];
let stage: Stage;
let order: RunningOrder;
let desk: Client<typeof OrderDeskServiceDefinition>;

test.before(async () => {
  stage = await Stage.open();
  order = await stage.start();
  desk = connect(OrderDeskServiceDefinition, order.grpcAddress, { defaultDeadlineMs: 5_000 });
});
test.after(async () => {
  desk.close();
  await stage.close();
});

const key = (): string => randomUUID();

async function held(quantity = 1) {
  const { skuId } = await stage.ledger.sku({ perUserLimit: 5 });
  const userId = `u-${key()}`;
  const claim = claimOf(userId, [lineOf(skuId, userId, quantity)]);
  await stage.ledger.admit(claim);
  return { orderId: claim.orderId, userId, skuId };
}

test("staff see the orders of their stores, and another store's like one that nobody has", async () => {
  const { orderId, userId, skuId } = await held();
  assert.is((await order.client.getOrder({ orderId, userId: 'sam' }, sam)).order?.userId, userId);
  for (const stranger of strangers) {
    const theirs = await rejectionOf(order.client.getOrder({ orderId, userId: 'tom' }, stranger), Fault);
    const nobodys = await rejectionOf(order.client.getOrder({ orderId: key(), userId: 'tom' }, stranger), Fault);
    assert.equal([theirs.reason, theirs.message], [nobodys.reason, nobodys.message]);
  }
  const list = async (by: { userId: string; skuId: string }, who: typeof sam) => {
    const { orders, nextPageToken } = await order.client.listOrders({ ...by, pageSize: 1, pageToken: '' }, who);
    return [orders.map((one) => one.orderId), nextPageToken !== ''];
  };
  for (const by of [
    { userId, skuId: '' },
    { userId: '', skuId },
  ]) {
    assert.equal(await list(by, sam), [[orderId], false]);
    for (const stranger of strangers) assert.equal(await list(by, stranger), [[], false]);
  }
});

test('staff cancel, shorten and move for a person, and the record says who did', async () => {
  const { orderId, skuId } = await held(3);
  const asked = { orderId, userId: 'sam', role: CallerRole.CALLER_ROLE_USER };
  const line = { skuId, quantity: 1, attendeeId: '', unitPriceMinor: 0 };
  const part = { ...asked, lines: [line], reason: '' };
  const target = await stage.ledger.sku({ perUserLimit: 5 });
  const move = { ...asked, fromSkuId: '', toSkuId: target.skuId };
  const cancel = { ...asked, reason: '' };
  for (const stranger of strangers) {
    for (const change of [
      () => order.client.cancelOrderLines({ ...part, requestId: key() }, stranger),
      () => order.client.moveOrder({ ...move, requestId: key() }, stranger),
      () => order.client.cancelOrder({ ...cancel, requestId: key() }, stranger),
    ]) {
      assert.is((await rejectionOf(change() as Promise<unknown>, Fault)).reason, 'ORDER_NOT_FOUND');
    }
  }
  assert.is((await stage.ledger.stock(skuId)).held, 3);

  await order.client.cancelOrderLines({ ...part, requestId: key() }, sam);
  assert.is((await order.client.moveOrder({ ...move, requestId: key() }, sam)).outcome?.$case, 'order');
  const { order: ended } = await order.client.cancelOrder({ ...cancel, requestId: key() }, sam);
  assert.is(ended?.state, OrderState.ORDER_STATE_CANCELLED);
  const { movements } = await desk.listMovements({ skuId: '', orderId, pageSize: 0, pageToken: '' }, sam);
  const changes = movements.filter(
    ({ reason }) => reason === 'CANCEL' || reason === 'CANCEL_PART' || reason === 'MOVE',
  );
  assert.ok(changes.length >= 3);
  for (const { changedBy } of changes) assert.is(changedBy, 'sam');
});

test.run();
