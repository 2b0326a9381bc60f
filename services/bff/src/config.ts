import { declareIdentity } from '#libs/identity/identity-settings.js';
import { ConfigError, type Env, type EnvReader, readEnv } from '#libs/runtime/config.js';
import { logLevels } from '#libs/runtime/logger.js';
import { isWebhookSecret } from '#libs/webhook/signature.js';

export type BffConfig = ReturnType<typeof readConfig>;

export function readConfig(env: Env) {
  return readEnv(env, declareConfig);
}

/** Everything that can be set from outside. Why the figures are what they are is in settings.ts. */
export function declareConfig(read: EnvReader) {
  return {
    httpAddress: read.address('HTTP_ADDRESS', { default: '127.0.0.1:8080' }),
    adminAddress: read.address('ADMIN_ADDRESS', { default: '127.0.0.1:9010' }),
    gatewayTarget: read.target('GATEWAY_TARGET'),
    deadlineMs: read.integer('DEADLINE_MS', { default: 10_000, min: 100, max: 60_000 }),
    maxInFlight: read.integer('MAX_IN_FLIGHT', { default: 20_000, min: 1, max: 1_000_000 }),
    streamsMax: read.integer('STREAMS_MAX', { default: 10_000, min: 0, max: 1_000_000 }),
    streamsPerUser: read.integer('STREAMS_PER_USER', { default: 20, min: 1, max: 10_000 }),
    streamsPerAddress: read.integer('STREAMS_PER_ADDRESS', { default: 1_000, min: 1, max: 1_000_000 }),
    streamHeartbeatMs: read.integer('STREAM_HEARTBEAT_MS', { default: 15_000, min: 1_000, max: 300_000 }),
    streamLifetimeMs: read.integer('STREAM_LIFETIME_MS', { default: 600_000, min: 5_000, max: 3_600_000 }),
    paymentNoticeSecrets: noticeSecretsOf(read.string('PAYMENT_NOTICE_SECRETS', { default: '' })),
    identity: declareIdentity(read),
    serviceTokenPath: read.string('SERVICE_TOKEN_PATH', { optional: true }),
    logLevel: read.choice('LOG_LEVEL', logLevels, { default: 'info' }),
  };
}

/** `provider=secret,…`: all secrets of a provider are believed. */
function noticeSecretsOf(text: string): ReadonlyMap<string, readonly string[]> {
  const secrets = new Map<string, string[]>();
  for (const pair of text.split(',').filter((one) => one !== '')) {
    const [, provider = '', secret = ''] = /^([^=]+)=(whsec_.+)$/.exec(pair) ?? [];
    if (!isWebhookSecret(secret)) {
      const allowed = 'provider=whsec_ and at least 24 bytes in base64, with commas between pairs';
      throw new ConfigError([`PAYMENT_NOTICE_SECRETS: give ${allowed}`]);
    }
    secrets.set(provider, [...(secrets.get(provider) ?? []), secret]);
  }
  return secrets;
}
