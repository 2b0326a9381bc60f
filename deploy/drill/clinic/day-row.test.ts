import { assert, suite } from '#libs/testing/suite.js';
import { newPassage } from '../../rush/passage.js';
import { clinicDay, STORE } from './day-plan.js';
import { renderDayRecord } from './day-record.js';
import { type DayEvidence, dayRow, dayTotals } from './day-row.js';
import type { EntryFacts } from './overtaken.js';
import type { PatientStory } from './patient-life.js';

const test = suite('clinic day row');
const skuId = 'slot-01';

function story(userId: string, more: Partial<PatientStory>, heldIds: string[] = []): PatientStory {
  return {
    outcome: {
      ...{ userId, key: `key-${userId}`, lines: [{ skuId, quantity: 1, attendeeId: userId }], answer: 'HELD', heldIds },
      ...{ pendingIds: [], latencyMs: 1, sends: 1, setbacks: [], passage: newPassage() },
    },
    ...{ firstAnswer: 'HELD', entryIds: [], captures: [], changes: [], neverTold: false, ...more },
  };
}

const waited: EntryFacts = {
  ...{ entryId: 'entry-bob', skuId, userId: 'bob', place: 1, state: 'ENDED', barred: null, offeredAt: null },
  ...{ joinedAt: new Date(1_000), updatedAt: new Date(9_000) },
};

/** Ann has the one unit and paid for it; Bob waited in vain. */
function evidence(more: Partial<DayEvidence> = {}): DayEvidence {
  const capture = { paymentId: 'pay-1', orderId: 'order-ann', amountMinor: 2_500 };
  const bob = story('bob', { firstAnswer: 'WAITLISTED', entryIds: ['entry-bob'] });
  bob.outcome.answer = 'WAITLISTED';
  const units = { free: 0, reserved: 0, held: 0, sold: 1 };
  const byRows = { heldByLines: 0, soldByLines: 1, heldByMovements: 0, soldByMovements: 1 };
  return {
    ...{ plan: clinicDay, control: false, undecided: 0, failures: [], durationMs: 1_000 },
    day: { slots: [{ skuId, capacity: 1, startsAt: 480 }], patients: [] },
    stories: [story('ann', { captures: [capture], changes: ['MOVE 409 SOLD_OUT'] }, ['order-ann']), bob],
    ledger: {
      skus: [{ skuId, capacity: 1, ...units, ...byRows }],
      orders: [{ orderId: 'order-ann', userId: 'ann', requestId: 'key-ann', state: 'CONFIRMED' }],
      attendees: [{ skuId, attendeeId: 'ann', units: 1 }],
    },
    facts: {
      ...{ entries: [waited], takings: [{ orderId: 'order-ann', skuId, reason: 'ADMIT', at: new Date(500) }] },
      payments: [
        {
          ...{ ...capture, state: 'CAPTURED', issue: null, currency: 'EUR', retainedMinor: 0 },
          ...{ orderState: 'CONFIRMED', orderMinor: 2_500, refunds: 0, refundMinor: 0 },
        },
      ],
      holds: [{ orderId: 'order-ann', isOffer: false, paid: true, expired: false, vainUnitMs: 0 }],
    },
    ...more,
  };
}

test('a day on which everybody had what is theirs passes', () => {
  const row = dayRow(evidence());
  assert.equal([row.failed, row.failures], [false, []]);
  assert.equal([row.people, row.held_at_once, row.waitlisted, row.share_paid], [2, 1, 1, 1]);
  const passed = { oversold: 0, lost: 0, overtaken: 0, unaccounted_payments: 0, conserved: true };
  assert.equal(dayTotals([row, row]), passed);
});

test('who is overtaken, money that is nowhere, and a place that is lost make it fail', () => {
  const { stories, facts } = evidence();
  const late = { orderId: 'order-cid', skuId, reason: 'ADMIT', at: new Date(5_000) };
  assert.is(dayRow(evidence({ facts: { ...facts, takings: [late] } })).overtaken, 1);
  assert.is(dayRow(evidence({ facts: { ...facts, payments: [] } })).unaccounted_payments, 1);
  assert.is(dayRow(evidence({ facts: { ...facts, entries: [] } })).lost, 1);
  const untold = stories.map((one) => ({ ...one, neverTold: true, changes: ['MOVE 500'] }));
  assert.is(dayRow(evidence({ stories: untold })).failures.length, 2);
});

test('a promise that ended in a place of the waitlist is kept', () => {
  const [ann, bob] = evidence().stories as [PatientStory, PatientStory];
  const promised = { ...bob, outcome: { ...bob.outcome, pendingIds: ['entry-bob'] } };
  assert.is(dayRow(evidence({ stories: [ann, promised] })).lost, 0);
});

test('its record has a line for each hold time, and what went wrong', () => {
  const days = [5, 15].map((holdMinutes) => {
    const plan = { ...clinicDay, holdMinutes };
    const row = dayRow(evidence({ plan, failures: holdMinutes === 15 ? [`${STORE} burns`] : [] }));
    return { plan, row, incidents: [], startsAt: 0, story: [] };
  });
  const text = renderDayRecord(days);
  assert.match(text, /\| 5 \| 1 \| 100.0 % \| 0.0 % \| 0 \|/);
  assert.match(text, /\*\*FAILED\.\*\*/);
  assert.match(text, /- 15 minutes: clinic burns/);
});

test.run();
