import { assert, suite } from '#libs/testing/suite.js';
import { type HoldFacts, holdFigures } from './hold-figures.js';
import type { EntryFacts } from './overtaken.js';

const test = suite('hold figures');
const time = { holdMinutes: 5, minuteMs: 200 };

function hold(more: Partial<HoldFacts>): HoldFacts {
  return { orderId: 'order', isOffer: false, paid: false, expired: false, vainUnitMs: 0, ...more };
}

function entry(waitedMs: number | null, state: string): EntryFacts {
  return {
    ...{ entryId: 'entry', skuId: 'slot', userId: 'user', place: 1, state, barred: null },
    ...{ joinedAt: new Date(1_000), updatedAt: new Date(1_000) },
    offeredAt: waitedMs === null ? null : new Date(1_000 + waitedMs),
  };
}

test('shares are of all holds, and times are minutes of the day', () => {
  const holds = [hold({ paid: true }), hold({ expired: true, vainUnitMs: 2_000 }), hold({ vainUnitMs: 400 }), hold({})];
  const entries = [entry(200, 'PROMOTED'), entry(600, 'EXPIRED'), entry(null, 'ENDED')];
  assert.equal(holdFigures(time, { holds, entries }), {
    ...{ hold_minutes: 5, holds: 4, share_paid: 0.25, share_expired: 0.25, unit_minutes_in_vain: 12, joined: 3 },
    ...{ served_from_waitlist: 1, offers: 2, waited_p50_minutes: 1, waited_p90_minutes: 1 },
  });
});

test('a day on which nobody came has no shares', () => {
  const { share_paid, waited_p50_minutes } = holdFigures(time, { holds: [], entries: [] });
  assert.equal([share_paid, waited_p50_minutes], [null, null]);
});

test.run();
