import { hostname } from 'node:os';
import { declareIdentity } from '#libs/identity/identity-settings.js';
import { type Env, type EnvReader, readEnv } from '#libs/runtime/config.js';
import { logLevels } from '#libs/runtime/logger.js';
import { declareTracing } from '#libs/tracing/tracing-settings.js';

export type GatewayConfig = ReturnType<typeof readConfig>;

const rate = { min: 1, max: 1_000_000 };

export function readConfig(env: Env) {
  return readEnv(env, declareConfig);
}

/** Everything that can be set from outside. Why the figures are what they are is in settings.ts. */
export function declareConfig(read: EnvReader) {
  return {
    // In containers every process has the same number.
    instance: read.string('INSTANCE', { default: `gateway-${hostname()}-${process.pid}` }),
    grpcAddress: read.address('GRPC_ADDRESS', { default: '127.0.0.1:7011' }),
    tlsDir: read.string('TLS_DIR', { optional: true }),
    publicGrpcAddress: read.address('PUBLIC_GRPC_ADDRESS', { optional: true }),
    publicTlsDir: read.string('PUBLIC_TLS_DIR', { optional: true }),
    /** Whose certificates may act for users without a token. */
    serviceCertificates: read.string('SERVICE_CERTIFICATES', { default: 'bff' }).split(','),
    adminAddress: read.address('ADMIN_ADDRESS', { default: '127.0.0.1:9011' }),
    inventoryTarget: read.target('INVENTORY_TARGET'),
    orderTarget: read.target('ORDER_TARGET'),
    schedulerTarget: read.target('SCHEDULER_TARGET', { optional: true }),
    webhookTarget: read.target('WEBHOOK_TARGET', { optional: true }),
    redisUrl: read.url('REDIS_URL', { protocols: ['redis:', 'rediss:'], optional: true }),
    redisTimeoutMs: read.integer('REDIS_TIMEOUT_MS', { default: 80, min: 10, max: 3_000 }),
    shards: read.integer('SHARDS', { default: 4, min: 1, max: 1024 }),
    marksKeepHours: read.integer('MARKS_KEEP_HOURS', { default: 24, min: 1, max: 168 }),
    ratePerSecond: read.integer('RATE_PER_SECOND', { default: 50, ...rate }),
    rateBurst: read.integer('RATE_BURST', { default: 50, ...rate }),
    userRatePerSecond: read.integer('USER_RATE_PER_SECOND', { default: 20, ...rate }),
    userRateBurst: read.integer('USER_RATE_BURST', { default: 40, ...rate }),
    callerRatePerSecond: read.integer('CALLER_RATE_PER_SECOND', { default: 20_000, ...rate }),
    callerRateBurst: read.integer('CALLER_RATE_BURST', { default: 20_000, ...rate }),
    rateLimits: read.boolean('RATE_LIMITS', { default: true }),
    maxInFlight: read.integer('MAX_IN_FLIGHT', { default: 2_000, min: 1, max: 1_000_000 }),
    shedAfterMs: read.integer('SHED_AFTER_MS', { default: 100, min: 1, max: 60_000 }),
    accessBuffer: read.integer('ACCESS_BUFFER', { default: 10_000, min: 0, max: 1_000_000 }),
    accessSampledPerSecond: read.integer('ACCESS_SAMPLED_PER_SECOND', { default: 100, min: 0, max: 3_000 }),
    requestIdSecrets: secretsOf(read.string('REQUEST_ID_SECRETS', { default: '' })),
    identity: declareIdentity(read),
    reflection: read.boolean('REFLECTION', { default: true }),
    logLevel: read.choice('LOG_LEVEL', logLevels, { default: 'info' }),
    tracing: declareTracing(read),
  };
}

/** The first signs, all verify. */
function secretsOf(text: string): string[] {
  return text.split(',').filter((secret) => secret !== '');
}
