import { type Env, readEnv } from '#libs/runtime/config.js';
import { logLevels } from '#libs/runtime/logger.js';

export type SandboxConfig = ReturnType<typeof readConfig>;

/** What the sandbox is told by whoever starts it. */
export function readConfig(env: Env) {
  return readEnv(env, (read) => ({
    logLevel: read.choice('LOG_LEVEL', logLevels, { default: 'info' }),
    httpAddress: read.address('HTTP_ADDRESS', { default: '127.0.0.1:8090' }),
    /** Where customers reach it; absent: where whoever opens a session does. */
    checkoutUrl: read.url('CHECKOUT_URL', { optional: true, protocols: ['http:', 'https:'] }),
    adminAddress: read.address('ADMIN_ADDRESS', { default: '127.0.0.1:9020' }),
    /** What callers show as a bearer token. */
    key: read.string('PAYMENT_PROVIDER_KEY'),
    /** Absent: nobody is told anything. */
    noticeUrl: read.url('PAYMENT_NOTICE_URL', { optional: true, protocols: ['http:', 'https:'] }),
    noticeSecret: read.string('PAYMENT_NOTICE_SECRET'),
    /** How long it thinks before it opens a session. */
    thinkMs: read.integer('THINK_MS', { default: 0, min: 0, max: 60_000 }),
  }));
}
