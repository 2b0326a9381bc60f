import { type Env, type EnvReader, readEnv } from '#libs/runtime/config.js';
import { logLevels } from '#libs/runtime/logger.js';
import { declareTracing } from '#libs/tracing/tracing-settings.js';

export type OrderConfig = ReturnType<typeof readConfig>;

export function readConfig(env: Env) {
  return readEnv(env, declareConfig);
}

/** Everything that can be set from outside. Why the figures are what they are is in settings.ts. */
export function declareConfig(read: EnvReader) {
  return {
    instance: read.string('INSTANCE', { default: `order-${process.pid}` }),
    logLevel: read.choice('LOG_LEVEL', logLevels, { default: 'info' }),
    tracing: declareTracing(read),
    grpcAddress: read.address('GRPC_ADDRESS', { default: '127.0.0.1:7013' }),
    tlsDir: read.string('TLS_DIR', { optional: true }),
    adminAddress: read.address('ADMIN_ADDRESS', { default: '127.0.0.1:9013' }),

    databaseUrl: read.url('DATABASE_URL', { protocols: ['postgres:', 'postgresql:'] }),
    postgresConnections: read.integer('POSTGRES_CONNECTIONS', { default: 8, min: 2, max: 100 }),
    /** Absent: no claims are consumed and no events relayed; the RPCs serve. */
    natsUrl: read.url('NATS_URL', { optional: true, protocols: ['nats:', 'tls:'] }),
    shards: read.integer('SHARDS', { default: 4, min: 1, max: 1024 }),

    streamReplicas: read.integer('STREAM_REPLICAS', { default: 1, min: 1, max: 5 }),
    /** Of one shard's claims: as much as admission drains in about 4 s. Fuller than that, claims go to admission directly. */
    claimsMaxMessages: read.integer('CLAIMS_MAX_MESSAGES', { default: 10_000, min: 1 }),
    claimsMaxBytes: read.integer('CLAIMS_MAX_BYTES', { default: 16 * 1024 * 1024, min: 1024 * 1024 }),
    claimsPrefetch: read.integer('CLAIMS_PREFETCH', { default: 200, min: 1, max: 10_000 }),
    claimsMaxAckPending: read.integer('CLAIMS_MAX_ACK_PENDING', { default: 1_000, min: 1, max: 100_000 }),
    claimsAckWaitMs: read.integer('CLAIMS_ACK_WAIT_MS', { default: 3_000, min: 100, max: 60_000 }),
    /** Claims that this process takes in a second; 0: as many as it can. What is more waits in the stream. */
    consumePerSecond: read.integer('CONSUME_PER_SECOND', { default: 0, min: 0, max: 1_000_000 }),
    admissionTurns: read.integer('ADMISSION_TURNS', { default: 2, min: 1, max: 16 }),

    eventsMaxAgeHours: read.integer('EVENTS_MAX_AGE_HOURS', { default: 24, min: 1, max: 24 * 365 }),
    eventsMaxBytes: read.integer('EVENTS_MAX_BYTES', { default: 1024 * 1024 * 1024, min: 1024 * 1024 }),
    accessKeepDays: read.integer('ACCESS_KEEP_DAYS', { default: 14, min: 1, max: 3_650 }),
    maxWatchers: read.integer('MAX_WATCHERS', { default: 10_000, min: 0 }),
    /** Absent: orders are paid by whoever calls ConfirmPayment, and no refund is asked for. */
    paymentProviderUrl: read.url('PAYMENT_PROVIDER_URL', { optional: true, protocols: ['http:', 'https:'] }),
    paymentProvider: read.string('PAYMENT_PROVIDER', { default: 'sandbox' }),
    paymentProviderKey: read.string('PAYMENT_PROVIDER_KEY', { default: '' }),
    paymentDeadlineMs: read.integer('PAYMENT_DEADLINE_MS', { default: 4_000, min: 100, max: 60_000 }),
    reflection: read.boolean('REFLECTION', { default: true }),
    drainMs: read.integer('DRAIN_MS', { default: 5_000, min: 0, max: 60_000 }),
  };
}
