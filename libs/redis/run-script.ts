import { ReplyError } from 'ioredis';
import { Fault } from '#libs/refusal/fault.js';
import type { RedisClient } from './redis-client.js';
import type { Script } from './script.js';

export type ScriptArgument = string | number | Buffer;

/** What the strings of a reply are given as. */
type Reply = 'text' | 'bytes';

/**
 * Runs a script by its hash; a server that does not know it (restarted, flushed) gets its text once. All keys must
 * carry the same hash tag. Numbers are returned as numbers, strings as strings.
 *
 * Errors: Fault UNAVAILABLE when Redis is away, loading, demoted, full or silent: it may have run, so scripts are
 * idempotent. What the script itself raised stays as it is.
 */
export function runScript(
  redis: RedisClient,
  script: Script,
  keys: readonly string[],
  args: readonly ScriptArgument[],
): Promise<unknown> {
  return run(redis, script, keys, args, 'text');
}

/** The same for a script that answers bytes: every string of the reply is a Buffer. */
export function runScriptForBytes(
  redis: RedisClient,
  script: Script,
  keys: readonly string[],
  args: readonly ScriptArgument[],
): Promise<unknown> {
  return run(redis, script, keys, args, 'bytes');
}

async function run(
  redis: RedisClient,
  script: Script,
  keys: readonly string[],
  args: readonly ScriptArgument[],
  reply: Reply,
): Promise<unknown> {
  refuseMixedTags(script, keys);
  const stop = redis.seconds.startTimer({ script: script.name });
  const labels = { script: script.name };
  try {
    redis.calls.inc(labels);
    return await send(redis, reply, 'evalsha', script.sha, keys, args);
  } catch (error) {
    if (!isReply(error, 'NOSCRIPT')) throw toFault(error);
    redis.calls.inc(labels);
    return await send(redis, reply, 'eval', script.text, keys, args).catch((again: unknown) => {
      throw toFault(again);
    });
  } finally {
    stop();
  }
}

function send(
  redis: RedisClient,
  reply: Reply,
  command: 'eval' | 'evalsha',
  script: string,
  keys: readonly string[],
  args: readonly ScriptArgument[],
): Promise<unknown> {
  return reply === 'text'
    ? redis.call(command, script, keys.length, ...keys, ...args)
    : redis.callBuffer(command, script, keys.length, ...keys, ...args);
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
  const [first, ...rest] = keys;
  if (first === undefined) return;
  const tag = tagOf(first);
  if (!tag || rest.some((other) => tagOf(other) !== tag)) {
    throw new TypeError(`the keys of ${script.name} do not share one hash tag: ${keys.join(' ')}`);
  }
}

function tagOf(redisKey: string): string {
  return /\{([^}]+)\}/.exec(redisKey)?.[1] ?? '';
}
