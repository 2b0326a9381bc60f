import { Claim as ClaimMessage } from '#libs/contracts/gen/holdfast/event/v1/claim.js';
import { assert, suite } from '#libs/testing/suite.js';
import { fromClaimMessage, toClaimMessage } from '../src/adapters/messages.js';
import type { PlaceHoldsOptions } from '../src/app/place-holds.js';
import type { Claim, Outcome } from '../src/app/placement.js';
import { TestSwitches } from './placing-parts.js';
import { claimOf, place, TestPlacing, told } from './test-placing.js';

const test = suite('claims of staff on every way');
const placing = new TestPlacing(test);
const forced = { by: 'rita', forceReason: 'his mother is ill' };

const switched = (parts: Partial<TestSwitches>): Partial<PlaceHoldsOptions> => {
  const switches = new TestSwitches();
  switches.set(parts);
  return { switches };
};
const channelOf = (outcome: Outcome) => (outcome.kind === 'HELD' ? outcome.order.channel : outcome.kind);
const reasonOf = (outcome: Outcome) => (outcome.kind === 'REFUSED' ? outcome.refusal.reason : outcome.kind);

const ways: Record<string, () => Partial<PlaceHoldsOptions>> = {
  'by the gate, without a stream': () => ({ stream: undefined, claimsAge: undefined }),
  'by the gate, with the order path on DIRECT': () => switched({ orderPath: 'DIRECT' }),
  'past the gate, with the stock path on POSTGRES': () => switched({ stockPath: 'POSTGRES' }),
};

for (const [way, options] of Object.entries(ways)) {
  test(`${way}, force passes over the limit of a person and never over units`, async () => {
    const { skuId } = await placing.database.sku({ capacity: 2 });
    const placeHolds = await placing.open({ ...placing.patient(), ...options() });
    const claims: Claim[] = Array.from({ length: 4 }, () => claimOf(skuId, 1, 'ann'));
    const [own, again, over, none] = claims as [Claim, Claim, Claim, Claim];
    assert.is(channelOf(await place(placeHolds, own)), 'APP');
    assert.is(reasonOf(await place(placeHolds, { ...again, staff: { by: 'rita' } })), 'LIMIT_REACHED');
    assert.is(channelOf(await place(placeHolds, { ...over, staff: forced })), 'STAFF');
    assert.is(reasonOf(await place(placeHolds, { ...none, staff: forced })), 'ALL_HELD');
    const noted = await placing.database.sql(
      `SELECT changed_by, reason FROM ledger.control_changes WHERE what = 'FORCE' AND scope_id = $1`,
      [skuId],
    );
    assert.equal(noted, [{ changed_by: 'rita', reason: 'his mother is ill' }]);
  });
}

test('where a sku lets people wait, a forced claim is told no in place of a place in line', async () => {
  const { skuId } = await placing.database.sku({ onSoldOut: 'JOIN_WAITLIST', capacity: 1 });
  const placeHolds = await placing.open({ stream: undefined, claimsAge: undefined, ...placing.patient() });
  await place(placeHolds, claimOf(skuId));
  assert.is(told(await place(placeHolds, claimOf(skuId))), 'WAITLISTED');
  assert.is((await place(placeHolds, { ...claimOf(skuId), staff: forced })).kind, 'REFUSED');
});

test('staff are in the message of a claim, and a message of before has none', () => {
  const claim = claimOf('sku-1');
  const sent = (some: Claim) => ClaimMessage.encode(toClaimMessage(some, new Date())).finish();
  for (const staff of [forced, { by: 'rita' }]) {
    assert.equal(fromClaimMessage(ClaimMessage.decode(sent({ ...claim, staff }))).staff, staff);
  }
  assert.equal(fromClaimMessage(ClaimMessage.decode(sent(claim))), claim);
});

test.run();
