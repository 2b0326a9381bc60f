import { ExplainServiceDefinition } from '#libs/contracts/gen/holdfast/control/v1/explain_service.js';
import { AccessServiceDefinition } from '#libs/contracts/gen/holdfast/order/v1/access_service.js';
import { OrderState } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import { claimOf } from '#libs/ledger/test-ledger.js';
import { Fault } from '#libs/refusal/fault.js';
import { type Client, connect } from '#libs/rpc/client.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { Stage } from './test-stage.js';

const test = suite('explanations of the order service');
let stage: Stage;
let explain: Client<ExplainServiceDefinition>;
let access: Client<AccessServiceDefinition>;

test.before(async () => {
  stage = await Stage.open();
  const { grpcAddress } = await stage.start();
  explain = connect(ExplainServiceDefinition, grpcAddress, { defaultDeadlineMs: 5_000 });
  access = connect(AccessServiceDefinition, grpcAddress, { defaultDeadlineMs: 5_000 });
});
test.after(async () => {
  explain.close();
  access.close();
  await stage.close();
});

test('an order tells in words what happened to it, until it was published', async () => {
  const { skuId } = await stage.ledger.sku();
  const { orderId, expiresAt } = await stage.ledger.order(claimOf('anna', skuId));
  const story = await until(async () => {
    const told = await explain.explainOrder({ orderId });
    return told.events.length === 2 ? told : undefined;
  });
  assert.is(story.order?.state, OrderState.ORDER_STATE_HELD);
  const [held, published] = story.events;
  const time = expiresAt?.toISOString().slice(11, 19);
  assert.match(held?.text ?? '', new RegExp(`^held 1 of ${skuId} for anna until (.*T)?${time}Z$`));
  assert.equal([held?.orderId, held?.what, published?.what], [orderId, 'HELD', 'PUBLISHED']);
  assert.is(published?.text, 'event published: HELD, version 1');
});

test('a user is explained over all orders for a sku, with what they have and may have', async () => {
  const { skuId } = await stage.ledger.sku();
  const { orderId } = await stage.ledger.order(claimOf('anna', skuId));
  await stage.ledger.admit(claimOf('anna', skuId));
  const story = await explain.explainUser({ userId: 'anna', skuId });
  assert.equal([story.orders.length, story.units, story.limit], [2, 1, 1]);
  const refused = story.events.find(({ what }) => what === 'REFUSED');
  assert.is(refused?.text, `refused 1 of ${skuId} for anna: one may have 1 of ${skuId}, see order ${orderId}`);
});

test('what a gateway told is in the story of the order, of the person and of the request', async () => {
  const { skuId } = await stage.ledger.sku();
  const claim = claimOf('cara', skuId);
  await stage.ledger.order(claim);
  const { storeId, userId, requestId, orderId } = claim;
  const at = new Date(Date.now() - 5_000);
  const record = { at, tookMs: 12, storeId, userId, skuIds: [skuId], requestId, isReplay: false, weight: 1 };
  await access.recordAccess({ instance: 'gateway-1', records: [{ ...record, answer: 'HELD' }] });
  const text = `pressed with key ${requestId}, was told HELD after 12 ms by gateway-1`;
  const stories = [
    await explain.explainOrder({ orderId }),
    await explain.explainUser({ userId, skuId }),
    await explain.explainRequest({ requestId, userId: '', storeId: '' }),
    await explain.explainRequest({ requestId, userId, storeId }),
  ];
  for (const { events } of stories) {
    const [pressed, held] = events;
    assert.equal([pressed?.what, pressed?.orderId, pressed?.text, held?.what], ['ASKED', orderId, text, 'HELD']);
  }
  assert.equal(await access.pruneAccess({ batchSize: 0 }), { pruned: 0, hasMore: false });
});

test('what cannot be explained says why', async () => {
  const reasonOf = async (call: Promise<unknown>) => (await rejectionOf(call, Fault)).reason;
  assert.is(await reasonOf(explain.explainOrder({ orderId: 'nothing' })), 'ORDER_NOT_FOUND');
  assert.is(await reasonOf(explain.explainUser({ userId: 'anna', skuId: 'nothing' })), 'SKU_NOT_FOUND');
  assert.is(await reasonOf(explain.explainRequest({ requestId: 'a b', userId: '', storeId: '' })), 'INVALID_REQUEST');
  const both = await rejectionOf(explain.explainUser({ userId: '', skuId: '' }), Fault);
  assert.equal(
    both.violations.map(({ field }) => field),
    ['user_id', 'sku_id'],
  );
});

test.run();
