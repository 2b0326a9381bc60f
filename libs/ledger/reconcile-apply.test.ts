import { randomUUID } from 'node:crypto';
import { Fault } from '#libs/refusal/fault.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import type { Finding, Plan } from './reconcile-plans.js';
import { claimOf, lineOf, only, type TestLedger, testLedger } from './test-ledger.js';

const test = suite('reconcile: plans and their application');
let db: TestLedger;

test.before(async () => {
  db = await testLedger();
});
test.after(() => db.drop());

/** A sku with an order held, one paid and one cancelled. */
async function stage(): Promise<{ skuId: string; held: string; paid: string }> {
  const { skuId } = await db.sku({ perUserLimit: 9 });
  const held = await db.order(claimOf(`ann-${skuId}`, [lineOf(skuId, 'ann', 2)]));
  const { orderId, amountMinor, currency } = await db.order(claimOf(`bob-${skuId}`, [lineOf(skuId, 'bob', 1)]));
  await db.ledger.paymentConfirm({ orderId, provider: 'bank', providerPaymentId: skuId, amountMinor, currency });
  await db.ledger.orderCancel({ orderId: (await db.order(claimOf(`cid-${skuId}`, skuId))).orderId });
  return { skuId, held: held.orderId, paid: orderId };
}

/** Looks at everything once, as the inventory does, and keeps a plan of it. */
async function plan(): Promise<Plan> {
  const { ledger } = db;
  const fence = await ledger.reconcileBegin();
  const look = await ledger.reconcileLook(await ledger.skusAfter('', 1_000), { withOrders: false, atMost: 1_000 });
  const rest = await ledger.reconcileOrphans(undefined, { rows: 100_000, atMost: 1_000 });
  const findings = [...look.findings, ...rest.findings];
  return ledger.planGet(await keep(fence, findings, { skus: look.skus.length, orders: rest.orders }));
}

function keep(fence: number, findings: Finding[], counts = { skus: 1, orders: 1 }): Promise<number> {
  const kept = { requestId: randomUUID(), madeBy: 'scheduler', ...counts, found: findings.length, mended: 0 };
  return db.ledger.reconcileFinish(fence, { ...kept, findings, alerts: [], isAll: false });
}

const apply = (planId: number, requestId: string = randomUUID()): Promise<Plan> =>
  db.ledger.planApply({ planId, reason: 'to be right again', operator: 'olga', requestId });

const kindsOf = ({ findings = [] }: Plan): string[] => [...new Set(findings.map(({ kind }) => kind))].sort();

/** Everything that somebody could read of the rows that count. */
async function everything(): Promise<unknown> {
  const tables = ['stock', 'stock_changes', 'movements', 'attendee_units', 'order_lines', 'outbox', 'control_changes'];
  const rows = tables.map((table) => db.sql(`SELECT * FROM ledger.${table} AS t ORDER BY t::text`));
  return JSON.parse(JSON.stringify(await Promise.all(rows)));
}

const inLedger = (damage: string): Promise<object[]> =>
  db.sql(`SET search_path = ledger; ${damage}; RESET search_path`);

type Damage = [what: string, damage: (on: Awaited<ReturnType<typeof stage>>) => string, kinds: string[]];

const damages: Damage[] = [
  [
    'a movement that was deleted',
    ({ held }) => `DELETE FROM movements WHERE order_id = '${held}'`,
    ['ORDER_WITHOUT_MOVEMENT', 'STOCK_NOT_OF_MOVEMENTS'],
  ],
  [
    'the movement of a payment that was deleted',
    ({ paid }) => `DELETE FROM movements WHERE order_id = '${paid}' AND reason = 'PAY'`,
    ['ORDER_NOT_OF_MOVEMENTS', 'STOCK_NOT_OF_MOVEMENTS'],
  ],
  [
    'a counter that was doubled',
    ({ skuId }) => `UPDATE stock SET held = held * 2, free = free - held WHERE sku_id = '${skuId}'`,
    ['STOCK_NOT_OF_LINES', 'STOCK_NOT_OF_MOVEMENTS'],
  ],
  [
    'a capacity that was changed past everything',
    ({ skuId }) => `UPDATE stock SET capacity = capacity + 5, free = free + 5 WHERE sku_id = '${skuId}'`,
    ['STOCK_NOT_OF_MOVEMENTS'],
  ],
  [
    "an attendee's units raised by 2",
    ({ skuId }) => `UPDATE attendee_units SET units = units + 2 WHERE sku_id = '${skuId}' AND attendee_id = 'ann'`,
    ['UNITS_NOT_OF_LINES'],
  ],
  [
    "attendees' units that are gone",
    ({ skuId }) => `DELETE FROM attendee_units WHERE sku_id = '${skuId}'`,
    ['UNITS_NOT_OF_LINES'],
  ],
  [
    'a line that is held for ever',
    ({ held }) => `UPDATE order_lines SET held_until = NULL WHERE order_id = '${held}'`,
    ['HOLD_NOT_OF_ORDER'],
  ],
  [
    'an event that is gone',
    ({ paid }) => `DELETE FROM outbox WHERE order_id = '${paid}' AND order_version = 2`,
    ['EVENT_MISSING'],
  ],
  [
    'units that moved for no order',
    ({ skuId }) =>
      `INSERT INTO movements VALUES ('00000000-0000-8000-8000-0000000000aa', '${skuId}', 1, -3, 0, 3, 0, 'ADMIT', now())`,
    ['MOVEMENT_WITHOUT_LINE'],
  ],
  [
    'a line that has one more',
    ({ held }) => `UPDATE order_lines SET quantity = quantity + 1 WHERE order_id = '${held}';
      UPDATE orders SET amount_minor = amount_minor + 1500 WHERE order_id = '${held}'`,
    ['ORDER_NOT_OF_MOVEMENTS', 'STOCK_NOT_OF_LINES', 'UNITS_NOT_OF_LINES'],
  ],
];

for (const [what, damage, kinds] of damages) {
  test(`A30: ${what} is found and named, applying the plan repairs it once, and the audit is clean`, async () => {
    const on = await stage();
    assert.equal((await plan()).findings, []);
    await inLedger(damage(on));
    const made = await plan();
    assert.equal([made.state, kindsOf(made)], ['OPEN', kinds]);
    for (const { skuId, orderId, remedy, kind } of made.findings ?? []) {
      assert.ok(remedy !== '' && (skuId === on.skuId || orderId !== undefined), kind);
    }
    const before = await everything();
    const requestId = randomUUID();
    const applied = await apply(made.planId, requestId);
    assert.equal([applied.state, applied.applied?.by], ['APPLIED', 'olga']);
    assert.equal(await db.violations(), []);
    const after = await everything();
    assert.not.equal(after, before);

    for (const again of [requestId, randomUUID()]) assert.is((await apply(made.planId, again)).state, 'APPLIED');
    assert.equal(await everything(), after);
    assert.is((await plan()).state, 'CLEAN');
  });
}

test('what a repair moves leaves movements and changes REPAIR, and a row of who did it, when and why', async () => {
  const { skuId, held } = await stage();
  await inLedger(`DELETE FROM movements WHERE order_id = '${held}';
    UPDATE stock SET capacity = capacity + 1, free = free + 1 WHERE sku_id = '${skuId}'`);
  await apply((await plan()).planId);
  const moved = await db.sql('SELECT delta_held, reason FROM ledger.movements WHERE order_id = $1', [held]);
  assert.equal(moved, [{ delta_held: 2, reason: 'REPAIR' }]);
  const changed = await db.sql(
    `SELECT delta_capacity, delta_free FROM ledger.stock_changes WHERE sku_id = $1 AND reason = 'REPAIR'`,
    [skuId],
  );
  assert.equal(changed, [{ delta_capacity: 1, delta_free: 1 }]);
  const rows = await db.sql<{ reason: string; changed_by: string; became: string }>(
    `SELECT reason, changed_by, became FROM ledger.control_changes WHERE scope_id = $1 AND what = 'RECONCILE'`,
    [skuId],
  );
  assert.equal(only(rows), {
    reason: 'to be right again',
    changed_by: 'olga',
    became: '8 free, 0 reserved, 2 held, 1 sold, 0 overbooked',
  });
});

test('a repaired order goes on through its life, and the audit stays clean', async () => {
  const { held } = await stage();
  await inLedger(`DELETE FROM movements WHERE order_id = '${held}'`);
  await apply((await plan()).planId);
  await db.ledger.orderCancel({ orderId: held });
  assert.equal(await db.violations(), []);
});

test('units that were sold beyond the capacity make the sku overbooked by as many, and an alert says so', async () => {
  const { skuId } = await db.sku({ capacity: 3, perUserLimit: 9 });
  await db.order(claimOf('ann', [lineOf(skuId, 'ann', 3)]));
  // As if a counter had been written back: two more were sold.
  await inLedger(`UPDATE stock SET held = 1, free = 2 WHERE sku_id = '${skuId}'`);
  await db.order(claimOf('bob', [lineOf(skuId, 'bob', 2)]));
  await apply((await plan()).planId);
  const { capacity, overbooked, free, held } = await db.stock(skuId);
  assert.equal({ capacity, overbooked, free, held }, { capacity: 3, overbooked: 2, free: 0, held: 5 });
  const alerts = await db.sql(`SELECT kind, facts ->> 'overbooked' AS by FROM ledger.alerts WHERE sku_id = $1`, [
    skuId,
  ]);
  assert.equal(alerts, [{ kind: 'OVERSOLD', by: '2' }]);
  assert.equal(await db.violations(), []);
});

test('sales go on between a plan and its application', async () => {
  const { skuId } = await stage();
  await inLedger(`UPDATE stock SET held = held + 1, free = free - 1 WHERE sku_id = '${skuId}'`);
  const { planId } = await plan();
  await db.order(claimOf('dan', skuId));
  assert.is((await apply(planId)).state, 'APPLIED');
  assert.equal(await db.violations(), []);
});

test('a plan is stale when things are not as it found them, and when it is older than a quarter of an hour', async () => {
  const { skuId } = await stage();
  const damage = `UPDATE stock SET held = held + 1, free = free - 1 WHERE sku_id = '${skuId}'`;
  await inLedger(damage);
  const [first, second] = [await plan(), await plan()];
  await inLedger(damage);
  const rows = await everything();
  assert.is((await rejectionOf(apply(first.planId), Fault)).reason, 'PLAN_STALE');
  await db.sql(`UPDATE ledger.reconcile_plans SET made_at = made_at - interval '16 minutes' WHERE id = $1`, [
    second.planId,
  ]);
  assert.is((await db.ledger.planGet(second.planId)).state, 'STALE');
  assert.is((await rejectionOf(apply(second.planId), Fault)).reason, 'PLAN_STALE');
  assert.equal(await everything(), rows);
  await apply((await plan()).planId);
});

test('of many that apply a plan at once one does it', async () => {
  const { held } = await stage();
  await inLedger(`DELETE FROM movements WHERE order_id = '${held}'`);
  const { planId } = await plan();
  const plans = await Promise.all(Array.from({ length: 8 }, () => apply(planId)));
  assert.ok(plans.every(({ state }) => state === 'APPLIED'));
  const moved = await db.sql('SELECT FROM ledger.movements WHERE order_id = $1', [held]);
  assert.is(moved.length, 1);
});

test('whoever sells waits for the repair of the same sku, and then sees its figures', async () => {
  const { skuId, held } = await stage();
  await inLedger(`DELETE FROM movements WHERE order_id = '${held}'`);
  const { planId } = await plan();
  const [, decisions] = await Promise.all([
    apply(planId),
    Promise.all(Array.from({ length: 20 }, (_, n) => db.admit(claimOf(`user-${n}`, skuId)))),
  ]);
  assert.is(decisions.filter(({ kind }) => kind === 'ORDER').length, 7);
  assert.equal(await db.violations(), []);
});

test('a request id that applied one plan applies no other; a plan that is not there is not found', async () => {
  const { held } = await stage();
  const requestId = randomUUID();
  const remove = `DELETE FROM movements WHERE order_id = '${held}'`;
  await inLedger(remove);
  await apply((await plan()).planId, requestId);
  await inLedger(remove);
  const { planId } = await plan();
  assert.is((await rejectionOf(apply(planId, requestId), Fault)).reason, 'REQUEST_ID_REUSED');
  assert.is((await rejectionOf(apply(1_000_000), Fault)).reason, 'PLAN_NOT_FOUND');
  await apply(planId);
});

test('money that nobody can account for, and what lacks the row it belongs to, is for a person: applying leaves it', async () => {
  const { skuId, paid } = await stage();
  await inLedger(`UPDATE payments SET order_id = '00000000-0000-8000-8000-0000000000bb' WHERE order_id = '${paid}';
    INSERT INTO order_lines VALUES ('00000000-0000-8000-8000-0000000000cc', '${skuId}', 'eve', 1, 1, NULL, now())`);
  const made = await plan();
  assert.equal(kindsOf(made), ['ORDER_MISSING', 'PAYMENT_MISSING', 'PAYMENT_WITHOUT_ORDER']);
  assert.ok(made.findings?.every(({ remedy }) => remedy === ''));
  const rows = await db.sql('SELECT * FROM ledger.stock ORDER BY sku_id');
  await apply(made.planId);
  assert.equal(await db.sql('SELECT * FROM ledger.stock ORDER BY sku_id'), rows);
  assert.equal(kindsOf(await plan()), kindsOf(made));
  await inLedger(`UPDATE payments SET order_id = '${paid}' WHERE order_id = '00000000-0000-8000-8000-0000000000bb';
    DELETE FROM order_lines WHERE order_id = '00000000-0000-8000-8000-0000000000cc'`);
});

test('K03: a look that was overtaken by a newer one keeps nothing, however late it wakes up', async () => {
  const { skuId } = await stage();
  const [older, newer] = [await db.ledger.reconcileBegin(), await db.ledger.reconcileBegin()];
  const plansBefore = (await db.ledger.plansList({})).plans.length;
  const looked = [{ skuId, version: 1_000 }];
  for (const write of [() => db.ledger.reconcileNote(older, looked), () => keep(older, [])]) {
    assert.is((await rejectionOf(write(), Fault)).reason, 'RECONCILE_UNDER_WAY');
  }
  assert.is((await db.ledger.plansList({})).plans.length, plansBefore);
  assert.equal(await db.sql('SELECT * FROM ledger.reconciled WHERE sku_id = $1', [skuId]), []);
  await db.ledger.reconcileNote(newer, looked);
  await keep(newer, []);
});

test('skus that sold out or went off sale are found until they were looked at as they are', async () => {
  const { skuId } = await db.sku({ capacity: 1 });
  const { skuId: closing } = await db.sku({ offSaleAt: new Date(Date.now() + 3_600_000) });
  const ended = async (): Promise<string[]> =>
    (await db.ledger.reconcileEnded('', 10_000)).skuIds.filter((id) => [skuId, closing].includes(id));
  const look = async (): Promise<void> => {
    const { skus } = await db.ledger.reconcileLook([skuId, closing], { withOrders: false, atMost: 10 });
    await db.ledger.reconcileNote(await db.ledger.reconcileBegin(), skus);
  };
  await look();
  assert.equal(await ended(), []);
  await db.order(claimOf('ann', skuId));
  assert.equal(await ended(), [skuId]);
  await db.sql('UPDATE ledger.skus SET off_sale_at = ledger.clock() WHERE sku_id = $1', [closing]);
  assert.equal(await ended(), [skuId, closing].sort());
  await look();
  assert.equal(await ended(), []);
});

test('plans are listed newest first, page after page, without their findings', async () => {
  await plan();
  await plan();
  const { plans, nextPageToken } = await db.ledger.plansList({ pageSize: 2 });
  const next = await db.ledger.plansList({ pageSize: 2, pageToken: nextPageToken });
  const ids = [...plans, ...next.plans].map(({ planId }) => planId);
  assert.equal(
    ids,
    [...ids].sort((a, b) => b - a),
  );
  assert.ok(plans.every(({ findings }) => findings === undefined));
});

test.run();
