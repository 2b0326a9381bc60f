import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Redis } from 'ioredis';
import { Fault } from '#libs/refusal/fault.js';
import { createLogger } from '#libs/runtime/logger.js';
import { createMetrics } from '#libs/runtime/metrics.js';
import type { PrivateServer } from '#libs/servers/private-server.js';
import { type FaultProxy, faultProxy } from '#libs/testing/fault-proxy.js';
import { privateRedis } from '#libs/testing/private-servers.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { checkServer, isHealthy } from './check-server.js';
import { key } from './keys.js';
import { createRedis, type RedisClient, type RedisClientOptions } from './redis-client.js';
import { runScript } from './run-script.js';
import { luaScript, type Script } from './script.js';

const test = suite('redis');

const metrics = createMetrics();
const opened: RedisClient[] = [];
let folder: string;
let server: PrivateServer;
let proxy: FaultProxy;
/** Adds to a number and answers it. */
let add: Script;
let redis: RedisClient;

async function open(url: string, options: Partial<RedisClientOptions> = {}): Promise<RedisClient> {
  const client = createRedis({
    url,
    name: 'redis-test',
    commandTimeoutMs: 3_000,
    logger: createLogger('test', 'silent'),
    metrics,
    ...options,
  });
  opened.push(client);
  await until(() => client.status === 'ready');
  return client;
}

function script(name: string, text: string): Script {
  writeFileSync(join(folder, `${name}.lua`), text);
  return luaScript(pathToFileURL(join(folder, `${name}.lua`)));
}

test.before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-redis-'));
  add = script('number_add', '-- KEYS[1] a number\nreturn redis.call("INCRBY", KEYS[1], ARGV[1])');
  server = await privateRedis({
    appendonly: true,
    // What it takes to see it load: many keys at once, a slow load, and an ear for clients meanwhile.
    args: [
      ...['--enable-debug-command', 'local'],
      ...['--key-load-delay', '200', '--loading-process-events-interval-bytes', '1024'],
    ],
  });
  proxy = await faultProxy('127.0.0.1', server.port);
  redis = await open(server.url);
});
test.before.each(async () => {
  proxy.heal();
  await until(() => redis.status === 'ready');
  await redis.flushall();
});
test.after(async () => {
  for (const client of opened) client.disconnect();
  await proxy.close();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('a script runs by its hash, and what it raises stays what it is', async () => {
  assert.is(await runScript(redis, add, [key(1, 'sum')], [5]), 5);
  assert.is(await runScript(redis, add, [key(1, 'sum')], [2]), 7);
  const error = await rejectionOf(runScript(redis, add, [key(1, 'sum')], ['no number']));
  assert.not.instance(error, Fault);
  assert.match(error.message, 'not an integer');
});

test('each round trip is counted under the name of its script', async () => {
  const counted = script('counted_once', 'return 1');
  await runScript(redis, counted, [key(1, 'x')], []);
  await runScript(redis, counted, [key(1, 'x')], []);
  assert.match(await metrics.text(), 'holdfast_redis_calls_total{script="counted_once"} 3\n');
});

test('E02 a call whose reply is lost ends by its own deadline, and its outcome is unknown', async () => {
  const behindProxy = await open(proxy.url(server.url), { commandTimeoutMs: 500 });
  let inFlight = 0;
  const call = (): Promise<unknown> => {
    inFlight += 1;
    return runScript(behindProxy, add, [key(1, 'sum')], [1]).finally(() => {
      inFlight -= 1;
    });
  };
  await call();
  proxy.dropReplies();
  const faults = await Promise.all(Array.from({ length: 10 }, () => rejectionOf(call(), Fault)));
  assert.equal(new Set(faults.map((fault) => fault.reason)), new Set(['UNAVAILABLE']));
  assert.is(inFlight, 0);
  assert.is(await redis.get(key(1, 'sum')), '11');

  proxy.heal();
  await until(() => call().then(() => true));
  assert.is(await redis.get(key(1, 'sum')), '12', 'nothing of it was sent again');
});

test('E02 a connection that went silent is given up, and what it held with it', async () => {
  const behindProxy = await open(proxy.url(server.url), { commandTimeoutMs: 500 });
  await runScript(behindProxy, add, [key(1, 'sum')], [1]);
  proxy.blackhole();
  await rejectionOf(runScript(behindProxy, add, [key(1, 'sum')], [1]), Fault);
  await until(() => behindProxy.status !== 'ready');
  proxy.heal();
  await until(() => behindProxy.status === 'ready');
});

test('E03 a call made while Redis is away is refused at once and never runs', async () => {
  const behindProxy = await open(proxy.url(server.url));
  proxy.cut();
  await until(() => behindProxy.status !== 'ready');
  const fault = await rejectionOf(runScript(behindProxy, add, [key(1, 'sum')], [1]), Fault);
  assert.is(fault.reason, 'UNAVAILABLE');
  proxy.heal();
  await until(() => behindProxy.status === 'ready');
  await runScript(behindProxy, add, [key(1, 'other')], [1]);
  assert.is(await redis.get(key(1, 'sum')), null);
});

test('E05 a connection to a demoted server fails as unavailable, and finds it promoted again', async () => {
  const other = await open(server.url);
  let reconnects = 0;
  other.on('reconnecting', () => {
    reconnects += 1;
  });
  await other.replicaof('127.0.0.1', 1);
  const fault = await rejectionOf(runScript(other, add, [key(1, 'sum')], [1]), Fault);
  assert.is(fault.reason, 'UNAVAILABLE');
  assert.not(await isHealthy(redis));
  await until(async () => (await redis.replicaof('NO', 'ONE')) === 'OK');
  await until(() => runScript(other, add, [key(1, 'sum')], [1]));
  assert.ok(reconnects > 0, 'it looked for another server');
});

test('E07 after SCRIPT FLUSH and after a restart the next call works, with what was there', async () => {
  await runScript(redis, add, [key(1, 'sum')], [1]);
  await redis.script('FLUSH');
  const calls = Array.from({ length: 5 }, () => runScript(redis, add, [key(1, 'sum')], [1]));
  assert.equal(await Promise.all(calls), [2, 3, 4, 5, 6]);

  await server.restart();
  await until(() => isHealthy(redis));
  assert.is(await runScript(redis, add, [key(1, 'sum')], [1]), 7);
});

test('E08 a full Redis is unavailable, and not healthy although it answers', async () => {
  await redis.config('SET', 'maxmemory', '1');
  const fault = await rejectionOf(runScript(redis, add, [key(1, 'sum')], [1]), Fault);
  assert.is(fault.reason, 'UNAVAILABLE');
  assert.is(await redis.ping(), 'PONG');
  assert.not(await isHealthy(redis));
  await redis.config('SET', 'maxmemory', '0');
  assert.ok(await isHealthy(redis));
});

test('E09 a Redis that evicts is refused, one that does not is accepted', async () => {
  await checkServer(redis);
  await redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
  assert.match((await rejectionOf(checkServer(redis))).message, /allkeys-lru.*set maxmemory-policy noeviction/);
  await redis.config('SET', 'maxmemory-policy', 'noeviction');
});

test('E10 while Redis loads its data it is unavailable, and it serves once it is done', async () => {
  await runScript(redis, add, [key(1, 'sum')], [1]);
  await redis.debug('POPULATE', 20_000, 'hf:{s1}:filler', 100);
  await redis.bgrewriteaof();
  await until(async () => /aof_rewrite_in_progress:0\r/.test(await redis.info()));
  await server.kill();

  const started = server.start();
  // Asks while ours still waits for the server to be ready.
  const observer = new Redis(server.url, { enableReadyCheck: false, retryStrategy: () => 10 });
  observer.on('error', () => undefined);
  await until(async () => /\nloading:1\r/.test(await observer.info()));
  assert.is((await rejectionOf(runScript(redis, add, [key(1, 'sum')], [1]), Fault)).reason, 'UNAVAILABLE');
  assert.not(await isHealthy(redis));

  await observer.config('SET', 'key-load-delay', '0');
  await started;
  observer.disconnect();
  await until(() => isHealthy(redis));
  assert.is(await runScript(redis, add, [key(1, 'sum')], [1]), 2);
});

test('E12 keys of different shards in one call are refused, also where no cluster would', async () => {
  for (const keys of [[key(1, 'a'), key(2, 'a')], [key(1, 'a'), 'no tag at all'], ['no tag'], ['empty{}tag']]) {
    assert.match((await rejectionOf(runScript(redis, add, keys, [1]), TypeError)).message, 'hash tag');
  }
});

test('E12 all keys of a shard are in one slot of a cluster, shards are not all in the same', async () => {
  const cluster = await privateRedis({ args: ['--cluster-enabled', 'yes'] });
  const client = await open(cluster.url);
  const slots = await Promise.all(
    [0, 1, 2, 3].map(async (shard) => {
      const keys = [key(shard, 'gate', 'sku{1}'), key(shard, 'journal'), key(shard, 'mark', 'a', 7)];
      const slotsOfShard = await Promise.all(keys.map((each) => client.cluster('KEYSLOT', each)));
      assert.is(new Set(slotsOfShard).size, 1);
      return slotsOfShard[0];
    }),
  );
  assert.is(new Set(slots).size, 4);
  await cluster.stop();
});

test('E15 whatever the reconnects, a client of database 2 writes nothing into database 0', async () => {
  const second = await open(`${proxy.url(server.url)}/2`);
  for (let round = 1; round <= 5; round += 1) {
    const writing = Array.from({ length: 20 }, (_, n) =>
      runScript(second, add, [key(1, `round${round}`, n)], [1]).catch(() => undefined),
    );
    proxy.cut();
    await Promise.all(writing);
    proxy.heal();
    await until(() => runScript(second, add, [key(1, `round${round}`)], [1]));
  }
  assert.equal(await redis.keys('*'), []);
});

test.run();
