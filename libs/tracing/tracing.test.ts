import * as api from '@opentelemetry/api';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { Lane } from '#libs/lane/lane.js';
import { Lifecycle } from '#libs/runtime/lifecycle.js';
import { createLogger } from '#libs/runtime/logger.js';
import { freePort } from '#libs/servers/free-port.js';
import { assert, suite } from '#libs/testing/suite.js';
import { openTracing } from './open-tracing.js';
import { readTraceparent, traceparentOf } from './traceparent.js';
import { Tracing, traceWith, tracing } from './tracing.js';

const test = suite('tracing');

const exporter = new InMemorySpanExporter();
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });

test.before.each(() => {
  exporter.reset();
  traceWith(new Tracing(api, provider.getTracer('test')));
});
test.after(() => traceWith(undefined));

/** A lane whose batches ask somebody else. */
function lane(): Lane<string, string> {
  return new Lane({
    name: 'test',
    run: async (batch) => {
      tracing?.asks('CLIENT', batch.join(), {})?.end();
      return batch;
    },
  });
}

test('a batch is a part of the first trace in it, linked with the others', async () => {
  const one = lane();
  const [first, second] = ['first', 'second'].map((name) => tracing?.arrived('SERVER', name, {}));
  await Promise.all([
    one.add('untraced'),
    first?.within(() => one.add('first')),
    second?.within(() => one.add('second')),
  ]);
  const [batch] = exporter.getFinishedSpans();
  assert.is(batch?.name, 'untraced,first,second');
  assert.is(batch?.attributes['holdfast.batch.items'], 3);
  assert.is(batch?.parentSpanContext?.spanId, readTraceparent(first?.traceparent)?.spanId);
  assert.equal(
    batch?.links.map(({ context }) => context.spanId),
    [readTraceparent(second?.traceparent)?.spanId],
  );
});

test('what no sampled work asks for has no span', async () => {
  const unsampled = tracing?.arrived('SERVER', 'unsampled', {}, `00-${'a'.repeat(32)}-${'b'.repeat(16)}-00`);
  await Promise.all([lane().add('nobody'), unsampled?.within(() => lane().add('unsampled'))]);
  unsampled?.end();
  assert.equal(exporter.getFinishedSpans(), []);
  assert.match(unsampled?.traceparent ?? '', /^00-a{32}-[0-9a-f]{16}-00$/);
});

test('what still happens in the name of work that is over is no part of it', async () => {
  const span = tracing?.arrived('SERVER', 'over', {});
  span?.within(() => {
    assert.is(tracing?.traceparent, span.traceparent);
    span.end();
    assert.is(tracing?.asks('CLIENT', 'late', {}), undefined);
    assert.is(tracing?.traceparent, undefined);
  });
});

test('a traceparent is read as W3C Trace Context says, and what is none begins a trace', () => {
  const text = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const context = readTraceparent(text);
  assert.is(context && traceparentOf(context), text);
  assert.is(readTraceparent(text.replace(/01$/, '02'))?.traceFlags, 0);
  const zeros = [text.replace(/-0af\w+/, `-${'0'.repeat(32)}`), text.replace(/-b7a\w+/, `-${'0'.repeat(16)}`)];
  for (const none of [undefined, '', 'x', `ff${text.slice(2)}`, text.toUpperCase(), ...zeros]) {
    assert.is(readTraceparent(none), undefined, none);
  }
});

test('a process closes well though nobody takes its spans', async () => {
  const life = new Lifecycle(createLogger('test', 'silent'));
  const nowhere = { url: `http://127.0.0.1:${await freePort()}/v1/traces`, share: 1 };
  await openTracing(nowhere, { service: 'test', instance: 'here' }, life);
  tracing?.arrived('SERVER', 'unheard', {}).end();
  assert.ok(await life.close());
});

test.run();
