import { ClaimsPlaced } from '#libs/contracts/gen/holdfast/event/v1/claim.js';
import { assert, suite } from '#libs/testing/suite.js';
import { type ClaimsPlan, claimsMessages } from './claims.js';

const test = suite('claims for a drain');
const plan: ClaimsPlan = { storeId: 'store', skuIds: ['a', 'b'], tag: 't', orders: 10, claimsPerMessage: 4 };

function orderIds(message: Uint8Array): string[] {
  return ClaimsPlaced.decode(message).claims.map((claim) => claim.orderId);
}

test('every order is another user and comes once', () => {
  const messages = claimsMessages(plan);
  const claims = messages.flatMap((message) => ClaimsPlaced.decode(message).claims);
  assert.equal(
    messages.map((message) => orderIds(message).length),
    [4, 4, 2],
  );
  assert.is(new Set(claims.map((claim) => claim.orderId)).size, 10);
  assert.is(new Set(claims.map((claim) => claim.userId)).size, 10);
});

test('skus take turns', () => {
  const [first] = claimsMessages(plan);
  const skuIds = first && ClaimsPlaced.decode(first).claims.map((claim) => claim.lines[0]?.skuId);
  assert.equal(skuIds, ['a', 'b', 'a', 'b']);
});

test('a repetition carries orders that came before', () => {
  const messages = claimsMessages({ ...plan, orders: 40, repeatEvery: 5 }).map(orderIds);
  assert.is(messages.length, 12);
  assert.equal(messages[5], messages[0]);
  assert.equal(messages[11], messages[6]);
});

test.run();
