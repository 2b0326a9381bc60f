import { assert, suite } from '#libs/testing/suite.js';
import { lineFactsOf } from './line-facts.js';
import type { Answer, Outcome } from './outcome.js';
import { newPassage, type Passage } from './passage.js';
import { type Scenario, slot } from './scenario.js';

const test = suite('line facts');

const limit = { perSecond: 10, burst: 4 };

/** A run in which so many people wanted each sku. */
function scenarioOf(...skuIds: string[]): Scenario {
  const skus = skuIds.map((skuId) => slot({ skuId, storeId: 'hall', capacity: 2 }));
  return { name: 'hall', about: '', skus, people: [] };
}

function outcome(skuId: string, answer: Answer, passage: Partial<Passage>): Outcome {
  return {
    userId: 'ada',
    key: 'key-ada',
    lines: [{ skuId, quantity: 1 }],
    answer,
    heldIds: [],
    pendingIds: [],
    latencyMs: 5,
    sends: 1,
    setbacks: [],
    passage: { ...newPassage(), firstSentAt: 0, ...passage },
  };
}

/** Was given a place at 10, asked again at 500 and was let through by 510. */
const waiter = outcome('seat', 'HELD', {
  queuedAt: 10,
  timesQueued: 2,
  mostAhead: 7,
  passedSentAt: 500,
  passedAt: 510,
});
const later = (sentAt: number, passedAt: number, answer: Answer = 'HELD'): Outcome =>
  outcome('seat', answer, { firstSentAt: sentAt, passedSentAt: sentAt, passedAt });

test('who came surely later and got through surely sooner has overtaken', () => {
  const overtaken = (...others: Outcome[]): number =>
    lineFactsOf(scenarioOf('seat'), [waiter, ...others], limit).overtaken_max;
  assert.is(overtaken(later(11, 499), later(200, 300)), 2);
  assert.is(overtaken(later(9, 300)), 0, 'may have arrived before');
  assert.is(overtaken(later(11, 501)), 0, 'may have passed after');
  assert.is(overtaken(later(11, 300, 'REFUSED')), 0, 'took nothing');
  const elsewhere = { ...later(11, 300), lines: [{ skuId: 'stool', quantity: 1 }] };
  assert.is(overtaken(elsewhere), 0, 'stood in another line');
});

test('places, waits and limits are counted', () => {
  const lost = outcome('seat', 'QUEUED', { queuedAt: 20, timesQueued: 3, mostAhead: 9, limits: ['USER', 'STORE_SKU'] });
  const facts = lineFactsOf(scenarioOf('seat'), [waiter, lost, later(0, 4)], { ...limit, burst: 2 });
  assert.equal(facts, {
    queued: 2,
    queued_answers: 5,
    people_ahead_max: 9,
    queued_at_end: 1,
    limited_answers: 2,
    line_p50_ms: 500,
    line_p99_ms: 500,
    line_max_ms: 500,
    overtaken_max: 0,
    cold_held_up: 0,
  });
});

test('who wants only what is below its limit is never held up', () => {
  const queued = { timesQueued: 1, queuedAt: 1 };
  const crowd = Array.from({ length: 30 }, () => outcome('hot', 'REFUSED', queued));
  const heldUp = (...cold: Outcome[]): number =>
    lineFactsOf(scenarioOf('hot', 'cold'), [...crowd, ...cold], limit).cold_held_up;
  assert.is(heldUp(outcome('cold', 'HELD', {})), 0);
  assert.is(heldUp(outcome('cold', 'HELD', queued)), 1);
  assert.is(heldUp(outcome('cold', 'HELD', { limits: ['STORE_SKU'] })), 1);
  assert.is(heldUp(outcome('cold', 'HELD', { limits: ['USER'] })), 0, 'that is about the person');
  const both = { ...outcome('cold', 'HELD', queued), lines: [...waiter.lines, { skuId: 'hot', quantity: 1 }] };
  assert.is(heldUp(both), 0, 'waits for the other sku');
});

test('a steady stream within the rate is below the limit, however long it is', () => {
  const stream = (everyMs: number): Outcome[] =>
    Array.from({ length: 50 }, (_, i) => outcome('seat', 'HELD', { firstSentAt: i * everyMs, timesQueued: 1 }));
  assert.is(lineFactsOf(scenarioOf('seat'), stream(100), limit).cold_held_up, 50);
  assert.is(lineFactsOf(scenarioOf('seat'), stream(80), limit).cold_held_up, 0);
  assert.is(lineFactsOf(scenarioOf('seat'), stream(100), undefined).cold_held_up, 0);
});

test.run();
