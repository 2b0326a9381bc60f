import { Fault } from '#libs/refusal/fault.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { holdfast, watching } from './command-line.js';
import { type FakeGateway, startFakeGateway } from './fake-gateway.js';
import { stockSwitch, wellMesh, withoutGate, withoutStream } from './samples.js';

const test = suite('holdfast status');
let gateway: FakeGateway;

test.before(async () => {
  gateway = await startFakeGateway();
});
test.before.each(() => {
  gateway.asked = [];
  gateway.script = { getMeshStatus: { instances: wellMesh, switches: [], openAlerts: {} } };
});
test.after(() => gateway.close());

const args = (...more: string[]) => ['--gateway', gateway.address, 'status', ...more];
const lastLine = (text: string) => text.trimEnd().split('\n').at(-1) ?? '';
const away = { service: 'scheduler', address: '127.0.0.1:7041', status: undefined, problem: 'no connection' };

test('a mesh in which all is well says so, process by process', async () => {
  const { code, out } = await holdfast(args());
  assert.is(code, 0);
  assert.match(out, /^gateway +gateway-1 +127\.0\.0\.1:7011 +up +- +- +- +- +- +- +0\.1\.0$/m);
  assert.match(
    out,
    /^inventory +inventory-1 +127\.0\.0\.1:7021 +up +redis, stream +closed +3, 12 ms +- +- +0, longest 12 ms/m,
  );
  assert.match(out, /^order +order-1 +127\.0\.0\.1:7031 +up +- +- +- +7 +2, 40 ms +0 /m);
  assert.match(out, /^switches: none is set$/m);
  assert.match(out, /^alerts: none is open$/m);
  assert.is(lastLine(out), 'all is well');
});

test('what is away is named last with the next command, and asking was still a success', async () => {
  gateway.script.getMeshStatus = {
    instances: [...wellMesh.slice(0, 1), withoutGate(), away],
    switches: [stockSwitch],
    openAlerts: { ALERT_KIND_DRIFT: 2, OUTBOX_LATE: 1, DEAD_LETTER: 0 },
  };
  const { code, out } = await holdfast(args());
  assert.is(code, 0);
  assert.match(out, /^scheduler +- +127\.0\.0\.1:7041 +away$/m);
  assert.match(out, /^inventory .* up, no redis +postgres, stream +gate open +\? /m);
  assert.match(out, /^alerts: DRIFT 2, OUTBOX_LATE 1$/m);
  assert.match(out, /every store +stock path +postgres/);
  assert.match(
    lastLine(out),
    /^scheduler at 127\.0\.0\.1:7041 is away \(no connection\).*; next: holdfast status --watch; 4 more to look at/,
  );
});

test('with --json there is what to look at, the most urgent first', async () => {
  gateway.script.getMeshStatus = { instances: wellMesh, switches: [stockSwitch], openAlerts: { DRIFT: 2 } };
  const shown = JSON.parse((await holdfast(args('--json'))).out);
  assert.is(shown.well, false);
  assert.equal(
    shown.concerns.map(({ command }: { command: string }) => command),
    ['holdfast alerts', 'holdfast switch get'],
  );
  assert.equal(shown.instances[1].status.stock.gate_breaker, 'closed');
  assert.equal(shown.instances[2].status.orders, {
    consumer_lag: 7,
    outbox_lag: 2,
    outbox_oldest_ms: 40,
    dead_letters: 0,
  });
});

test('where there is no NATS nobody misses it: neither lag nor outbox is told of, and all is well', async () => {
  gateway.script.getMeshStatus = { instances: [withoutStream()], switches: [], openAlerts: {} };
  const { out } = await holdfast(args());
  assert.is(lastLine(out), 'all is well');
  assert.match(out, /^order +order-1 +127\.0\.0\.1:7031 +up +- +- +- +- +- +0 /m);
});

test('--watch tells a change in a line, also that the gateway is lost and is back, and Ctrl-C ends it with 0', async () => {
  const watch = watching(args('--watch'));
  const told = (text: string) => until(() => watch.printed.out.includes(text), { describe: () => watch.printed.out });
  await told('alerts: none is open');
  gateway.script.getMeshStatus = { instances: [withoutGate()], switches: [], openAlerts: {} };
  await told('inventory 127.0.0.1:7021 breakers: closed -> gate open');
  await told('order 127.0.0.1:7031: up -> gone');
  gateway.script.getMeshStatus = new Fault('UNAVAILABLE', 'it starts again');
  await told('gateway: does not answer: it starts again');
  gateway.script.getMeshStatus = { instances: wellMesh, switches: [], openAlerts: {} };
  await told('breakers: gate open -> closed');
  const { code, out, err } = await watch.stop();
  assert.equal([code, err], [0, '']);
  const lines = out.trimEnd().split('\n');
  assert.ok(
    lines.every((line) => /^\d\d:\d\d:\d\dZ \S/.test(line)),
    out,
  );
  assert.is(lines.filter((line) => line.includes('alerts: none is open')).length, 1);
});

test('--watch --json prints a document for each change', async () => {
  const watch = watching(args('--watch', '--json'));
  await until(() => watch.printed.out.includes('\n') && gateway.asked.length > 3);
  gateway.script.getMeshStatus = { instances: wellMesh, switches: [], openAlerts: { DRIFT: 1 } };
  await until(() => watch.printed.out.includes('DRIFT'));
  const { out } = await watch.stop();
  const documents = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.equal(
    documents.map(({ open_alerts: open }) => open),
    [{}, { DRIFT: 1 }],
  );
});

test('on a terminal --watch draws over what stands there', async () => {
  const watch = watching(args('--watch'), { isTTY: true });
  await until(() => watch.printed.out.split('\u001b[H').length > 3);
  const { code, out } = await watch.stop();
  assert.is(code, 0);
  assert.is(out.split('\u001b[2J').length, 2);
  assert.match(out, 'Ctrl-C ends\u001b[K\n');
  assert.match(out, '\u001b[J\u001b[H');
});

test('what does not fit on the terminal is left out before the last line, which says what to look at', async () => {
  const watch = watching(args('--watch'), { isTTY: true, rows: 6 });
  await until(() => watch.printed.out.split('\u001b[H').length > 2);
  const frame = (await watch.stop()).out.split('\u001b[H')[1] ?? '';
  const lines = frame.split('\u001b[K\n').slice(0, -1);
  assert.is(lines.length, 5);
  assert.is(lines[3], '…');
  assert.match(lines[4] ?? '', /all is well/);
});

test('--watch of a gateway that does not answer at all fails as any command', async () => {
  const { code, err } = await holdfast(['--gateway', '127.0.0.1:1', 'status', '--watch']);
  assert.is(code, 3);
  assert.match(err, /no gateway answers at 127\.0\.0\.1:1/);
});

test.run();
