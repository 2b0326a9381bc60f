import { checkServer } from './check-server.js';
import { createRedis, type RedisClient, type RedisClientOptions } from './redis-client.js';

const WAIT_MS = 2000;

/**
 * Connects to Redis and refuses one that evicts keys or is too old. One that is away is waited for two seconds; then
 * the service starts without it, and looks at it when it comes. An unfit one that comes late is left for good.
 */
export async function openRedis(options: RedisClientOptions): Promise<RedisClient> {
  const redis = createRedis(options);
  const checked = new Promise<void>((resolve) => redis.once('ready', resolve)).then(() => checkServer(redis));
  checked.catch((error: unknown) => {
    options.logger.fatal({ err: error }, 'this redis is not used');
    redis.disconnect();
  });
  let timer: NodeJS.Timeout | undefined;
  const waited = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, WAIT_MS);
  });
  await Promise.race([checked, waited]).finally(() => clearTimeout(timer));
  return redis;
}
