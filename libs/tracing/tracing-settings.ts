import type { EnvReader } from '#libs/runtime/config.js';

/** Where spans are sent, and how many traces begin here. */
export interface TracingConfig {
  readonly url: string;
  /** Of the requests that name no trace. */
  readonly share: number;
}

/** Undefined: no spans are made. */
export function declareTracing(read: EnvReader): TracingConfig | undefined {
  const protocols = ['http:', 'https:'];
  const endpoint = read.url('OTEL_EXPORTER_OTLP_ENDPOINT', { protocols, optional: true });
  const own = read.url('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', { protocols, optional: true });
  const share = read.share('OTEL_TRACES_SAMPLER_ARG', { default: 0.01 });
  const url = own ?? (endpoint && `${endpoint.replace(/\/$/, '')}/v1/traces`);
  return url === undefined ? undefined : { url, share };
}
