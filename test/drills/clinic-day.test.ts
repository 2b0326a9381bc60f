import { assert, suite } from '#libs/testing/suite.js';
import { clinicDay } from '../../deploy/drill/clinic/day-plan.js';
import { runDay } from '../../deploy/drill/clinic/run-day.js';

const test = suite('drill clinic-day');

/** An hour, and fewer people. */
const plan = {
  ...{ ...clinicDay, holdMinutes: 5, slots: 12, people: 220 },
  ...{ notice: 8, lastArrival: 22, firstSlot: 30, lastSlot: 44 },
};

test('on a short day at the clinic nobody is overtaken, and every payment and unit is accounted for', async () => {
  const said: string[] = [];
  const { row } = await runDay({ plan, report: (line) => said.push(line) });
  assert.equal(row.failures, [], said.join('\n'));
  assert.equal([row.overtaken, row.unaccounted_payments, row.conserved], [0, 0, true]);
  assert.ok(row.waitlisted > 150 && row.served_from_waitlist > 0, JSON.stringify(row));
});

test.run();
