import { randomUUID } from 'node:crypto';
import { Fault } from '#libs/refusal/fault.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import type { SkuToPut } from './sku-violations.js';
import { claimOf, lineOf, only, type TestLedger, testLedger } from './test-ledger.js';

const test = suite('claims');
let db: TestLedger;

test.before(async () => {
  db = await testLedger();
});
test.after.each(async () => assert.equal(await db.violations(), []));
test.after(() => db.drop());

const newSku = async (parts: Partial<SkuToPut> = {}): Promise<string> => (await db.sku(parts)).skuId;
const fromNow = (seconds: number): Date => new Date(Date.now() + seconds * 1_000);

test('a claim becomes an order that is held until it is paid', async () => {
  const skuId = await newSku({ holdTtlSeconds: 600 });
  const order = await db.order(claimOf('ann', skuId));
  assert.is(order.state, 'HELD');
  assert.is(order.version, 1);
  assert.is(order.expiresAt?.getTime(), order.createdAt.getTime() + 600_000);
  assert.equal(order.lines, [{ skuId, attendeeId: 'ann', quantity: 1, unitPriceMinor: 1_500 }]);
  assert.equal(await db.ledger.ordersRead([order.orderId]), [order]);
  const { free, held, sold, version } = await db.stock(skuId);
  assert.equal({ free, held, sold, version }, { free: 9, held: 1, sold: 0, version: 2 });
});

test('a sku that needs no payment is sold at once', async () => {
  const skuId = await newSku({ paymentRequired: false });
  const order = await db.order(claimOf('ann', skuId));
  assert.is(order.state, 'CONFIRMED');
  assert.is(order.expiresAt, undefined);
  const { free, held, sold, nextReleaseAt } = await db.stock(skuId);
  assert.equal({ free, held, sold, nextReleaseAt }, { free: 9, held: 0, sold: 1, nextReleaseAt: undefined });
});

test('an order of several skus waits as long as the shortest of their holds and costs the sum', async () => {
  const a = await newSku({ holdTtlSeconds: 60, priceMinor: 100, perUserLimit: 5 });
  const b = await newSku({ priceMinor: 7, paymentRequired: false });
  const order = await db.order(claimOf('ann', [lineOf(b, 'ann'), lineOf(a, 'kid', 3), lineOf(a, 'ann', 2)]));
  assert.is(order.state, 'HELD');
  assert.is(order.amountMinor, 507);
  assert.is(order.expiresAt?.getTime(), order.createdAt.getTime() + 60_000);
  assert.equal(await db.ledger.ordersRead([order.orderId]), [order]);
});

test('B06, B10: the same claim again gets the same order as it is today, from the row alone', async () => {
  const skuId = await newSku({ capacity: 1 });
  const claim = claimOf('ann', skuId);
  const order = await db.order(claim);
  assert.equal(await db.order(claim), order);
  await db.ledger.orderCancel({ orderId: order.orderId });
  assert.is((await db.order(claim)).state, 'CANCELLED');
  assert.is((await db.stock(skuId)).free, 1);
});

test('a replay keeps the price of its day', async () => {
  const skuId = await newSku({ priceMinor: 10 });
  const claim = claimOf('ann', skuId);
  const order = await db.order(claim);
  const { overbooked: _, etag, ...sku } = (await db.ledger.skuGet(skuId)).sku;
  await db.ledger.skuPut({ ...sku, priceMinor: 99 }, etag);
  assert.equal(await db.order(claim), order);
});

test('the same id with other lines is another request, whatever became of the first', async () => {
  const [a, b] = [await newSku(), await newSku({ capacity: 0 })];
  const first = claimOf('ann', a);
  const refused = claimOf('ann', b);
  await db.ledger.claimsAdmit([first, refused]);
  for (const claim of [first, refused]) {
    const decision = await db.admit({ ...claim, lines: [lineOf(a, 'somebody-else')] });
    assert.equal(decision, { orderId: claim.orderId, kind: 'FAULT', reason: 'REQUEST_ID_REUSED', metadata: {} });
  }
});

test('the same lines written otherwise are the same request', async () => {
  const [a, b] = [await newSku({ perUserLimit: 3 }), await newSku()];
  const claim = claimOf('ann', [lineOf(b, 'ann'), lineOf(a, 'ann', 2), lineOf(a, 'ann')]);
  const order = await db.order(claim);
  assert.equal(await db.order({ ...claim, lines: [lineOf(a, 'ann', 3), lineOf(b, 'ann')] }), order);
});

test('A05: an order that names a sku twice takes the sum once', async () => {
  const skuId = await newSku({ perUserLimit: 5, capacity: 5 });
  const order = await db.order(claimOf('ann', [lineOf(skuId, 'ann', 2), lineOf(skuId, 'ann', 3)]));
  assert.equal(
    order.lines.map((line) => line.quantity),
    [5],
  );
  assert.is((await db.stock(skuId)).free, 0);
});

test('two claims of one id in one batch are one order', async () => {
  const skuId = await newSku({ perUserLimit: 9 });
  const claim = claimOf('ann', skuId);
  const [first, second, third] = await db.ledger.claimsAdmit([
    claim,
    claim,
    { ...claim, lines: [lineOf(skuId, 'kid')] },
  ]);
  assert.is(first?.kind, 'ORDER');
  assert.equal(second, first);
  assert.is(third?.kind === 'FAULT' && third.reason, 'REQUEST_ID_REUSED');
  assert.is((await db.stock(skuId)).held, 1);
});

test('claims of one batch are served in the order of their arrival', async () => {
  const skuId = await newSku({ capacity: 3, perUserLimit: 3 });
  const decisions = await db.ledger.claimsAdmit([
    claimOf('zoe', [lineOf(skuId, 'zoe', 2)]),
    claimOf('ann', [lineOf(skuId, 'ann', 2)]),
    claimOf('bob', [lineOf(skuId, 'bob', 1)]),
  ]);
  assert.equal(
    decisions.map((decision) => decision.kind),
    ['ORDER', 'REFUSED', 'ORDER'],
  );
});

test('A25: one order leaves the rest of the slot for sale', async () => {
  const skuId = await newSku({ capacity: 8 });
  await db.order(claimOf('first', skuId));
  assert.is((await db.stock(skuId)).free, 7);
  const decisions = await db.ledger.claimsAdmit(Array.from({ length: 8 }, (_, n) => claimOf(`user-${n}`, skuId)));
  assert.is(decisions.filter((decision) => decision.kind === 'ORDER').length, 7);
});

test('an order is held for payment when any of its skus wants it', async () => {
  const free = { paymentRequired: false, priceMinor: 0 };
  for (const [one, two] of [
    [{}, free],
    [free, {}],
  ]) {
    const skuIds = [
      await newSku({ ...one, skuId: `a-${randomUUID()}` }),
      await newSku({ ...two, skuId: `b-${randomUUID()}` }),
    ];
    const order = await db.order(
      claimOf(
        'ann',
        skuIds.map((skuId) => lineOf(skuId, 'ann')),
      ),
    );
    assert.is(order.state, 'HELD');
    for (const skuId of skuIds) assert.is((await db.stock(skuId)).held, 1);
  }
});

test('a parent books two children', async () => {
  const skuId = await newSku();
  await db.order(claimOf('mum', [lineOf(skuId, 'child-1'), lineOf(skuId, 'child-2')]));
  assert.is((await db.stock(skuId)).held, 2);
});

test('in one batch a claim that left nothing does not stand for its twin', async () => {
  const skuId = await newSku({ capacity: 0 });
  const claim = claimOf('ann', skuId);
  const [first, second] = await db.ledger.claimsAdmit([{ ...claim, notAfter: fromNow(-60) }, claim]);
  assert.is(first?.kind === 'FAULT' && first.reason, 'TOO_LATE');
  assert.is(second?.kind === 'REFUSED' && second.recorded, true);
});

test('a claim that comes too late has no effect, but an order that is known is told', async () => {
  const skuId = await newSku();
  const late = claimOf('ann', skuId, { notAfter: fromNow(-60) });
  assert.equal(await db.admit(late), { orderId: late.orderId, kind: 'FAULT', reason: 'TOO_LATE', metadata: {} });
  assert.is((await db.stock(skuId)).free, 10);
  const order = await db.order({ ...late, notAfter: fromNow(60) });
  assert.equal(await db.order(late), order);
});

test('A33: what happens to one order of a user leaves the other alone', async () => {
  const skuId = await newSku({ perUserLimit: 4 });
  const one = await db.order(claimOf('ann', skuId));
  const three = await db.order(claimOf('ann', [lineOf(skuId, 'ann', 3)]));
  await db.ledger.paymentConfirm({
    orderId: three.orderId,
    provider: 'bank',
    providerPaymentId: three.orderId,
    amountMinor: three.amountMinor,
    currency: 'EUR',
  });
  assert.equal(await db.ledger.orderGet(one.orderId), one);
  await db.ledger.orderCancel({ orderId: one.orderId });
  const { free, held, sold } = await db.stock(skuId);
  assert.equal({ free, held, sold }, { free: 7, held: 0, sold: 3 });
});

test('A29: a claim that is not well formed is refused with all that is wrong, and nothing of its batch happens', async () => {
  const skuId = await newSku();
  const bad = [0, -3, 2.5, 2 ** 31, Number.NaN, 1e9];
  for (const quantity of bad) {
    // Two lines of one sku that add up to something allowed.
    const claim = claimOf('ann', [lineOf(skuId, 'ann', 5), lineOf(skuId, 'ann', quantity)]);
    const fault = await rejectionOf(db.ledger.claimsAdmit([claimOf('bob', skuId), claim]), Fault);
    assert.is(fault.reason, 'INVALID_REQUEST');
    assert.equal(
      fault.violations.map((violation) => violation.field),
      ['lines[1].quantity'],
    );
  }
  const many = claimOf(
    '',
    Array.from({ length: 101 }, () => lineOf('x'.repeat(300), '🙂')),
    { requestId: 'a\0b' },
  );
  const fault = await rejectionOf(db.ledger.claimsAdmit([many]), Fault);
  assert.is(fault.violations.length, 3 + 2 * 101);
  assert.is((await rejectionOf(db.ledger.claimsAdmit([claimOf('ann', [])]), Fault)).reason, 'INVALID_REQUEST');
  assert.is((await db.stock(skuId)).free, 10);
});

test('no claims are no question', async () => {
  assert.equal(await db.ledger.claimsAdmit([]), []);
});

test('a batch of five hundred over many skus is decided claim by claim', async () => {
  const skuIds = await Promise.all(Array.from({ length: 20 }, () => newSku({ capacity: 20 })));
  const claims = Array.from({ length: 500 }, (_, n) => claimOf(`user-${n}`, skuIds[n % 20] ?? ''));
  const decisions = await db.ledger.claimsAdmit(claims);
  assert.equal(
    decisions.map((decision) => decision.orderId),
    claims.map((claim) => claim.orderId),
  );
  assert.is(decisions.filter((decision) => decision.kind === 'ORDER').length, 400);
  assert.is(only((await db.ledger.stockRead(skuIds.slice(0, 1))).skus).held, 20);
});

test.run();
