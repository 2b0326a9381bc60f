import { assert, suite } from '#libs/testing/suite.js';
import { clinicDay, dayOf, HOLD_MINUTES } from './day-plan.js';
import { holdSeconds } from './day-row.js';

const test = suite('clinic day plan');
const { slots, patients } = dayOf(clinicDay);

test('900 people want one of 40 slots, and the first 40 of them take all that anybody waits for', () => {
  assert.equal([slots.length, patients.length], [40, 900]);
  const taken = new Map<string, number>();
  for (const { skuId, attendees } of patients.slice(0, 40)) taken.set(skuId, attendees.length);
  const wanted = new Set(patients.slice(40).map(({ skuId }) => skuId));
  for (const { skuId, capacity } of slots) if (wanted.has(skuId)) assert.is(taken.get(skuId), capacity, skuId);
  assert.is(wanted.size, 36);
});

test('everybody comes before the slot begins, and wants no more than it has', () => {
  const bySku = new Map(slots.map((slot) => [slot.skuId, slot]));
  for (const { skuId, arrivesAt, attendees, userId } of patients) {
    const slot = bySku.get(skuId);
    assert.ok(slot && arrivesAt < slot.startsAt && attendees.length <= slot.capacity, userId);
  }
});

test('the same seed gives the same day, whatever the hold time, and another seed another one', () => {
  assert.equal(dayOf({ ...clinicDay, holdMinutes: 5 }), dayOf({ ...clinicDay, holdMinutes: 30 }));
  assert.not.equal(dayOf({ ...clinicDay, seed: 2 }).patients, patients);
});

test('people pay in every manner, and cancel, cut down and move', () => {
  const manners = new Set(patients.map(({ manner }) => manner));
  const kinds = new Set(patients.map(({ afterwards }) => afterwards.kind));
  assert.equal([manners.size, kinds.size], [7, 4]);
  assert.ok(patients.some(({ waitsFor }) => waitsFor !== undefined));
});

test('each hold time is a whole number of seconds', () => {
  for (const holdMinutes of HOLD_MINUTES) assert.ok(Number.isInteger(holdSeconds({ ...clinicDay, holdMinutes })));
});

test.run();
