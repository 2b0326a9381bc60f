import { Fault } from '#libs/refusal/fault.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import type { ClaimToAdmit } from './claims-batch.js';
import { claimOf, lineOf, only, type TestLedger, testLedger } from './test-ledger.js';

const test = suite('the desk of dead letters');
let db: TestLedger;

test.before(async () => {
  db = await testLedger();
});
test.after(async () => {
  const violations = await db.violations();
  await db.drop();
  assert.equal(violations, []);
});

let requests = 0;
const seeTo = (letterId: number, requestId = `request-${++requests}`) => ({
  letterId,
  by: 'olga',
  reason: 'the constraint is gone',
  requestId,
});

/** A claim that was refused as unprocessable, and its letter. */
async function buried(claim: ClaimToAdmit): Promise<number> {
  await db.ledger.claimBury({ claim, subject: 'claims.0', payload: Buffer.from(claim.orderId), error: 'broken' });
  const { letters } = await db.ledger.deadLettersList({ withResolved: false }, {});
  return letters.find(({ orderId }) => orderId === claim.orderId)?.letterId ?? 0;
}

const movements = (orderId: string) =>
  db.sql<{ order_version: number; delta_held: number }>(
    'SELECT order_version, delta_held FROM ledger.movements WHERE order_id = $1',
    [orderId],
  );
const events = (orderId: string) =>
  db.sql<{ order_version: number; state: string }>(
    `SELECT order_version, state FROM ledger.outbox WHERE kind = 'ORDER' AND order_id = $1 ORDER BY order_version`,
    [orderId],
  );
const changes = (letterId: number) =>
  db.sql<{ was: string; became: string; changed_by: string; reason: string }>(
    `SELECT was, became, changed_by, reason FROM ledger.control_changes WHERE was LIKE $1`,
    [`dead letter ${letterId}:%`],
  );
const reasonOf = async (promise: Promise<unknown>) => (await rejectionOf(promise, Fault)).reason;

test('K09: a replay makes a refused order HELD, with a newer version, its movement, its event and who did it', async () => {
  const { skuId } = await db.sku();
  const claim = claimOf('ann', [lineOf(skuId, 'ann'), lineOf(skuId, 'kid')]);
  const letterId = await buried(claim);
  const { letter, order } = await db.ledger.deadLetterReplay(seeTo(letterId), claim);
  assert.equal([order.state, order.version, order.lines.length], ['HELD', 2, 2]);
  assert.equal(await db.ledger.orderGet(claim.orderId), order);
  assert.equal(await movements(claim.orderId), [{ order_version: 2, delta_held: 2 }]);
  assert.equal(await events(claim.orderId), [{ order_version: 2, state: 'HELD' }]);
  assert.equal([letter.resolved?.as, letter.resolved?.by], ['REPLAYED', 'olga']);
  assert.equal(await changes(letterId), [
    {
      was: `dead letter ${letterId}: order ${claim.orderId} REFUSED UNPROCESSABLE`,
      became: 'HELD',
      changed_by: 'olga',
      reason: 'the constraint is gone',
    },
  ]);
  const stock = await db.stock(skuId);
  assert.equal([stock.free, stock.held], [8, 2]);
  // The stream delivers the old message once more.
  const decision = await db.admit(claim);
  assert.is(decision.kind === 'ORDER' && decision.order.version, 2);
});

test('the order goes on in its life after a replay, and an old not-after does not stop it', async () => {
  const { skuId } = await db.sku();
  const claim = { ...claimOf('ann', skuId), notAfter: new Date(0) };
  const letterId = await buried(claim);
  const { order } = await db.ledger.deadLetterReplay(seeTo(letterId), {
    ...claimOf('ann', skuId),
    ...withoutEnd(claim),
  });
  assert.is(order.state, 'HELD');
  await db.ledger.paymentConfirm({
    ...{ orderId: claim.orderId, provider: 'bank', providerPaymentId: claim.orderId },
    ...{ amountMinor: order.amountMinor, currency: order.currency },
  });
  const { order: cancelled } = await db.ledger.orderCancel({ orderId: claim.orderId });
  assert.equal([cancelled.state, cancelled.version], ['CANCELLED', 4]);
  const told = (await events(claim.orderId)).map(({ order_version, state }) => `${order_version} ${state}`);
  assert.equal(told, ['2 HELD', '3 CONFIRMED', '4 CANCELLED']);
});

function withoutEnd({ notAfter, ...claim }: ClaimToAdmit): ClaimToAdmit {
  return claim;
}

test('the same request again is told the same, another one that it is resolved, and one unit moved once', async () => {
  const { skuId } = await db.sku();
  const claim = claimOf('ann', skuId);
  const letterId = await buried(claim);
  const request = seeTo(letterId);
  const first = await db.ledger.deadLetterReplay(request, claim);
  assert.equal(await db.ledger.deadLetterReplay(request, claim), first);
  assert.is(await reasonOf(db.ledger.deadLetterReplay(seeTo(letterId), claim)), 'DEAD_LETTER_RESOLVED');
  assert.is(await reasonOf(db.ledger.deadLetterDiscard(request)), 'REQUEST_ID_REUSED');
  assert.is(await reasonOf(db.ledger.deadLetterReplay({ ...request, by: 'ben' }, claim)), 'REQUEST_ID_REUSED');
  const other = claimOf('ben', skuId);
  const otherId = await buried(other);
  const reused = db.ledger.deadLetterReplay({ ...request, letterId: otherId }, other);
  assert.is(await reasonOf(reused), 'REQUEST_ID_REUSED');
  assert.is(await reasonOf(db.ledger.deadLetterReplay(seeTo(999_999), claim)), 'DEAD_LETTER_NOT_FOUND');
  assert.is((await db.stock(skuId)).held, 1);
  assert.is((await changes(letterId)).length, 1);
});

test('ten operators at one moment replay it once', async () => {
  const { skuId } = await db.sku();
  const claim = claimOf('ann', skuId);
  const letterId = await buried(claim);
  const tries = await Promise.allSettled(
    Array.from({ length: 10 }, () => db.ledger.deadLetterReplay(seeTo(letterId), claim)),
  );
  assert.is(tries.filter(({ status }) => status === 'fulfilled').length, 1);
  assert.is((await db.stock(skuId)).held, 1);
});

test('a replay of what is sold out by now stays refused, with the new reason and a newer version', async () => {
  const { skuId } = await db.sku({ capacity: 1 });
  const claim = claimOf('ann', skuId);
  const letterId = await buried(claim);
  await db.order(claimOf('ben', skuId));
  const { order, letter } = await db.ledger.deadLetterReplay(seeTo(letterId), claim);
  assert.equal([order.state, order.version, order.refusal?.reason], ['REFUSED', 2, 'ALL_HELD']);
  assert.is(letter.resolved?.as, 'REPLAYED');
  assert.is(only(await changes(letterId)).became, 'REFUSED ALL_HELD');
  assert.equal(await events(claim.orderId), []);
});

test('what a replay could not write down changes nothing: the letter waits, the refusal stands', async () => {
  const { skuId } = await db.sku({ onSaleAt: new Date(Date.now() + 3_600_000) });
  for (const [claim, reason] of [
    [claimOf('ann', skuId), 'ORDER_STATE'],
    [claimOf('ann', 'nothing'), 'SKU_NOT_FOUND'],
  ] as const) {
    const letterId = await buried(claim);
    const before = await db.ledger.orderGet(claim.orderId);
    assert.is(await reasonOf(db.ledger.deadLetterReplay(seeTo(letterId), claim)), reason);
    assert.equal(await db.ledger.orderGet(claim.orderId), before);
    assert.is((await db.ledger.deadLetterGet(letterId)).resolved, undefined);
    assert.equal(await changes(letterId), []);
  }
});

test('an order that is more than an unprocessable refusal is not admitted anew', async () => {
  const { skuId } = await db.sku();
  const claim = claimOf('ann', skuId);
  await db.order(claim);
  await db.ledger.deadLetterAdd({ subject: 'claims.1', payload: Buffer.from(claim.orderId), error: 'broken' });
  const { letters } = await db.ledger.deadLettersList({ withResolved: false }, { pageSize: 1 });
  const letterId = only(letters).letterId;
  const fault = await rejectionOf(db.ledger.deadLetterReplay(seeTo(letterId), claim), Fault);
  assert.equal([fault.reason, fault.metadata.state], ['ORDER_STATE', 'HELD']);
  assert.is((await db.stock(skuId)).held, 1);
});

test('a claim that has no row yet is admitted with the first version', async () => {
  const { skuId } = await db.sku();
  const claim = claimOf('ann', skuId);
  await db.ledger.deadLetterAdd({ subject: 'claims.2', payload: Buffer.from(claim.orderId), error: 'broken' });
  const { letters } = await db.ledger.deadLettersList({ withResolved: false }, { pageSize: 1 });
  const { order } = await db.ledger.deadLetterReplay(seeTo(only(letters).letterId), claim);
  assert.equal([order.state, order.version], ['HELD', 1]);
});

test('a payment and a cancellation that wait for a replay find the order that it made', async () => {
  const { skuId } = await db.sku();
  for (const verb of ['pay', 'cancel'] as const) {
    const claim = claimOf(verb, skuId);
    const letterId = await buried(claim);
    const unlock = await holdStock(skuId);
    const replayed = db.ledger.deadLetterReplay(seeTo(letterId), claim);
    await until(async () => (await waiting()) === 1);
    const payment = { provider: 'bank', providerPaymentId: claim.orderId, amountMinor: 1_500, currency: 'EUR' };
    const changed =
      verb === 'pay'
        ? db.ledger.paymentConfirm({ orderId: claim.orderId, ...payment })
        : db.ledger.orderCancel({ orderId: claim.orderId });
    await until(async () => (await waiting()) === 2);
    await unlock();
    assert.is((await replayed).order.state, 'HELD');
    assert.is((await changed).order?.state, verb === 'pay' ? 'CONFIRMED' : 'CANCELLED');
  }
});

async function waiting(): Promise<number> {
  const rows = await db.sql<{ n: number }>(`SELECT count(*)::int AS n FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`);
  return only(rows).n;
}

/** Keeps a sku's stock locked until told otherwise. */
async function holdStock(skuId: string): Promise<() => Promise<unknown>> {
  const held = db.sql(`BEGIN; SELECT FROM ledger.stock WHERE sku_id = '${skuId}' FOR UPDATE; SELECT pg_sleep(60)`);
  held.catch(() => undefined);
  const sleeper = `FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()`;
  await until(async () => (await db.sql(`SELECT ${sleeper}`)).length > 0);
  return () => db.sql(`SELECT pg_terminate_backend(pid) ${sleeper}`);
}

test('a discarded letter stays refused, is out of the list, and is kept', async () => {
  const claim = claimOf('ann', (await db.sku()).skuId);
  const letterId = await buried(claim);
  const request = seeTo(letterId);
  const letter = await db.ledger.deadLetterDiscard(request);
  assert.is(letter.resolved?.as, 'DISCARDED');
  assert.equal(await db.ledger.deadLetterDiscard(request), letter);
  assert.is(await reasonOf(db.ledger.deadLetterReplay(seeTo(letterId), claim)), 'DEAD_LETTER_RESOLVED');
  assert.is((await db.ledger.orderGet(claim.orderId)).refusal?.reason, 'UNPROCESSABLE');
  const listed = async (withResolved: boolean) =>
    (await db.ledger.deadLettersList({ withResolved }, {})).letters.some((each) => each.letterId === letterId);
  assert.equal([await listed(false), await listed(true)], [false, true]);
  assert.equal((await db.ledger.deadLetterGet(letterId)).payload, Buffer.from(claim.orderId));
  assert.is(await reasonOf(db.ledger.deadLetterGet(999_999)), 'DEAD_LETTER_NOT_FOUND');
});

test('letters come newest first, page by page', async () => {
  const claims = [1, 2, 3].map((n) => claimOf(`page-${n}`, 'nothing'));
  for (const claim of claims) await buried(claim);
  const first = await db.ledger.deadLettersList({ withResolved: true }, { pageSize: 2 });
  const next = await db.ledger.deadLettersList({ withResolved: true }, { pageSize: 1, pageToken: first.nextPageToken });
  const seen = [...first.letters, ...next.letters].map(({ orderId }) => orderId);
  assert.equal(seen, claims.map(({ orderId }) => orderId).reverse());
});

test.run();
