import { Fault } from '#libs/refusal/fault.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import type { AlertThresholds, AlertToRaise } from './alerts.js';
import { claimOf, only, type TestLedger, testLedger } from './test-ledger.js';

const test = suite('alerts');
let db: TestLedger;

test.before(async () => {
  db = await testLedger();
});
// One database for all: each begins with it empty.
test.before.each(async () => {
  await db.sql(`TRUNCATE ledger.alerts, ledger.control_changes, ledger.dead_letters, ledger.outbox, ledger.orders,
    ledger.order_lines, ledger.movements, ledger.attendee_units, ledger.stock, ledger.stock_changes, ledger.skus`);
});
test.after(() => db.drop());

const drift = (subject: string): AlertToRaise => ({
  kind: 'DRIFT',
  subject,
  skuId: subject,
  facts: { free: 3, lines: 2 },
  command: `holdfast prove ${subject}`,
});
const atOnce: AlertThresholds = { expiryLateMs: 0, outboxLateMs: 0, flowing: [], settledMs: 0 };
const never: AlertThresholds = { expiryLateMs: 600_000, outboxLateMs: 600_000, flowing: [], settledMs: 600_000 };
const open = async () => (await db.ledger.alertsList({ withCleared: false }, {})).alerts;
const subjects = async (withCleared = false) =>
  (await db.ledger.alertsList({ withCleared }, {})).alerts.map(({ subject }) => subject);
const clearing = (alertId: number, requestId = 'r-1') => ({ alertId, by: 'olga', reason: 'seen to', requestId });
const changes = () =>
  db.sql<{ was: string; reason: string; changed_by: string }>(
    `SELECT was, reason, changed_by FROM ledger.control_changes WHERE what = 'ALERT'`,
  );

test('what is seen again while it is open is the same alert, with its newest facts, before those seen earlier', async () => {
  assert.is(await db.ledger.alertRaise(drift('a')), true);
  assert.is(await db.ledger.alertRaise(drift('b')), true);
  await until(async () => {
    assert.is(await db.ledger.alertRaise({ ...drift('a'), facts: { free: 9 } }), false);
    return (await subjects())[0] === 'a';
  });
  const alert = (await open())[0];
  assert.equal(alert?.facts, { free: 9 });
  assert.ok((alert?.timesSeen ?? 0) >= 2);
  assert.is(alert?.skuId, 'a');
  assert.is(alert?.cleared, undefined);
});

test('an operator clears one, once for a request, and it is written down who did and why', async () => {
  await db.ledger.alertRaise(drift('a'));
  const { alertId } = only(await open());
  const { cleared } = await db.ledger.alertClearById(clearing(alertId));
  assert.equal([cleared?.by, cleared?.reason], ['olga', 'seen to']);
  assert.equal((await db.ledger.alertClearById(clearing(alertId))).cleared, cleared);
  assert.equal((await db.ledger.alertClearById({ ...clearing(alertId, 'r-2'), by: 'ben' })).cleared, cleared);
  assert.equal(await changes(), [{ was: `alert ${alertId}, DRIFT of a: open`, reason: 'seen to', changed_by: 'olga' }]);
  assert.equal(await subjects(), []);
  assert.equal(await subjects(true), ['a']);

  await db.ledger.alertRaise(drift('a'));
  const again = only(await open());
  assert.is.not(again.alertId, alertId);
  for (const other of [clearing(again.alertId), { ...clearing(alertId), reason: 'another' }]) {
    assert.is((await rejectionOf(db.ledger.alertClearById(other), Fault)).reason, 'REQUEST_ID_REUSED');
  }
  assert.equal((await open()).length, 1);
  assert.is((await rejectionOf(db.ledger.alertClearById(clearing(999)), Fault)).reason, 'ALERT_NOT_FOUND');
});

test('two operators with one request id clear one alert, whoever is first', async () => {
  for (const subject of ['a', 'b']) await db.ledger.alertRaise(drift(subject));
  const [first, second] = await open();
  const outcomes = await Promise.allSettled(
    [first, second].map((alert) => db.ledger.alertClearById(clearing(alert?.alertId ?? 0))),
  );
  assert.equal(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  assert.is((await changes()).length, 1);
  assert.is((await open()).length, 1);
});

test('pages go on where the last one ended, and a token of another list is refused', async () => {
  for (const subject of ['a', 'b', 'c']) await db.ledger.alertRaise(drift(subject));
  const first = await db.ledger.alertsList({ withCleared: false }, { pageSize: 2 });
  const rest = await db.ledger.alertsList({ withCleared: false }, { pageSize: 2, pageToken: first.nextPageToken });
  const seen = [...first.alerts, ...rest.alerts].map(({ subject }) => subject);
  assert.equal([seen.sort(), rest.nextPageToken], [['a', 'b', 'c'], '']);
  const mixed = db.ledger.alertsList({ withCleared: true }, { pageToken: first.nextPageToken });
  assert.is((await rejectionOf(mixed, Fault)).reason, 'INVALID_REQUEST');
});

test('a check on a ledger at rest raises nothing', async () => {
  await db.order(claimOf('ann', (await db.sku()).skuId));
  assert.equal(await db.ledger.alertsCheck(never), { raised: 0, cleared: 0, open: {} });
});

test('D04: a letter that no advisory told of is found by the check, and its alert goes when somebody has seen to it', async () => {
  await db.ledger.deadLetterAdd({ subject: 'claims.0', payload: Buffer.from('x'), error: 'broken' });
  await db.ledger.deadLetterAdd({ subject: 'claims.0', payload: Buffer.from('y'), error: 'broken' });
  assert.equal(await db.ledger.alertsCheck(never), { raised: 1, cleared: 0, open: { DEAD_LETTER: 1 } });
  const { letters } = await db.ledger.deadLettersList({ withResolved: false }, {});
  const [alert] = await open();
  assert.equal([alert?.facts.letters, alert?.facts.oldest_id], [2, letters.at(-1)?.letterId]);
  assert.is((await db.ledger.alertsCheck(never)).raised, 0);
  for (const { letterId } of letters) {
    const resolution = { letterId, by: 'olga', reason: 'noise', requestId: `r-${letterId}` };
    await db.ledger.deadLetterDiscard(resolution);
  }
  assert.equal(await db.ledger.alertsCheck(never), { raised: 0, cleared: 1, open: {} });
  assert.is((await db.ledger.alertsList({ withCleared: true }, {})).alerts[0]?.cleared?.by, 'system');
});

test('holds that nobody closes are late from their threshold on, and until they are closed', async () => {
  const order = await db.order(claimOf('ann', (await db.sku()).skuId));
  await db.expire(order.orderId, 60);
  assert.is((await db.ledger.alertsCheck(never)).raised, 0);
  const late = { ...never, expiryLateMs: 50_000 };
  assert.equal(await db.ledger.alertsCheck(late), { raised: 1, cleared: 0, open: { EXPIRY_LATE: 1 } });
  const { facts } = only(await open());
  assert.ok(facts.holds === 1 && Number(facts.late_ms) >= 60_000);
  await db.ledger.ordersExpire(10);
  assert.equal(await db.ledger.alertsCheck(late), { raised: 0, cleared: 1, open: {} });
});

test('events that nobody publishes are late from their threshold on, and none where nobody is to publish', async () => {
  await db.order(claimOf('ann', (await db.sku()).skuId));
  assert.is((await db.ledger.alertsCheck(never)).raised, 0);
  await until(async () => (await db.ledger.alertsCheck({ ...never, outboxLateMs: 0 })).open.OUTBOX_LATE === 1);
  assert.is(only(await open()).facts.events, 1);
  const { expiryLateMs, flowing, settledMs } = never;
  assert.equal(await db.ledger.alertsCheck({ expiryLateMs, flowing, settledMs }), { raised: 0, cleared: 1, open: {} });
  await until(async () => (await db.ledger.alertsCheck(atOnce)).open.OUTBOX_LATE === 1);
  await db.ledger.outboxMarkPublished((await db.ledger.outboxTake(10)).map(({ id }) => id));
  assert.equal((await db.ledger.alertsCheck(atOnce)).open, {});
});

test('a consumer that flows again is cleared when nobody has seen it stalled for a while', async () => {
  for (const subject of ['shard-0', 'shard-1']) {
    await db.ledger.alertRaise({ kind: 'STALLED_CONSUMER', subject, facts: {}, command: 'holdfast status' });
  }
  const flowing = { ...never, flowing: ['shard-0'] };
  assert.is((await db.ledger.alertsCheck(flowing)).cleared, 0);
  await until(async () => (await db.ledger.alertsCheck({ ...flowing, settledMs: 0 })).cleared === 1);
  assert.equal(await subjects(), ['shard-1']);
});

test('the world is told of the raising first and then of the clearing, each until it is marked', async () => {
  await db.ledger.alertRaise(drift('a'));
  await db.ledger.alertClear('DRIFT', 'a', 'system', 'gone');
  const raised = only(await db.ledger.alertsUntold(10));
  assert.is(raised.news, 'RAISED');
  assert.equal(await db.ledger.alertsUntold(10), [raised]);
  await db.ledger.alertsMarkTold([raised]);
  const cleared = only(await db.ledger.alertsUntold(10));
  assert.equal([cleared.news, cleared.alert.cleared?.by], ['CLEARED', 'system']);
  // A relay that died after storing marks late: nothing goes back.
  await db.ledger.alertsMarkTold([raised, cleared]);
  await db.ledger.alertsMarkTold([raised]);
  assert.equal(await db.ledger.alertsUntold(10), []);
});

test.run();
