import { AlertKind } from '#libs/contracts/gen/holdfast/control/v1/alert_service.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { holdfast, watching } from './command-line.js';
import { everyAnswer } from './commands.js';
import { type FakeGateway, startFakeGateway } from './fake-gateway.js';
import { alert } from './repair-samples.js';
import { longAgo } from './samples.js';

const test = suite('holdfast alerts');
let gateway: FakeGateway;

test.before(async () => {
  gateway = await startFakeGateway();
});
test.before.each(() => {
  gateway.asked = [];
  gateway.script = { ...everyAnswer };
});
test.after(() => gateway.close());

const args = (...more: string[]) => ['--gateway', gateway.address, 'alerts', ...more];

test('open alerts are shown with their figures and the command that looks closer', async () => {
  const { code, out } = await holdfast(args());
  assert.is(code, 0);
  assert.match(out, /12 +DRIFT +kiln-mug +held 12, of_orders 10 .* 3 +holdfast reconcile apply 17\n\n1 is open\n$/);
  assert.equal(
    gateway.requests('listAlerts').map(({ withCleared }) => withCleared),
    [false],
  );
});

test('--all asks also for those that were cleared, and tells by whom and why', async () => {
  const cleared = { ...alert, clearedAt: longAgo, clearedBy: 'bob', clearedReason: 'it was me' };
  gateway.script.listAlerts = { alerts: [cleared], nextPageToken: '' };
  const { out } = await holdfast(args('--all'));
  assert.match(out, /cleared by bob at 2026-03-02 09:00:00Z: it was me\n\nno alert is open\n$/);
  assert.is(gateway.requests('listAlerts')[0]?.withCleared, true);
});

test('--watch tells each alert in a line when it comes and when it goes', async () => {
  gateway.script.listAlerts = { alerts: [], nextPageToken: '' };
  const watch = watching(args('--watch'));
  const told = (text: string) => until(() => watch.printed.out.includes(text), { describe: () => watch.printed.out });
  await told('alerts: none is open');
  const open = { ...alert, kind: AlertKind.ALERT_KIND_OVERSOLD };
  gateway.script.listAlerts = { alerts: [open], nextPageToken: '' };
  await told('alert 12: OVERSOLD kiln-mug; held 12, of_orders 10; next: holdfast reconcile apply 17');
  gateway.script.listAlerts = { alerts: [], nextPageToken: '' };
  await told('alerts: 1 open -> none is open');
  const { code, out } = await watch.stop();
  assert.is(code, 0);
  assert.match(out, /alert 12: OVERSOLD .* -> gone\n/);
});

test('clear sends why', async () => {
  const { code, out } = await holdfast(args('clear', '12', '--reason', 'answered by mail'));
  assert.is(code, 0);
  assert.match(out, /cleared by anna/);
  const [{ requestId, ...sent } = { requestId: '' }] = gateway.requests('clearAlert');
  assert.equal(sent, { alertId: 12, reason: 'answered by mail' });
  assert.ok(requestId);
});

test.run();
