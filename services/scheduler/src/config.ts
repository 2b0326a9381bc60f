import { type Env, type EnvReader, readEnv } from '#libs/runtime/config.js';
import { logLevels } from '#libs/runtime/logger.js';
import { declareTracing } from '#libs/tracing/tracing-settings.js';

export type SchedulerConfig = ReturnType<typeof readConfig>;

export function readConfig(env: Env) {
  return readEnv(env, declareConfig);
}

/** Everything that can be set from outside. Why the figures are what they are is in settings.ts. */
export function declareConfig(read: EnvReader) {
  return {
    instance: read.string('INSTANCE', { default: `scheduler-${process.pid}` }),
    logLevel: read.choice('LOG_LEVEL', logLevels, { default: 'info' }),
    tracing: declareTracing(read),
    grpcAddress: read.address('GRPC_ADDRESS', { default: '127.0.0.1:7014' }),
    tlsDir: read.string('TLS_DIR', { optional: true }),
    adminAddress: read.address('ADMIN_ADDRESS', { default: '127.0.0.1:9014' }),

    databaseUrl: read.url('DATABASE_URL', { protocols: ['postgres:', 'postgresql:'] }),
    orderTarget: read.target('ORDER_TARGET'),
    inventoryTarget: read.target('INVENTORY_TARGET'),
    reflection: read.boolean('REFLECTION', { default: true }),
    drainMs: read.integer('DRAIN_MS', { default: 5_000, min: 0, max: 60_000 }),
  };
}
