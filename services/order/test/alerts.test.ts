import { AlertKind } from '#libs/contracts/gen/holdfast/control/v1/alert_service.js';
import { AlertChanged } from '#libs/contracts/gen/holdfast/event/v1/alert_event.js';
import { shardOfStore } from '#libs/contracts/order-id.js';
import { alertEventSubject, claimsStream, claimsSubject, orderEventsStream } from '#libs/contracts/subjects.js';
import { alertKinds } from '#libs/ledger/alerts.js';
import { claimOf } from '#libs/ledger/test-ledger.js';
import { Fault } from '#libs/refusal/fault.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { type Desk, deskAt } from './desk.js';
import { type RunningOrder, Stage, shards } from './test-stage.js';

const test = suite('alerts of the order service');
const shard = shardOfStore('store-1', shards);
let stage: Stage;
let order: RunningOrder;
let desk: Desk;

test.before.each(async () => {
  stage = await Stage.open();
  order = await stage.start();
  desk = deskAt(order.grpcAddress);
});
test.after.each(async () => {
  desk.close();
  await stage.close();
});

const listed = async (withCleared = false) =>
  (await desk.alerts.listAlerts({ withCleared, pageSize: 0, pageToken: '' })).alerts;
const unreadable = () => stage.store(claimsSubject(shard), new Uint8Array([255, 255, 255]));

/** Events of alerts in the stream, in its order. */
async function toldOfAlerts(): Promise<{ subject: string; id: string; event: AlertChanged }[]> {
  const info = await stage.streams.streams.info(orderEventsStream).catch(() => undefined);
  const told: { subject: string; id: string; event: AlertChanged }[] = [];
  for (let seq = 1; seq <= (info?.state.last_seq ?? 0); seq += 1) {
    const { data, subject, header } = await stage.streams.streams.getMessage(orderEventsStream, { seq });
    if (subject.startsWith('alert.')) {
      told.push({ subject, id: header.get('Nats-Msg-Id'), event: AlertChanged.decode(data) });
    }
  }
  return told;
}

test('D04: a poison message ends as a letter, an alert, a gauge and an event, though nobody listened', async () => {
  await unreadable();
  await stage.drained();
  const { raised, open } = await desk.alerts.checkAlerts({});
  assert.equal([raised, { ...open }], [1, { DEAD_LETTER: 1 }]);
  const [alert] = await listed();
  assert.is(alert?.kind, AlertKind.ALERT_KIND_DEAD_LETTER);
  assert.is(JSON.parse(alert?.facts ?? '').letters, 1);
  assert.is(alert?.command, 'holdfast dead-letters list');
  assert.is(await order.metric('alerts_open'), 1);
  const [told] = await until(async () => {
    const found = await toldOfAlerts();
    return found.length > 0 ? found : undefined;
  });
  assert.equal([told?.subject, told?.id], [alertEventSubject('RAISED'), `alert-${alert?.alertId}-raised`]);
  assert.is(told?.event.alert?.kind, AlertKind.ALERT_KIND_DEAD_LETTER);
});

test('the gauge has every kind, also those without an alert', async () => {
  await stage.ledger.ledger.alertRaise({ kind: 'DRIFT', subject: 's', facts: {}, command: 'c' });
  const text = await (await fetch(`${order.adminUrl}/metrics`)).text();
  const figures = [...text.matchAll(/^holdfast_alerts_open\{kind="(\w+)"\} (\d+)$/gm)].map(([, ...pair]) => pair);
  assert.equal(
    figures,
    alertKinds.map((kind) => [kind, kind === 'DRIFT' ? '1' : '0']),
  );
});

test('an operator clears an alert with a reason, which is told after its raising', async () => {
  await stage.ledger.ledger.alertRaise({ kind: 'DRIFT', subject: 'sku-1', facts: {}, command: 'holdfast prove sku-1' });
  const alertId = (await listed())[0]?.alertId ?? 0;
  const request = { alertId, reason: 'counted by hand', requestId: 'r-1' };
  const { alert } = await desk.alerts.clearAlert(request, desk.olga);
  assert.equal([alert?.clearedBy, alert?.clearedReason], ['olga', 'counted by hand']);
  assert.equal((await desk.alerts.clearAlert(request, desk.olga)).alert, alert);
  assert.equal([(await listed()).length, (await listed(true)).length], [0, 1]);
  await until(async () => (await toldOfAlerts()).length === 2);
  const told = await toldOfAlerts();
  assert.equal(
    told.map(({ subject }) => subject),
    [alertEventSubject('RAISED'), alertEventSubject('CLEARED')],
  );
  assert.equal([told[0]?.event.alert?.clearedAt, told[1]?.event.alert?.clearedBy], [undefined, 'olga']);
});

test('what clears nothing says everything that is wrong with it', async () => {
  const bad = await rejectionOf(desk.alerts.clearAlert({ alertId: 0, reason: '', requestId: '' }, desk.olga), Fault);
  assert.equal(
    bad.violations.map(({ field }) => field),
    ['alert_id', 'reason', 'request_id'],
  );
  const request = { alertId: 7, reason: 'r', requestId: 'r' };
  assert.is((await rejectionOf(desk.alerts.clearAlert(request, desk.olga), Fault)).reason, 'ALERT_NOT_FOUND');
  assert.is((await rejectionOf(desk.alerts.clearAlert(request), Fault)).reason, 'TOKEN_MISSING');
  const page = { withCleared: false, pageSize: -1, pageToken: '' };
  assert.is((await rejectionOf(desk.alerts.listAlerts(page), Fault)).reason, 'INVALID_REQUEST');
});

test('D13: a durable that is deleted under load is made again, everything is processed, and an alert raised', async () => {
  const { skuId } = await stage.ledger.sku({ capacity: 60 });
  const placed = Array.from({ length: 60 }, (_, n) => claimOf(`user-${n}`, skuId));
  for (const [n, claim] of placed.entries()) {
    await stage.place(claim);
    if (n === 30) await stage.streams.consumers.delete(claimsStream(shard), `order_${shard}`);
  }
  await stage.drained(20_000);
  for (const { orderId } of placed) assert.equal(await stage.movements(orderId), ['ADMIT']);
  await until(async () => (await listed(true)).length > 0, { timeoutMs: 20_000 });
  const [alert] = await listed(true);
  assert.equal([alert?.kind, alert?.subject], [AlertKind.ALERT_KIND_STALLED_CONSUMER, `shard-${shard}`]);
});

test('without NATS no event is late, since nobody is to publish it', async () => {
  const alone = await stage.start({ natsUrl: undefined });
  await order.stop();
  await stage.ledger.order(claimOf('ann', (await stage.ledger.sku()).skuId));
  await stage.ledger.sql(`UPDATE ledger.outbox SET at = at - interval '1 minute', published_at = NULL`);
  const other = deskAt(alone.grpcAddress);
  assert.equal({ ...(await other.alerts.checkAlerts({})).open }, {});
  other.close();
});

test.run();
