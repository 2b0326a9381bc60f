import type { SettingNotes } from '#libs/runtime/setting-notes.js';

/** Of variables that mean the same wherever they are read. A service's own note comes first. */
export const everyServiceNotes: SettingNotes = {
  INSTANCE: {
    default: 'SERVICE-PROCESS',
    why: 'Names the process in logs, in `pg_stat_activity`, to Redis and to NATS.',
  },
  ADMIN_ADDRESS: { why: 'Where `/livez`, `/readyz`, `/metrics` and `/stats` are. Not for the public.' },
  LOG_LEVEL: {
    why: '`info` tells of starts, ends and what is wrong, and nothing of single requests; `debug` tells of those.',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    why: 'A collector of traces, by OTLP over HTTP: spans are sent to its `/v1/traces`. Without this and the next one no spans are made, and nothing of them is loaded. [tracing.md](tracing.md) says what is traced.',
  },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: { why: 'The whole URL in its place, where it does not end so.' },
  OTEL_TRACES_SAMPLER_ARG: {
    why: 'The share of the requests that name no trace, of which spans are made; whoever names one has decided already. One in a hundred shows where time goes. With 1 every request is traced, which costs the path a good part of what it does.',
  },
  TLS_DIR: {
    why: 'A folder with `ca.pem`, `cert.pem` and `key.pem`. With it the service shows this certificate to whoever it calls and whoever calls it, and demands one of the same authority from them: `spiffe://holdfast/` and the name of the service must be among its URIs. The files are looked at each second, and new ones hold for new connections. Without it nothing is encrypted, and whoever reaches the port may call: for one machine only.',
  },
  REFLECTION: { why: 'Whether tools like `grpcurl` may ask which methods there are.' },
  DATABASE_URL: {
    why: 'The ledger. Its user has to be the owner of the tables or a member of `holdfast_runtime`, which may read everything and change nothing but by the functions.',
  },
  DRAIN_MS: {
    unit: 'ms',
    why: 'How long calls in flight may take when the process ends. A statement of the ledger ends after 2.5 s, so nothing needs longer; all of the closing has 10 s.',
    smaller: 'Calls are cut whose outcome their callers then do not know. They ask again, with the same ids.',
    larger: 'A rolling restart waits for callers that have gone.',
  },
};
