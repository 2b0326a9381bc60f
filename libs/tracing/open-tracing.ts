import type { SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { Lifecycle } from '#libs/runtime/lifecycle.js';
import { Trouble } from '#libs/runtime/trouble.js';
import { version } from '#libs/runtime/version.js';
import { Tracing, traceWith } from './tracing.js';
import type { TracingConfig } from './tracing-settings.js';

/** Spans that may wait to be sent; more are dropped. */
const waitingMax = 4_096;
const exportTimeoutMs = 3_000;

/** Whose spans they are. */
export interface TracedProcess {
  readonly service: string;
  readonly instance: string;
}

/** Begins to make spans and to send them, until `life` closes. The SDK is loaded here and nowhere else. */
export async function openTracing({ url, share }: TracingConfig, process: TracedProcess, life: Lifecycle) {
  const [api, sdk, { resourceFromAttributes }, { OTLPTraceExporter }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace-base'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/exporter-trace-otlp-http'),
  ]);
  const { BasicTracerProvider, BatchSpanProcessor, ParentBasedSampler, TraceIdRatioBasedSampler } = sdk;
  const exporter = logged(new OTLPTraceExporter({ url, timeoutMillis: exportTimeoutMs }), life);
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({
      'service.name': `holdfast-${process.service}`,
      'service.instance.id': process.instance,
      'service.version': version,
    }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(share) }),
    spanProcessors: [
      new BatchSpanProcessor(exporter, { maxQueueSize: waitingMax, exportTimeoutMillis: exportTimeoutMs }),
    ],
  });
  traceWith(new Tracing(api, provider.getTracer('holdfast', version)));
  life.closer('traces', async () => {
    traceWith(undefined);
    // Nobody's closing fails for want of a collector.
    await provider.shutdown().catch((error) => life.logger.warn({ err: error }, 'the last spans could not be sent'));
  });
}

/** Says when spans cannot be sent. Nothing else depends on it. */
function logged(exporter: SpanExporter, { logger }: Lifecycle): SpanExporter {
  const trouble = new Trouble({ logger, wrong: 'spans could not be sent', well: 'spans are sent again' });
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        if (result.code === 0) trouble.well();
        else trouble.wrong({ err: result.error, spans: spans.length });
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
}
