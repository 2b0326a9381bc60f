import { Redis } from 'ioredis';
import type { Counter, Histogram } from 'prom-client';
import type { Logger } from '#libs/runtime/logger.js';
import type { Metrics } from '#libs/runtime/metrics.js';

export interface RedisClientOptions {
  /** `redis://user:password@host:port/db`; `rediss:` for TLS. */
  readonly url: string;
  /** What `CLIENT LIST` shows. */
  readonly name: string;
  /** After this the caller gets an error; the command may still run: an unknown outcome. */
  readonly commandTimeoutMs?: number;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

const RECONNECT_MAX_MS = 1_000;

/** One connection to Redis, with the metrics of its calls. */
export class RedisClient extends Redis {
  readonly calls: Counter;
  readonly seconds: Histogram;

  constructor({ url, name, commandTimeoutMs = 1_000, logger, metrics }: RedisClientOptions) {
    super(url, {
      connectionName: name,
      commandTimeout: commandTimeoutMs,
      connectTimeout: 2 * commandTimeoutMs,
      // A peer that went silent: its commands have timed out one by one, now the connection goes, and what they hold.
      socketTimeout: 2 * commandTimeoutMs,
      // By default a command whose reply was lost is sent again, and a write happens twice.
      autoResendUnfulfilledCommands: false,
      // Without this, what was in flight when the connection broke is answered never.
      maxRetriesPerRequest: 0,
      // While Redis is away commands fail at once: they neither wait, nor run when nobody wants them any more.
      enableOfflineQueue: false,
      retryStrategy: (attempt) => Math.random() * Math.min(50 * 2 ** Math.min(attempt, 10), RECONNECT_MAX_MS),
      // A demoted primary answers READONLY for ever: look for the new one, but send nothing twice.
      reconnectOnError: (error) => (error.message.startsWith('READONLY') ? 1 : false),
    });
    this.calls = metrics.counter('redis_calls_total', 'Round trips to Redis', ['script']);
    this.seconds = metrics.histogram('redis_call_seconds', 'From sending a script to its reply', ['script']);
    this.#logConnection(logger);
  }

  /** One warning when Redis goes, however often it is tried for, and one line when it is back. */
  #logConnection(logger: Logger): void {
    let isAway = false;
    this.on('error', (error) => {
      logger[isAway ? 'debug' : 'warn']({ err: error }, 'redis cannot be reached');
      isAway = true;
    });
    this.on('ready', () => {
      logger.info('connected to redis');
      isAway = false;
    });
  }
}

/**
 * Begins to connect and reconnects for ever. Until it is connected, and whenever it is not, calls are rejected at once.
 * `disconnect()` ends it.
 */
export function createRedis(options: RedisClientOptions): RedisClient {
  return new RedisClient(options);
}
