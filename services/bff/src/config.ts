import { isIP } from 'node:net';
import { declareIdentity } from '#libs/identity/identity-settings.js';
import { ConfigError, type Env, type EnvReader, readEnv } from '#libs/runtime/config.js';
import { logLevels } from '#libs/runtime/logger.js';
import { declareTracing } from '#libs/tracing/tracing-settings.js';
import { isWebhookSecret } from '#libs/webhook/signature.js';

/** The time limits of requests are not for anybody to set; tests have shorter ones. */
export type BffConfig = ReturnType<typeof readConfig> & { headersTimeoutMs?: number; requestTimeoutMs?: number };

export function readConfig(env: Env) {
  return readEnv(env, declareConfig);
}

/** Everything that can be set from outside. Why the figures are what they are is in settings.ts. */
export function declareConfig(read: EnvReader) {
  return {
    httpAddress: read.address('HTTP_ADDRESS', { default: '127.0.0.1:8080' }),
    adminAddress: read.address('ADMIN_ADDRESS', { default: '127.0.0.1:9010' }),
    tlsDir: read.string('TLS_DIR', { optional: true }),
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
    corsOrigins: originsOf(read.string('CORS_ORIGINS', { default: '' })),
    trustProxy: proxiesOf(read.string('TRUST_PROXY', { default: '' })),
    maxConnections: read.integer('MAX_CONNECTIONS', { default: 20_000, min: 1, max: 1_000_000 }),
    serviceTokenPath: read.string('SERVICE_TOKEN_PATH', { optional: true }),
    logLevel: read.choice('LOG_LEVEL', logLevels, { default: 'info' }),
    tracing: declareTracing(read),
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

/** Exact origins, as browsers write them. */
function originsOf(text: string): readonly string[] {
  const origins = listOf(text);
  const isOrigin = (origin: string): boolean =>
    !origin.includes('*') && URL.canParse(origin) && new URL(origin).origin === origin;
  if (origins.every(isOrigin)) return origins;
  throw new ConfigError(['CORS_ORIGINS: give scheme://host[:port] in lower case, with commas between']);
}

/** Addresses and networks, of which no text may mean more than it says. */
function proxiesOf(text: string): readonly string[] {
  const proxies = listOf(text);
  const isNetwork = (proxy: string): boolean => {
    const [address = '', bits, ...more] = proxy.split('/');
    const bitsMax = isIP(address) === 6 ? 128 : 32;
    const isWidth = bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= bitsMax);
    return isIP(address) !== 0 && isWidth && more.length === 0;
  };
  if (proxies.every(isNetwork)) return proxies;
  throw new ConfigError(['TRUST_PROXY: give addresses or networks such as 10.0.0.0/8, with commas between']);
}

function listOf(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
