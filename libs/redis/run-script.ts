import { ReplyError } from 'ioredis';
import { Fault } from '#libs/refusal/fault.js';
import { tracing } from '#libs/tracing/tracing.js';
import type { RedisClient } from './redis-client.js';
import type { Script } from './script.js';

/** Bytes travel as text: a call with a Buffer in it is put together piece by piece, and costs its caller several times as much. */
export type ScriptArgument = string | number;

/**
 * Runs a script by its hash; a server that does not know it (restarted, flushed) gets its text once. All keys must
 * carry the same hash tag. Numbers are returned as numbers, strings as strings.
 *
 * Errors: Fault UNAVAILABLE when Redis is away, loading, demoted, full or silent: it may have run, so scripts are
 * idempotent. What the script itself raised stays as it is.
 */
export async function runScript(
  redis: RedisClient,
  script: Script,
  keys: readonly string[],
  args: readonly ScriptArgument[],
): Promise<unknown> {
  refuseMixedTags(script, keys);
  const stop = redis.seconds.startTimer({ script: script.name });
  const span = tracing?.asks('CLIENT', `EVALSHA ${script.name}`, {
    'db.system.name': 'redis',
    'db.operation.name': 'EVALSHA',
    'db.stored_procedure.name': script.name,
  });
  try {
    return await evaluate(redis, script, keys, args);
  } catch (error) {
    const fault = toFault(error);
    span?.fail(fault);
    throw fault;
  } finally {
    stop();
    span?.end();
  }
}

async function evaluate(
  redis: RedisClient,
  script: Script,
  keys: readonly string[],
  args: readonly ScriptArgument[],
): Promise<unknown> {
  const labels = { script: script.name };
  try {
    redis.calls.inc(labels);
    return await redis.evalsha(script.sha, keys.length, ...keys, ...args);
  } catch (error) {
    if (!isReply(error, 'NOSCRIPT')) throw error;
    redis.calls.inc(labels);
    return await redis.eval(script.text, keys.length, ...keys, ...args);
  }
}

/** Replies that speak of the server's state and not of the call. */
const UNAVAILABLE_REPLIES = [
  'LOADING',
  'READONLY',
  'MASTERDOWN',
  'CLUSTERDOWN',
  'NOREPLICAS',
  'TRYAGAIN',
  'BUSY',
  'OOM',
  'MISCONF',
];

function toFault(error: unknown): unknown {
  const fromScript = error instanceof ReplyError && !UNAVAILABLE_REPLIES.some((code) => isReply(error, code));
  return fromScript ? error : new Fault('UNAVAILABLE', 'redis cannot be reached', { cause: error });
}

function isReply(error: unknown, code: string): boolean {
  return error instanceof Error && error instanceof ReplyError && error.message.startsWith(`${code} `);
}

/** In a cluster such a call would fail, and only there: refused everywhere. */
function refuseMixedTags(script: Script, keys: readonly string[]): void {
  const [first] = keys;
  if (first === undefined) return;
  const tagged = /^[^{]*\{[^}]+\}/.exec(first)?.[0];
  if (tagged === undefined || keys.some((other) => !other.startsWith(tagged))) {
    throw new TypeError(`the keys of ${script.name} do not share one hash tag: ${keys.join(' ')}`);
  }
}
