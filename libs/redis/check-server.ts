import { isOlder, minimumServerVersions } from '#libs/runtime/versions.js';
import { key } from './keys.js';
import type { RedisClient } from './redis-client.js';
import { runScript } from './run-script.js';
import { luaScript } from './script.js';

const healthCheck = luaScript(new URL('./lua/health_check.lua', import.meta.url));

/**
 * Refuses, with an Error that says what to change, a server that may throw keys away to make room, and one that is too
 * old. Rejects as any command does while Redis is away.
 */
export async function checkServer(redis: RedisClient): Promise<void> {
  const info = await redis.info();
  const version = field(info, 'redis_version');
  if (isOlder(version, minimumServerVersions.redis)) {
    throw new Error(`Redis ${version} is too old: at least ${minimumServerVersions.redis} is needed`);
  }
  const policy = field(info, 'maxmemory_policy');
  if (policy !== 'noeviction') {
    throw new Error(`Redis evicts keys when it is full (maxmemory-policy ${policy}): set maxmemory-policy noeviction`);
  }
}

/** True when a script that writes runs now: a PING is answered by servers that can do no work. */
export async function isHealthy(redis: RedisClient): Promise<boolean> {
  try {
    await runScript(redis, healthCheck, [key(0, 'health')], []);
    return true;
  } catch {
    return false;
  }
}

function field(info: string, name: string): string {
  return new RegExp(`^${name}:(.*?)\r?$`, 'm').exec(info)?.[1] ?? 'unknown';
}
