import { assert, suite } from '#libs/testing/suite.js';
import type { OrderFacts, SkuFacts } from './ledger-facts.js';
import type { Outcome } from './outcome.js';
import { newPassage } from './passage.js';
import { type Person, person, type Scenario, slot } from './scenario.js';
import { type Evidence, judge } from './verdict.js';

const test = suite('verdict');

/** Two seats and three people, of whom the last is refused: all as it must be. */
function rightRun(): Evidence {
  const people = ['ada', 'ben', 'eve'].map((userId) => buyer(userId));
  const scenario: Scenario = {
    name: 'duel',
    about: '',
    skus: [slot({ skuId: 'seat', storeId: 'hall', capacity: 2 })],
    people,
  };
  return {
    scenario,
    outcomes: [held('ada'), held('ben'), refused('eve')],
    ledger: {
      skus: [stock({ free: 0, held: 2 })],
      orders: [order('ada'), order('ben')],
      attendees: ['ada', 'ben'].map((attendeeId) => ({ skuId: 'seat', attendeeId, units: 1 })),
    },
    undecided: 0,
  };
}

function buyer(userId: string): Person {
  return person({ userId, storeId: 'hall', arrivesAtMs: 0, lines: [{ skuId: 'seat', quantity: 1 }] });
}

function outcome(userId: string, told: Partial<Outcome>): Outcome {
  const { key, lines } = buyer(userId);
  return {
    userId,
    key,
    lines,
    answer: 'ERROR',
    heldIds: [],
    pendingIds: [],
    latencyMs: 5,
    sends: 1,
    setbacks: [],
    passage: newPassage(),
    ...told,
  };
}

const held = (userId: string): Outcome => outcome(userId, { answer: 'HELD', heldIds: [`order-${userId}`] });
const refused = (userId: string, reason = 'ALL_HELD'): Outcome =>
  outcome(userId, { answer: 'REFUSED', refusal: { reason }, refusedAt: new Date(1000) });

function order(userId: string, state = 'HELD'): OrderFacts {
  return { orderId: `order-${userId}`, userId, requestId: `key-${userId}`, state };
}

function stock(counters: { free: number; held: number }): SkuFacts {
  return {
    skuId: 'seat',
    capacity: 2,
    reserved: 0,
    sold: 0,
    heldByLines: counters.held,
    soldByLines: 0,
    heldByMovements: counters.held,
    soldByMovements: 0,
    ...counters,
  };
}

test('a run in which all went right has no failures and adds up', () => {
  const { counts, failures } = judge(rightRun());
  assert.equal(failures, []);
  assert.is(counts.held + counts.refused + counts.pending + counts.errors, counts.requests);
  assert.equal([counts.held, counts.orders, counts.conserved, counts.success_rate], [2, 2, true, 1]);
});

test('a key with two orders is a duplicate', () => {
  const run = rightRun();
  run.ledger.orders.push({ ...order('ada'), orderId: 'order-twin' });
  const { counts, failures } = judge(run);
  assert.is(counts.duplicates, 1);
  assert.ok(failures.length > 0);
});

test('an attendee above the limit is a duplicate', () => {
  const run = rightRun();
  run.ledger.attendees = [{ skuId: 'seat', attendeeId: 'ada', units: 2 }];
  assert.is(judge(run).counts.duplicates, 1);
});

test('a yes without a row is lost, and so is a yes whose row is a no', () => {
  const run = rightRun();
  run.ledger.orders = [order('ben', 'REFUSED')];
  const { counts, failures } = judge(run);
  assert.is(counts.lost, 2);
  assert.ok(failures.some((failure) => failure.includes('no row')));
});

test('a promise without any row is lost, one that ended in a no is not', () => {
  const run = rightRun();
  run.outcomes.push(outcome('dan', { answer: 'PENDING', pendingIds: ['order-dan'] }));
  assert.is(judge(run).counts.lost, 1);
  run.ledger.orders.push(order('dan', 'REFUSED'));
  assert.is(judge(run).counts.lost, 0);
});

test('a live order beyond the capacity is oversold, whatever the counters say', () => {
  const run = rightRun();
  run.ledger.skus = [{ ...stock({ free: 0, held: 2 }), heldByLines: 3 }];
  const { counts, failures } = judge(run);
  assert.equal([counts.oversold, counts.conserved], [1, false]);
  assert.is(failures.filter((failure) => /do not exist|do not add up/.test(failure)).length, 2);
});

test('counters that do not sum to the capacity, or differ from movements, are not conserved', () => {
  const run = rightRun();
  run.ledger.skus = [{ ...stock({ free: 1, held: 2 }) }];
  assert.not(judge(run).counts.conserved);
  run.ledger.skus = [{ ...stock({ free: 0, held: 2 }), heldByMovements: 1 }];
  assert.not(judge(run).counts.conserved);
  run.ledger.skus = [];
  assert.not(judge(run).counts.conserved);
});

test('a refused request that fits into what is left is a false refusal', () => {
  const run = rightRun();
  run.outcomes = [held('ada'), refused('eve')];
  run.ledger.orders = [order('ada')];
  run.ledger.attendees = [{ skuId: 'seat', attendeeId: 'ada', units: 1 }];
  run.ledger.skus = [stock({ free: 1, held: 1 })];
  const { counts, failures } = judge(run);
  assert.is(counts.false_refusals, 1);
  assert.ok(failures.some((failure) => failure.includes('seat: 1 units went, 2 were wanted')));
});

test('a no is true when the limit stands in the way, when units came back after it, and before the opening', () => {
  const run = rightRun();
  run.ledger.skus = [stock({ free: 1, held: 1 })];
  run.ledger.attendees = [{ skuId: 'seat', attendeeId: 'eve', units: 1 }];
  assert.is(judge(run).counts.false_refusals, 0);
  run.ledger.attendees = [];
  run.ledger.skus = [{ ...stock({ free: 1, held: 1 }), returnedAt: new Date(1500) }];
  assert.is(judge(run).counts.false_refusals, 0);
  run.ledger.skus = [stock({ free: 1, held: 1 })];
  run.outcomes = [refused('eve', 'NOT_ON_SALE')];
  assert.is(judge(run).counts.false_refusals, 0);
});

test('a request that was told no and yes, or that got two ids, breaks a law', () => {
  const run = rightRun();
  run.outcomes[1] = { ...held('ben'), refusal: { reason: 'SOLD_OUT' }, refusedAt: new Date(1000) };
  assert.ok(judge(run).failures.some((failure) => failure.includes('both yes and no')));
  run.outcomes[1] = { ...held('ben'), heldIds: ['order-ben', 'order-other'] };
  assert.ok(judge(run).failures.some((failure) => failure.includes('two order ids')));
});

test('an order that nobody was told of needs an error to explain it', () => {
  const run = rightRun();
  run.outcomes[1] = refused('ben');
  assert.ok(judge(run).failures.some((failure) => failure.includes('nobody was told of')));
  run.outcomes[1] = outcome('ben', { answer: 'ERROR', error: 'no connection' });
  const { counts, failures } = judge(run);
  assert.equal([counts.held, counts.orders, counts.errors], [1, 2, 1]);
  assert.equal(failures, ['1 requests ended in an error']);
});

test('whoever still stands in line at the end has waited in vain', () => {
  const run = rightRun();
  run.outcomes.push(outcome('dan', { answer: 'QUEUED' }));
  const { counts, failures } = judge(run);
  assert.ok(failures.some((failure) => failure.includes('waited in vain')));
  assert.is(counts.success_rate, 0.75);
});

test('with limits on, being overtaken by more than a burst is unfair', () => {
  const limit = { perSecond: 9, burst: 2 };
  const fast = { firstSentAt: 20, passedSentAt: 20, passedAt: 30 };
  const overtaken = (by: number): string[] => {
    const run = rightRun();
    const { passage } = refused('eve');
    run.outcomes = [
      ...Array.from({ length: by }, () => ({ ...held('ada'), passage: { ...passage, ...fast } })),
      { ...refused('eve'), passage: { ...passage, queuedAt: 10, timesQueued: 1, passedSentAt: 40, passedAt: 50 } },
    ];
    return judge({ ...run, limit }).failures.filter((failure) => failure.includes('overtaken'));
  };
  assert.equal([overtaken(2).length, overtaken(3).length], [0, 1]);
});

test('a claim that is still undecided fails the run', () => {
  assert.is(judge({ ...rightRun(), undecided: 2 }).failures.length, 1);
});

test.run();
