import { assert, suite } from '#libs/testing/suite.js';
import { type EntryFacts, overtaken, type TakingFacts } from './overtaken.js';

const test = suite('overtaken');

/** An instant, in milliseconds after the first. */
const ms = (after: number): Date => new Date(Date.UTC(2026, 0, 1) + after);

/** Joined at the instant of its place, times ten, and waits still. */
function waiter(place: number, more: Partial<EntryFacts> = {}): EntryFacts {
  return {
    ...{ entryId: `entry-${place}`, skuId: 'slot', userId: `user-${place}`, place, state: 'WAITING', barred: null },
    ...{ joinedAt: ms(10 * place), updatedAt: ms(10 * place), offeredAt: null, ...more },
  };
}

const offered = (place: number, after: number, more: Partial<EntryFacts> = {}): EntryFacts =>
  waiter(place, { state: 'OFFERED', offeredAt: ms(after), updatedAt: ms(after), ...more });
const taking = (after: number, more: Partial<TakingFacts> = {}): TakingFacts => {
  return { orderId: 'order', skuId: 'slot', reason: 'ADMIT', at: ms(after), ...more };
};

test('nobody is overtaken who is served in the order of arrival, or waits behind who was', () => {
  assert.equal(overtaken([offered(1, 100), offered(2, 200), waiter(3)], []), []);
});

test('who came later and was served first has overtaken everybody between', () => {
  const found = overtaken([waiter(1), offered(2, 300), offered(3, 200)], []);
  assert.equal(found, [
    'user-1 (slot, place 1) was overtaken by user-2 (slot, place 2)',
    'user-2 (slot, place 2) was overtaken by user-3 (slot, place 3)',
  ]);
});

test('who left, or whose wait had ended, is not overtaken by what came after', () => {
  const left = waiter(1, { state: 'LEFT', updatedAt: ms(150) });
  assert.equal(overtaken([left, offered(2, 200)], [taking(180, { skuId: 'other' })]), []);
  assert.is(overtaken([{ ...left, updatedAt: ms(250) }, offered(2, 200)], []).length, 1);
});

test('a newcomer, a move or late money that takes a unit while somebody waits has overtaken that one', () => {
  for (const reason of ['ADMIT', 'MOVE', 'RETAKE']) {
    const found = overtaken([offered(1, 100)], [taking(50, { reason })]);
    assert.equal(found, [`user-1 (slot, place 1) waited while order order took a unit (${reason})`]);
  }
});

test('what was taken before somebody joined, after their wait, or elsewhere is no matter of theirs', () => {
  const takings = [taking(5), taking(150), taking(50, { skuId: 'other' })];
  assert.equal(overtaken([offered(1, 100)], takings), []);
});

test('of one instant nobody can say who was first', () => {
  assert.equal(overtaken([offered(1, 100), offered(2, 100)], [taking(10), taking(100)]), []);
});

test('places that are not in the order of arrival are found', () => {
  const found = overtaken([waiter(1, { joinedAt: ms(99) }), waiter(2)], []);
  assert.equal(found, ['user-1 (slot, place 1) has a place before user-2 (slot, place 2), who joined earlier']);
});

test.run();
