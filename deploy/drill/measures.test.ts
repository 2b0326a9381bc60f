import { assert, suite } from '#libs/testing/suite.js';
import type { Sight } from './crowd-pool.js';
import { crowdMeasures, reasonsToSendAgain } from './measures.js';

const test = suite('drill measures');
const times = { saleAt: 0, faultAt: 1_000, healedAt: 3_000, endedAt: 5_000 };

const held = (sentAt: number, at: number): Sight => ({ sentAt, at, method: 'POST', kind: 'HELD' });
const again = (at: number, why: string): Sight => ({ sentAt: at - 1, at, method: 'POST', kind: 'AGAIN', why });

test('the first HELD after the fault answers a request that was sent after it', () => {
  const sights = [held(900, 1_050), held(1_100, 1_900), held(3_000, 3_020)];
  const measured = crowdMeasures(sights, times);
  assert.is(measured.first_held_after_fault_ms, 900);
  assert.is(measured.first_held_after_heal_ms, 20);
});

test('answers come in any order', () => {
  const sights = [held(1_500, 2_500), held(1_600, 1_700)];
  assert.is(crowdMeasures(sights, times).first_held_after_fault_ms, 700);
});

test('whoever is never told yes again has no first HELD, and no gap after one', () => {
  const measured = crowdMeasures([held(800, 850), again(1_200, '503')], times);
  assert.is(measured.first_held_after_fault_ms, null);
  assert.is(measured.longest_held_gap_ms, null);
});

test('the gap begins with the last HELD before the fault', () => {
  const sights = [held(100, 110), held(900, 910), held(1_500, 2_110), held(2_200, 2_210)];
  const measured = crowdMeasures(sights, times);
  assert.is(measured.longest_held_gap_ms, 1_200);
  assert.is(measured.gap_before_ms, 800);
});

test('how long a yes takes is told by when it was asked for', () => {
  const sights = [held(0, 10), held(999, 1_500), held(1_000, 1_200), held(2_999, 3_100), held(3_000, 3_030)];
  const { p99_before_ms, p99_fault_ms, p99_after_ms } = crowdMeasures(sights, times);
  assert.equal([p99_before_ms, p99_fault_ms, p99_after_ms], [501, 200, 30]);
});

test('what had to be sent again before the fault is not its doing', () => {
  const sights = [again(500, '503 BUSY'), again(1_200, '409 A'), again(1_300, '503 BUSY'), again(1_400, '503 BUSY')];
  assert.is(crowdMeasures(sights, times).sent_again, 3);
  assert.equal(reasonsToSendAgain(sights, 1_000), [
    ['503 BUSY', 2],
    ['409 A', 1],
  ]);
});

test.run();
