import { faultOf } from '#libs/refusal/fault.js';
import { assert, suite } from '#libs/testing/suite.js';
import { type Ledger, openLedger, RUNTIME_ROLE } from './ledger.js';
import { claimOf, lineOf, openPool, plainSku, type TestLedger, testLedger } from './test-ledger.js';

const test = suite('plans');
let db: TestLedger;

test.before(async () => {
  db = await testLedger();
});
test.after(() => db.drop());

const rounds = 60;

/** Rows that were read through each index, by all connections. */
async function rowsRead(): Promise<Map<string, number>> {
  const rows = await db.sql<{ indexrelname: string; read: number }>(
    "SELECT indexrelname, idx_tup_read::int AS read FROM pg_stat_user_indexes WHERE schemaname = 'ledger'",
  );
  return new Map(rows.map(({ indexrelname, read }) => [indexrelname, read]));
}

/** Full scans of the tables that grow, by all connections. */
async function scans(): Promise<Record<string, string>> {
  const rows = await db.sql<{ relname: string; seq_scan: string }>(`
    SELECT relname, seq_scan::text FROM pg_stat_user_tables
    WHERE schemaname = 'ledger' AND relname NOT IN ('transitions', 'jobs', 'unmarked', 'reconcile_fence', 'switches')`);
  return Object.fromEntries(rows.map((row) => [row.relname, row.seq_scan]));
}

async function callAll(ledger: Ledger, skuId: string, round: string): Promise<void> {
  await callWaitlist(ledger, round);
  const claim = claimOf(`user-${round}`, skuId);
  await ledger.claimsAdmit([claim, claimOf(`user-${round}`, skuId), claimOf('other', 'nothing')]);
  await ledger.parkedRead([claim]);
  await ledger.ordersRead([claim.orderId]);
  await ledger.ordersListByUser(claim.userId, { pageSize: 2 });
  await ledger.ordersListBySku(skuId, { pageSize: 2 });
  await callMoney(ledger, claim.orderId, round);
  await callLife(ledger, skuId, round);
  await ledger.ordersExpire(10);
  await ledger.outboxMarkPublished((await ledger.outboxTake(100)).map((entry) => entry.id));
  await ledger.limitsRead([
    { storeId: claim.storeId, skuId },
    { storeId: 'nobody', skuId: 'nothing' },
  ]);
  await ledger.skusList(claim.storeId, { pageSize: 2, startsAfter: new Date(0) });
  await ledger.limitsList(claim.storeId, { pageSize: 2 });
  for (const limited of [skuId, '']) {
    const rateLimit = { perSecond: 5, burst: round.length };
    await ledger.limitsSet({ storeId: claim.storeId, skuId: limited, rateLimit, clearRateLimit: false });
  }
  const change = { storeId: claim.storeId, skuId, operator: 'olga', reason: 'why not' };
  for (const paused of [true, false]) {
    await ledger.skuPause({ ...change, paused, requestId: `${round}-${paused}` });
  }
  await ledger.capacitySet({ ...change, capacity: 1_000 + round.length, force: true, requestId: round });
  await ledger.ordersOverbooked(skuId, { pageSize: 2 });
  const imported = { skus: [{ ...plainSku(), skuId: `${skuId}-${round}` }], update: true };
  await ledger.skusRehearse(imported);
  await ledger.skusImportOnce({ ...imported, operator: 'olga', reason: 'why not', requestId: round });
  await lookAll(ledger, skuId, claim.orderId);
  await ledger.unmarkedNote(10);
  const scope = { kind: 'SKU', storeId: claim.storeId, skuId };
  const path = {
    name: 'STOCK_PATH',
    scope,
    setting: 'POSTGRES',
    expiresInSeconds: 0,
    reason: 'r',
    setBy: 'ann',
  } as const;
  const expectedVersion = (await ledger.switchesRead())[0]?.version ?? 0;
  await ledger.switchSet({ ...path, expectedVersion, requestId: round });
  await ledger.switchesInForce();
  await ledger.controlChangesList(scope, { pageSize: 2 });
  await ledger.controlChangesList(undefined, { pageSize: 2 });
  await callDesk(ledger, skuId, round);
}

/** What changes an order and keeps its state. */
async function callLife(ledger: Ledger, skuId: string, round: string): Promise<void> {
  const lines = [lineOf(skuId, `one-${round}`), lineOf(skuId, `two-${round}`)];
  const claim = claimOf(`life-${round}`, lines);
  const { orderId } = claim;
  await ledger.claimsAdmit([claim]);
  await ledger.paymentStart({ orderId, provider: 'bank', requestId: round });
  await ledger.holdExtend(orderId);
  await ledger.orderCancelPart({ orderId, lines: lines.slice(1), requestId: round });
  await ledger.orderMove({ orderId, toSkuId: `${skuId}-target`, requestId: `${round}-move` });
  await ledger.movementsList({ orderId }, { pageSize: 2 });
  await ledger.movementsList({ skuId: `${skuId}-target` }, { pageSize: 2 });
  await ledger.holdsStats({ skuId: 'nothing' }, new Date());
  await ledger.orderFulfil({ storeId: 'store-1', code: '00000000' }, 'door').catch(() => undefined);
  await ledger.orderFulfil({ orderId }, 'door').catch(() => undefined);
}

/** What comes of paying an order, and of ending it. */
async function callMoney(ledger: Ledger, orderId: string, round: string): Promise<void> {
  const payment = { orderId, provider: 'bank', providerPaymentId: round };
  await ledger.paymentStart({ orderId, provider: 'bank', requestId: round });
  await ledger.paymentSessionSet(orderId, 1, { sessionId: round, parameters: {} });
  await ledger.paymentFail({ ...payment, attempt: 1, why: 'declined' });
  await ledger.paymentConfirm({ ...payment, amountMinor: 1_500, currency: 'EUR' });
  const twice = { ...payment, providerPaymentId: `${round}-2` };
  await ledger.paymentConfirm({ ...twice, amountMinor: 1, currency: 'EUR' });
  await ledger.orderCancel({ orderId });
  await ledger.refundRecord({ ...payment, refundId: round, amountMinor: 1_500 });
  await ledger.moneyIssuesList('store-1', { pageSize: 2 });
  await ledger.moneyIssuesList(undefined, { pageSize: 2 });
  await ledger.moneySettle({ ...twice, verb: 'WRITE_OFF', by: 'olga', reason: 'r', requestId: round });
  await ledger.moneyReport('nobody', '2050-01-01');
  await ledger.paymentsParkedApply(10);
  for (const { orderId: id, attempt } of await ledger.paymentSessionsToEnd(10)) {
    await ledger.paymentSessionEnded(id, attempt);
  }
}

/** Of a sku of its own, one for all rounds. */
async function callWaitlist(ledger: Ledger, round: string): Promise<void> {
  const sku = { ...plainSku(), skuId: 'waited-for', capacity: 1, onSoldOut: 'JOIN_WAITLIST' };
  if (round === 'first') await ledger.skuPut(sku);
  const users = [`a-${round}`, `b-${round}`, `c-${round}`];
  const claims = users.map((user) => claimOf(user, sku.skuId));
  const [first] = await ledger.claimsAdmit(claims);
  await ledger.claimsAdmit(claims);
  const of = { storeId: sku.storeId, skuId: sku.skuId };
  const by = { ...of, operator: 'olga', reason: 'r' };
  for (const paused of [true, false])
    await ledger.waitlistSetPaused({ ...by, paused, requestId: `${round}-${paused}` });
  await ledger.waitlistList(of, { pageSize: 2 });
  await ledger.waitlistEntryGet({ userId: users[1] ?? '', skuId: sku.skuId });
  if (first?.kind === 'ORDER') await ledger.orderCancel(first.order);
  await ledger.waitlistPromote(10);
  await ledger.waitlistEnd(10);
  for (const { orderId } of claims.slice(1)) {
    await ledger.offerAccept({ entryId: orderId }).catch(() => undefined);
    await ledger.waitlistLeave({ entryId: orderId });
  }
}

/** What operators ask for and what is looked at for them. */
async function callDesk(ledger: Ledger, skuId: string, round: string): Promise<void> {
  const by = { by: 'olga', reason: 'r', requestId: round };
  const claim = claimOf(`dead-${round}`, skuId);
  await ledger.claimBury({ claim, subject: 's', payload: Buffer.from(round), error: 'e' });
  await ledger.alertsCheck({ expiryLateMs: 0, outboxLateMs: 0, flowing: [round], settledMs: 0 });
  for (const { alert } of await ledger.alertsUntold(10)) await ledger.alertClearById({ alertId: alert.alertId, ...by });
  await ledger.backlogRead({ deadlineMs: 10_000 });
  await ledger.alertsMarkTold(await ledger.alertsUntold(10));
  for (const all of [true, false]) {
    await ledger.alertsList({ withCleared: all }, { pageSize: 2 });
    await ledger.deadLettersList({ withResolved: all }, { pageSize: 2 });
  }
  const { letters } = await ledger.deadLettersList({ withResolved: false }, { pageSize: 1 });
  for (const { letterId } of letters) {
    await ledger.deadLetterGet(letterId);
    await ledger.deadLetterReplay({ letterId, ...by }, claim);
    await ledger.orderExplain(claim.orderId);
    await ledger.userExplain(claim.userId, skuId, { atMost: 100 });
    await ledger.deadLetterDiscard({ letterId, ...by }).catch(() => undefined);
  }
}

async function lookAll(ledger: Ledger, skuId: string, orderId: string): Promise<void> {
  await ledger.reconcileLook([skuId, 'nothing'], { withOrders: true, atMost: 10 });
  await ledger.reconcileOrders([orderId], 10);
  await ledger.reconcileOrphans(undefined, { rows: 10, atMost: 10 });
  await ledger.reconcileEnded('', 10);
  await ledger.skuProve(skuId, 10);
  const fence = await ledger.reconcileBegin();
  await ledger.reconcileNote(fence, [{ skuId, version: fence }]);
  const counts = { skus: 1, orders: 1, found: 1, mended: 0 };
  const finding = { kind: 'EVENT_MISSING', skuId, orderId, detail: {}, remedy: 'again', mended: false };
  const kept = { ...counts, requestId: `look-${fence}`, madeBy: 'scheduler', findings: [finding], alerts: [] };
  const planId = await ledger.reconcileFinish(fence, { ...kept, isAll: false });
  await ledger.planGet(planId);
  // It finds nothing again: the plan is stale.
  const apply = { planId, reason: 'r', operator: 'olga', requestId: `apply-${fence}` };
  await ledger.planApply(apply).catch((error: unknown) => assert.is(faultOf(error).reason, 'PLAN_STALE'));
}

/** Makes the server count what this connection did, now. */
const flush = 'SELECT pg_stat_force_next_flush()';

/** Thousands of rows in every table, of skus of their own. */
const fill = `
  INSERT INTO ledger.skus SELECT 'fill-' || n, 'fill', 't', NULL, '', NULL, NULL, 1, 10, 900, true, 1, 'EUR', 1, 1, false, 1, now(), now()
    FROM generate_series(1, 5000) AS n;
  INSERT INTO ledger.stock SELECT 'fill-' || n, 'fill', 10, 0, 9, 0, 1, 0, 1 FROM generate_series(1, 5000) AS n;
  INSERT INTO ledger.orders SELECT gen_random_uuid(), 'fill', 'u' || n, 'r', '', 'HELD', 1, NULL, 1, 'EUR', now(), now() + interval '1 day', now()
    FROM generate_series(1, 5000) AS n;
  INSERT INTO ledger.order_lines SELECT order_id, 'fill-' || substr(user_id, 2), user_id, 1, 1, expires_at, created_at
    FROM ledger.orders WHERE store_id = 'fill';
  INSERT INTO ledger.movements SELECT order_id, sku_id, 1, -1, 0, 1, 0, 'ADMIT', now() FROM ledger.order_lines WHERE sku_id LIKE 'fill-%';
  INSERT INTO ledger.attendee_units SELECT sku_id, attendee_id, 1 FROM ledger.order_lines WHERE sku_id LIKE 'fill-%';
  INSERT INTO ledger.outbox (order_id, order_version, state, at, published_at) SELECT order_id, 1, 'HELD', now(), now() FROM ledger.orders WHERE store_id = 'fill';
  INSERT INTO ledger.payments (provider, provider_payment_id, order_id, store_id, amount_minor, currency, state, issue, at)
    SELECT 'fill', user_id, order_id, 'fill', 1, 'EUR', 'REFUND_DUE', NULL, now() FROM ledger.orders WHERE store_id = 'fill';
  INSERT INTO ledger.refunds (order_id, number, provider, provider_payment_id, amount_minor, reason, state, due_at)
    SELECT order_id, 1, provider, provider_payment_id, 1, 'LATE', 'DUE', now() FROM ledger.payments WHERE store_id = 'fill';
  INSERT INTO ledger.payment_attempts (order_id, attempt, provider, request_id, ends_at, state, created_at)
    SELECT order_id, 1, 'fill', 'r', now(), 'FAILED', now() FROM ledger.orders WHERE store_id = 'fill';
  INSERT INTO ledger.control_changes (what, scope, scope_id, was, became, reason, changed_by, changed_at, request_id)
    SELECT 'PAUSE', 'SKU', 'fill-' || n, '', '', 'r', 'ann', now(), 'r' || n FROM generate_series(1, 5000) AS n;
  INSERT INTO ledger.store_limits SELECT 'fill-' || n, 1, 1, false, 1, now() FROM generate_series(1, 5000) AS n;
  INSERT INTO ledger.alerts (kind, subject, facts, command, first_seen_at, last_seen_at, times_seen, cleared_at, cleared_by, told)
    SELECT 'DRIFT', 'fill-' || n, '{}', 'c', now(), now(), 1, now(), 'system', 'CLEARED' FROM generate_series(1, 5000) AS n;
  INSERT INTO ledger.dead_letters (subject, payload, error, at, resolved_at, resolution, resolved_by, resolved_reason, resolved_request_id)
    SELECT 'fill-' || n, '', 'e', now(), now(), 'DISCARDED', 'olga', 'r', 'fill-' || n FROM generate_series(1, 5000) AS n;
  ${flush}`;

test('a plan that was made on an empty ledger looks up rows one by one, also when there are many', async () => {
  const { skuId } = await db.sku({ capacity: 1_000 });
  await db.sku({ skuId: `${skuId}-target`, capacity: 1_000 });
  // One connection, so that the plans of the first calls are those of the later ones.
  const pool = openPool(db.url, { max: 1, role: RUNTIME_ROLE });
  const ledger = openLedger(pool);
  await callAll(ledger, skuId, 'first');
  await pool.query({ name: '', text: flush });
  await db.sql(fill);
  const [before, readBefore] = [await scans(), await rowsRead()];
  for (let round = 0; round < rounds; round++) await callAll(ledger, skuId, `round-${round}`);
  await pool.query({ name: '', text: flush });
  const [after, readAfter] = [await scans(), await rowsRead()];
  await pool.close();
  assert.equal(after, before);
  const readAll = [...readAfter].filter(([index, read]) => read - (readBefore.get(index) ?? 0) > rounds * 1_000);
  assert.equal(readAll, []);
});

test('a crowd that joins a waitlist is looked up one by one, by plans that were made when nobody waited', async () => {
  const { skuId } = await db.sku({ skuId: 'crowd', capacity: 1, onSoldOut: 'JOIN_WAITLIST' });
  const pool = openPool(db.url, { max: 1, role: RUNTIME_ROLE });
  const ledger = openLedger(pool);
  const [batches, size] = [5, 200];
  const read = async (): Promise<number> => {
    await pool.query({ name: '', text: flush });
    const [row] = await db.sql<{ read: number }>(
      "SELECT idx_tup_read::int AS read FROM pg_stat_user_indexes WHERE indexrelname = 'waitlist_entries_once'",
    );
    return row?.read ?? Number.NaN;
  };
  const before = await read();
  for (let batch = 0; batch < batches; batch += 1)
    await ledger.claimsAdmit(Array.from({ length: size }, (_, n) => claimOf(`crowd-${batch}-${n}`, skuId)));
  const looked = (await read()) - before;
  await pool.close();
  assert.ok(looked <= 2 * batches * size, `${looked} entries were read`);
});

test.run();
