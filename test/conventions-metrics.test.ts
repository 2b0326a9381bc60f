import { assert, suite } from '#libs/testing/suite.js';
import { bearerOf } from '#libs/testing/test-issuer.js';
import { onSale, somebody } from './on-sale.js';
import { press, pressHttp } from './press.js';
import { startTestMesh, type TestMesh } from './test-mesh.js';

const test = suite('conventions: metrics');

/** One metric as Prometheus is told of it. */
interface Metric {
  process: string;
  name: string;
  type: string;
  help: string;
  labels: { name: string; value: string }[];
}

let mesh: TestMesh;
/** Of every process, after traffic of all kinds. */
let metrics: Metric[];
let ours: Metric[];
/** What names somebody, an order or a request of that traffic. */
let names: string[];

test.before(async () => {
  mesh = await startTestMesh({ scheduler: true, webhook: true, sandbox: true });
  const sku = await onSale(mesh, { perSecond: 1, burst: 2 }, { capacity: 1, onSoldOut: 'JOIN_WAITLIST' });
  const people = Array.from({ length: 6 }, (_, index) => ({ ...somebody(sku), key: `request-${index}-of-metrics` }));
  const answers = await Promise.all(people.map((one) => pressHttp(mesh.http, one)));
  for (const one of people) await press(mesh.gateway, one);
  const orderIds = answers.map(({ body }) => String(body.order_id ?? body.entry_id)).filter((id) => id !== 'undefined');
  for (const id of orderIds) {
    await fetch(`${mesh.http}/v1/orders/${id}`, { headers: { authorization: bearerOf(people[0]?.user ?? '') } });
  }
  names = [...people.flatMap(({ user, key }) => [user, key]), ...orderIds];
  metrics = (await Promise.all(mesh.processes.map(metricsOf))).flat();
  ours = metrics.filter(({ name }) => !/^(process|nodejs)_/.test(name));
});
test.after(() => mesh.close());

async function metricsOf({ service, adminAddress }: TestMesh['processes'][number]): Promise<Metric[]> {
  const text = await (await fetch(`http://${adminAddress}/metrics`)).text();
  return text.split('\n\n').flatMap((block) => {
    const [, name = '', help = ''] = /^# HELP (\S+) (.*)$/m.exec(block) ?? [];
    const [, type = ''] = /^# TYPE \S+ (\S+)$/m.exec(block) ?? [];
    const labels = [...block.matchAll(/(\w+)="([^"]*)"/g)].map(([, label = '', value = '']) => ({
      name: label,
      value,
    }));
    return name === '' ? [] : [{ process: service, name, type, help, labels }];
  });
}

test('every process is scraped, and all that is ours begins with holdfast_ and says what it is', () => {
  for (const { service } of mesh.processes) {
    assert.ok(
      metrics.some(({ process }) => process === service),
      service,
    );
  }
  assert.ok(ours.length > 50, `${ours.length}`);
  for (const { process, name, help } of ours) {
    assert.match(name, /^holdfast_[a-z][a-z0-9_]*$/, process);
    assert.ok(help !== '', name);
  }
});

test('counters end in _total, and nothing else does', () => {
  for (const { name, type } of ours) assert.is(name.endsWith('_total'), type === 'counter', name);
});

test('times are in seconds and sizes in bytes', () => {
  for (const { name, type } of ours) {
    const scaled =
      /_(ms|millis|milliseconds|us|micros|nanos|minutes|hours|days|kb|mb|kilobytes|megabytes|percent)(_|$)/;
    assert.not.match(name, scaled);
    const isMeasure = type === 'histogram' && /duration|age|wait|lag|latency|time/.test(name);
    if (isMeasure) assert.match(name, /_seconds$/);
  }
});

test('no label names a user, an order or a request, whatever was asked', () => {
  for (const { process, name, labels } of metrics) {
    for (const label of labels) {
      assert.not.match(label.name, /user|order_id|request|attendee|entry|token|trace/, `${process} ${name}`);
      const isNamed = names.some((one) => label.value.includes(one));
      assert.not(isNamed || /[0-9a-f]{8}-[0-9a-f]{4}-/.test(label.value), `${process} ${name} ${label.value}`);
    }
  }
});

test.run();
