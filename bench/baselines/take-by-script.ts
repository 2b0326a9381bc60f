import type { Redis } from 'ioredis';
import { luaScript } from '#libs/redis/script.js';

const unitsTake = luaScript(new URL('./lua/units_take.lua', import.meta.url));

/** Resolves when the server knows the script. */
export async function loadTakeScript(redis: Redis): Promise<void> {
  await redis.script('LOAD', unitsTake.text);
}

/** Units in Redis as one would take them first: one script for each order. False when too few are free. */
export async function takeByScript(
  redis: Redis,
  skuId: string,
  { orderId, quantity }: { orderId: string; quantity: number },
): Promise<boolean> {
  const keys = [`sku:{${skuId}}`, `orders:{${skuId}}`];
  return (await redis.evalsha(unitsTake.sha, keys.length, ...keys, orderId, quantity)) === 1;
}
