import { ConfigError, type Env, type EnvReader, readEnv } from '#libs/runtime/config.js';
import { logLevels } from '#libs/runtime/logger.js';
import { declareTracing } from '#libs/tracing/tracing-settings.js';

export type WebhookConfig = ReturnType<typeof readConfig>;

export function readConfig(env: Env) {
  const config = readEnv(env, declareConfig);
  const problem = whoTells(config);
  if (problem !== undefined) throw new ConfigError([problem]);
  return config;
}

/** Events are told by the relay of the order service, or by nobody; which of both somebody has to say. */
function whoTells({
  natsUrl,
  followOutbox,
}: {
  natsUrl: string | undefined;
  followOutbox: boolean;
}): string | undefined {
  if (natsUrl !== undefined && followOutbox) {
    return 'WEBHOOK_FOLLOW_OUTBOX is true and NATS_URL is set: where there is NATS the order service tells events, so take one away';
  }
  if (natsUrl === undefined && !followOutbox) {
    return 'NATS_URL is not set: give that of the order service, or WEBHOOK_FOLLOW_OUTBOX=true where the order service has none';
  }
  return undefined;
}

/** Everything that can be set from outside. Why the figures are what they are is in settings.ts. */
export function declareConfig(read: EnvReader) {
  return {
    instance: read.string('INSTANCE', { default: `webhook-${process.pid}` }),
    logLevel: read.choice('LOG_LEVEL', logLevels, { default: 'info' }),
    tracing: declareTracing(read),
    grpcAddress: read.address('GRPC_ADDRESS', { default: '127.0.0.1:7015' }),
    tlsDir: read.string('TLS_DIR', { optional: true }),
    adminAddress: read.address('ADMIN_ADDRESS', { default: '127.0.0.1:9015' }),

    databaseUrl: read.url('DATABASE_URL', { protocols: ['postgres:', 'postgresql:'] }),
    natsUrl: read.url('NATS_URL', { protocols: ['nats:', 'tls:'], optional: true }),
    followOutbox: read.boolean('WEBHOOK_FOLLOW_OUTBOX', { default: false }),
    allowPrivate: read.boolean('WEBHOOK_ALLOW_PRIVATE', { default: false }),
    maxInFlight: read.integer('WEBHOOK_MAX_IN_FLIGHT', { default: 64, min: 2, max: 1_000 }),
    timeoutMs: read.integer('WEBHOOK_TIMEOUT_MS', { default: 15_000, min: 100, max: 30_000 }),
    disableAfterHours: read.integer('WEBHOOK_DISABLE_AFTER_HOURS', { default: 120, min: 1, max: 8_760 }),
    secretOverlapHours: read.integer('WEBHOOK_SECRET_OVERLAP_HOURS', { default: 24, min: 1, max: 720 }),
    keepDays: read.integer('WEBHOOK_KEEP_DAYS', { default: 30, min: 1, max: 3_650 }),
    reflection: read.boolean('REFLECTION', { default: true }),
    drainMs: read.integer('DRAIN_MS', { default: 5_000, min: 0, max: 60_000 }),
  };
}
