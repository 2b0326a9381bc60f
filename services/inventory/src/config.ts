import { type Env, type EnvReader, readEnv } from '#libs/runtime/config.js';
import { logLevels } from '#libs/runtime/logger.js';
import { declareTracing } from '#libs/tracing/tracing-settings.js';

export type InventoryConfig = ReturnType<typeof readConfig>;

export function readConfig(env: Env) {
  return readEnv(env, declareConfig);
}

/** Everything that can be set from outside. Why the figures are what they are is in settings.ts. */
export function declareConfig(read: EnvReader) {
  return {
    instance: read.string('INSTANCE', { default: `inventory-${process.pid}` }),
    grpcAddress: read.address('GRPC_ADDRESS', { default: '127.0.0.1:7012' }),
    tlsDir: read.string('TLS_DIR', { optional: true }),
    adminAddress: read.address('ADMIN_ADDRESS', { default: '127.0.0.1:9012' }),
    databaseUrl: read.url('DATABASE_URL', { protocols: ['postgres:', 'postgresql:'] }),
    redisUrl: read.url('REDIS_URL', { protocols: ['redis:', 'rediss:'], optional: true }),
    natsUrl: read.url('NATS_URL', { protocols: ['nats:', 'tls:'], optional: true }),
    shards: read.integer('SHARDS', { default: 4, min: 1, max: 1024 }),
    postgresConnections: read.integer('POSTGRES_CONNECTIONS', { default: 6, min: 2, max: 100 }),
    directTurns: read.integer('DIRECT_TURNS', { default: 2, min: 1, max: 16 }),
    redisTimeoutMs: read.integer('REDIS_TIMEOUT_MS', { default: 250, min: 10, max: 3000 }),
    breakerResetMs: read.integer('BREAKER_RESET_MS', { default: 2000, min: 100, max: 60_000 }),
    maxInFlight: read.integer('MAX_IN_FLIGHT', { default: 20_000, min: 1, max: 1_000_000 }),
    reflection: read.boolean('REFLECTION', { default: true }),
    logLevel: read.choice('LOG_LEVEL', logLevels, { default: 'info' }),
    tracing: declareTracing(read),
  };
}
