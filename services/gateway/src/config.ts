import { type Env, readEnv } from '#libs/runtime/config.js';
import { logLevels } from '#libs/runtime/logger.js';

export type GatewayConfig = ReturnType<typeof readConfig>;

export function readConfig(env: Env) {
  return readEnv(env, (read) => ({
    grpcAddress: read.address('GRPC_ADDRESS', { default: '127.0.0.1:7011' }),
    adminAddress: read.address('ADMIN_ADDRESS', { default: '127.0.0.1:9011' }),
    inventoryTarget: read.target('INVENTORY_TARGET'),
    orderTarget: read.target('ORDER_TARGET'),
    maxInFlight: read.integer('MAX_IN_FLIGHT', { default: 20_000, min: 1, max: 1_000_000 }),
    reflection: read.boolean('REFLECTION', { default: true }),
    logLevel: read.choice('LOG_LEVEL', logLevels, { default: 'info' }),
  }));
}
