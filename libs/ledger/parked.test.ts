import type { OrderLine } from '#libs/contracts/order-lines.js';
import { seeded } from '#libs/testing/seeded.js';
import { assert, suite } from '#libs/testing/suite.js';
import type { ClaimToAdmit } from './claims-batch.js';
import type { Decision } from './decision.js';
import type { SkuToPut } from './sku-violations.js';
import { claimOf, lineOf, only, type TestLedger, testLedger } from './test-ledger.js';
import { waitingSku } from './test-waitlist.js';

const test = suite('parked reads');
let db: TestLedger;

test.before(async () => {
  db = await testLedger();
});
test.after(() => db.drop());

const fromNow = (seconds: number): Date => new Date(Date.now() + seconds * 1_000);

/** What a read makes of one claim. */
async function wordTo(claim: ClaimToAdmit): Promise<{ known?: Decision; no?: Decision }> {
  return only((await db.ledger.parkedRead([claim])).words);
}

/** What admission says to a claim that has no order, when it is a no. A yes is taken back. */
async function admissionTo(claim: ClaimToAdmit): Promise<Decision | undefined> {
  const decision = await db.admit({ ...claim, record: false });
  if (decision.kind !== 'ORDER') return decision;
  await db.ledger.orderCancel({ orderId: claim.orderId });
  return undefined;
}

test('one read tells stock, and what became of claims', async () => {
  const { skuId } = await db.sku({ capacity: 1 });
  const [held, refused, unknown] = ['ann', 'bob', 'cid'].map((user) => claimOf(user, skuId));
  if (!held || !refused || !unknown) throw new Error('three claims');
  const decisions = await db.ledger.claimsAdmit([held, refused]);
  const answer = await db.ledger.parkedRead([unknown, refused, held]);
  assert.equal(
    answer.words.map(({ known }) => known),
    [undefined, ...decisions.toReversed()],
  );
  const order = decisions[0]?.kind === 'ORDER' ? decisions[0].order : undefined;
  assert.equal(answer.skus, [{ ...(await db.stock(skuId)), free: 0, held: 1, nextReleaseAt: order?.expiresAt }]);
});

test('a known id that is asked for with other lines is said to be another request', async () => {
  const { skuId } = await db.sku({ perUserLimit: 2 });
  const claim = claimOf('ann', [lineOf(skuId, 'ann', 2)]);
  await db.order(claim);
  const { known: same } = await wordTo({ ...claim, lines: [lineOf(skuId, 'ann'), lineOf(skuId, 'ann')] });
  const { known: other } = await wordTo({ ...claim, lines: [lineOf(skuId, 'ann')] });
  assert.is(same?.kind, 'ORDER');
  assert.equal(other, { orderId: claim.orderId, kind: 'FAULT', reason: 'REQUEST_ID_REUSED', metadata: {} });
});

test('an id that has a place in a waitlist is never said no to, whatever the sku says by now', async () => {
  const { skuId, holders } = await waitingSku(db, { capacity: 1 });
  const [offered, waiting] = ['ann', 'bob'].map((user) => claimOf(user, skuId));
  if (!offered || !waiting) throw new Error('two claims');
  await db.ledger.claimsAdmit([offered, waiting]);
  await db.ledger.orderCancel({ orderId: holders[0].orderId });
  await db.sql('UPDATE ledger.skus SET off_sale_at = ledger.clock() WHERE sku_id = $1', [skuId]);
  assert.equal((await db.ledger.parkedRead([offered, waiting])).words, [{ waits: true }, { waits: true }]);
  const told = await db.ledger.claimsAdmit([offered, waiting]);
  assert.equal(
    told.map(({ kind }) => kind),
    ['ORDER', 'WAITLISTED'],
  );
});

/** Skus in every state that matters, by a name for each; 'nothing' is none, 'open' and 'two' can be had. */
async function skusInEveryState(): Promise<Record<string, string>> {
  const states: Record<string, Partial<SkuToPut>> = {
    open: { perUserLimit: 5, capacity: 100 },
    two: { perUserLimit: 5, capacity: 2 },
    otherStore: { storeId: 'store-2' },
    otherCurrency: { currency: 'CHF' },
    notYet: { onSaleAt: fromNow(3_600) },
    notYetAndPaused: { onSaleAt: fromNow(3_600), paused: true },
    over: { offSaleAt: fromNow(-60) },
    past: { startsAt: fromNow(-60), timeZone: 'Europe/Berlin', offSaleAt: fromNow(600) },
    overAndPast: { startsAt: fromNow(-60), timeZone: 'Europe/Berlin', offSaleAt: fromNow(-600) },
    paused: { paused: true },
    onePerOrder: { maxPerOrder: 1, perUserLimit: 5 },
    onePerAttendee: {},
    allHeld: { capacity: 1 },
    soldOut: { capacity: 1, paymentRequired: false },
    reserved: { capacity: 1 },
    none: { capacity: 0 },
    heldAndLapsed: { capacity: 1 },
  };
  const ids: Record<string, string> = { nothing: 'nothing' };
  for (const [name, parts] of Object.entries(states)) ids[name] = (await db.sku(parts)).skuId;
  const idOf = (name: string): string => ids[name] ?? '';
  // 'ann' has one of each; of 'onePerAttendee' she had an older one, too, that was given back.
  for (const name of ['allHeld', 'soldOut', 'onePerAttendee', 'heldAndLapsed', 'otherCurrency'])
    await db.order(claimOf('ann', idOf(name)));
  await db.order(claimOf('mum', [lineOf(idOf('onePerAttendee'), 'kid')]));
  const { orderId } = await db.order(claimOf('dan', idOf('onePerAttendee')));
  await db.ledger.orderCancel({ orderId });
  await db.sql('UPDATE ledger.stock SET free = 0, reserved = 1 WHERE sku_id = $1', [idOf('reserved')]);
  const lapsed = only((await db.ledger.ordersListBySku(idOf('heldAndLapsed'), {})).orders);
  await db.expire(lapsed.orderId, 30);
  return ids;
}

test('a no is worded exactly as admission words it, whatever state the sku is in', async () => {
  const ids = await skusInEveryState();
  const reasons = new Set<string>();
  for (const [name, skuId] of Object.entries(ids)) {
    for (const [user, attendee] of [
      ['ann', 'ann'],
      ['bob', 'ann'],
      ['mum', 'kid'],
      ['dad', 'kid'],
      ['dan', 'dan'],
    ] as const) {
      for (const quantity of [1, 2, 3]) {
        const claim = claimOf(user, [lineOf(skuId, attendee, quantity)]);
        const { no } = await wordTo(claim);
        assert.equal(no, await admissionTo(claim), `${name}, ${quantity} by ${user} for ${attendee}`);
        if (no?.kind === 'REFUSED') reasons.add(no.refusal.reason);
        if (no?.kind === 'FAULT') reasons.add(no.reason);
      }
    }
  }
  assert.equal([...reasons].sort(), [
    'ALL_HELD',
    'ALREADY_BOOKED',
    'LIMIT_REACHED',
    'MAX_PER_ORDER',
    'NOT_ENOUGH',
    'NOT_ON_SALE',
    'PAUSED',
    'SKU_NOT_FOUND',
    'SOLD_OUT',
  ]);
});

test('of many lines the same one is named as by admission', async () => {
  const ids = await skusInEveryState();
  const { pick, integer, chance } = seeded();
  const said = new Set<string>();
  for (let round = 0; round < 300; round += 1) {
    const lines: OrderLine[] = Array.from({ length: integer(1, 4) }, () => {
      // Often what can be had, so that the last of the verdicts come up, too.
      const skuId = ids[chance(0.5) ? pick(['open', 'two']) : pick(Object.keys(ids))] ?? '';
      return lineOf(skuId, pick(['ann', 'bob', 'kid']), integer(1, 3));
    });
    const claim = claimOf(pick(['ann', 'mum', 'bob']), lines);
    const { no } = await wordTo(claim);
    assert.equal(no, await admissionTo(claim), JSON.stringify(lines));
    said.add(
      no === undefined ? 'yes' : no.kind === 'REFUSED' ? no.refusal.reason : no.kind === 'FAULT' ? no.reason : '',
    );
  }
  for (const word of ['yes', 'CURRENCY_MIXED', 'SKU_NOT_FOUND', 'LIMIT_REACHED', 'NOT_ENOUGH'])
    assert.ok(said.has(word), word);
});

test("whoever has units has their own order named, and nobody is told somebody else's", async () => {
  const { skuId } = await db.sku({ capacity: 1 });
  const { orderId } = await db.order(claimOf('ann', skuId));
  const words = (await db.ledger.parkedRead(['ann', 'bob'].map((user) => claimOf(user, [lineOf(skuId, 'ann')])))).words;
  const limitReached = { reason: 'LIMIT_REACHED', skuId, limit: 1 };
  assert.equal(
    words.map(({ no }) => no?.kind === 'REFUSED' && no.refusal),
    [{ ...limitReached, ownOrderId: orderId }, limitReached],
  );
  const free = await db.sku({ capacity: 1, paymentRequired: false });
  const booked = await db.order(claimOf('ann', free.skuId));
  const [word] = (await db.ledger.parkedRead([claimOf('ann', free.skuId)])).words;
  assert.equal(word?.no?.kind === 'REFUSED' && word.no.refusal, {
    ...{ reason: 'ALREADY_BOOKED', skuId: free.skuId, limit: 1, ownOrderId: booked.orderId },
  });
});

test('that tries began without marks is noted until later, never until earlier, and read along', async () => {
  assert.is((await db.ledger.parkedRead([])).unmarkedUntil, undefined);
  const until = await db.ledger.unmarkedNote(60_000);
  assert.equal(await db.ledger.unmarkedNote(10), until);
  const { now, unmarkedUntil } = await db.ledger.parkedRead([]);
  assert.equal(unmarkedUntil, until);
  assert.ok(until > now);
});

test.run();
