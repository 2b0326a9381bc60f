import { type Env, readEnv } from '#libs/runtime/config.js';
import { logLevels } from '#libs/runtime/logger.js';

export type SchedulerConfig = ReturnType<typeof readConfig>;

/** Everything that can be set from outside, with its defaults. */
export function readConfig(env: Env) {
  return readEnv(env, (read) => ({
    instance: read.string('INSTANCE', { default: `scheduler-${process.pid}` }),
    logLevel: read.choice('LOG_LEVEL', logLevels, { default: 'info' }),
    grpcAddress: read.address('GRPC_ADDRESS', { default: '127.0.0.1:7014' }),
    adminAddress: read.address('ADMIN_ADDRESS', { default: '127.0.0.1:9014' }),

    databaseUrl: read.url('DATABASE_URL', { protocols: ['postgres:', 'postgresql:'] }),
    orderTarget: read.target('ORDER_TARGET'),
    inventoryTarget: read.target('INVENTORY_TARGET'),
    reflection: read.boolean('REFLECTION', { default: true }),
    drainMs: read.integer('DRAIN_MS', { default: 5_000, min: 0, max: 60_000 }),
  }));
}
