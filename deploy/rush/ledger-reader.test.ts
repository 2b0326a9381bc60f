import { claimOf, type TestLedger, testLedger } from '#libs/ledger/test-ledger.js';
import { assert, suite } from '#libs/testing/suite.js';
import type { LedgerFacts } from './ledger-facts.js';
import { LedgerReader } from './ledger-reader.js';
import type { Outcome } from './outcome.js';
import { newPassage } from './passage.js';
import { person, type Scenario, slot } from './scenario.js';
import { judge, type Verdict } from './verdict.js';

const test = suite('ledger reader');
let db: TestLedger;
let reader: LedgerReader;

test.before(async () => {
  db = await testLedger();
  reader = new LedgerReader(db.url);
});
test.after(() => db.drop());

/** Sells two seats to three people and returns what the ledger then says of it. */
async function soldOut(): Promise<{ skuId: string; outcomes: Outcome[]; facts: LedgerFacts }> {
  const { skuId } = await db.sku({ capacity: 2 });
  const claims = ['ann', 'bob', 'cid'].map((userId) => claimOf(userId, skuId));
  const decisions = await db.ledger.claimsAdmit(claims);
  const outcomes = claims.map(({ userId, requestId, orderId }, i): Outcome => {
    const told = {
      userId,
      key: requestId,
      lines: [{ skuId, quantity: 1 }],
      pendingIds: [],
      latencyMs: 1,
      sends: 1,
      setbacks: [],
      passage: newPassage(),
    };
    return decisions[i]?.kind === 'ORDER'
      ? { ...told, answer: 'HELD', heldIds: [orderId] }
      : { ...told, answer: 'REFUSED', heldIds: [], refusal: { reason: 'ALL_HELD' }, refusedAt: new Date() };
  });
  return { skuId, outcomes, facts: await reader.facts([skuId], 0) };
}

function verdictOf(skuId: string, outcomes: Outcome[], facts: LedgerFacts): Verdict {
  const storeId = 'store-1';
  const scenario: Scenario = {
    name: 'test',
    about: '',
    skus: [slot({ skuId, storeId, capacity: 2 })],
    people: outcomes.map(({ userId, lines }) => person({ userId, storeId, arrivesAtMs: 0, lines })),
  };
  return judge({ scenario, outcomes, ledger: facts, undecided: 0 });
}

test('what was sold is read as counters, order lines, movements and units of attendees, and all agree', async () => {
  const { skuId, outcomes, facts } = await soldOut();
  assert.equal(facts.skus, [
    {
      skuId,
      capacity: 2,
      free: 0,
      reserved: 0,
      held: 2,
      sold: 0,
      heldByLines: 2,
      soldByLines: 0,
      heldByMovements: 2,
      soldByMovements: 0,
    },
  ]);
  assert.equal(facts.orders.map((order) => order.state).sort(), ['HELD', 'HELD', 'REFUSED']);
  assert.equal(facts.attendees.map(({ attendeeId, units }) => `${attendeeId} ${units}`).sort(), ['ann 1', 'bob 1']);
  assert.equal(verdictOf(skuId, outcomes, facts).failures, []);
});

test('a ledger that somebody tampered with is found out', async () => {
  const { skuId, outcomes } = await soldOut();
  const tampering: [string, RegExp][] = [
    [`UPDATE ledger.stock SET held = 1, free = 1 WHERE sku_id = '${skuId}'`, /do not add up/],
    [`UPDATE ledger.order_lines SET quantity = 2 WHERE sku_id = '${skuId}'`, /do not exist/],
    [
      `DELETE FROM ledger.orders WHERE order_id IN (SELECT order_id FROM ledger.order_lines WHERE sku_id = '${skuId}')`,
      /no row/,
    ],
  ];
  for (const [statement, told] of tampering) {
    await db.sql(statement);
    const { failures } = verdictOf(skuId, outcomes, await reader.facts([skuId], 0));
    assert.match(failures.join('\n'), told);
  }
});

test.run();
