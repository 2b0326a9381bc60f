import { OnBusy } from '#libs/contracts/gen/holdfast/inventory/v1/sku.js';
import { Fault } from '#libs/refusal/fault.js';
import { fromStatus } from '#libs/rpc/status.js';
import type { PrivateServer } from '#libs/servers/private-server.js';
import { privateRedis } from '#libs/testing/private-servers.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import {
  as,
  type GatewaysUnderTest,
  outcomeOf,
  type ReservationClient,
  reservation,
  reserveStream,
  startGateways,
  tally,
} from './gateways-under-test.js';

const test = suite('limits');

let redis: PrivateServer;
let gateways: GatewaysUnderTest;
let startedAt: number;

test.before.each(async () => {
  redis = await privateRedis();
});
test.after.each(async () => {
  await gateways.close();
  await redis.stop();
});

/** Gateways with one Redis, whose calls may take long so that a busy machine fails no test. */
async function start(count: number, env: Record<string, string> = {}): Promise<void> {
  const common = { REDIS_URL: redis.url, REDIS_TIMEOUT_MS: '3000', USER_RATE_PER_SECOND: '1000' };
  gateways = await startGateways(count, { ...common, USER_RATE_BURST: '100000', ...env });
  startedAt = performance.now();
}

/** What a bucket can have given out since the start. */
function mostOf(perSecond: number, burst: number): number {
  return burst + (perSecond * (performance.now() - startedAt)) / 1_000 + 1;
}

/** So many calls, a hundred at once, in turns at every gateway. */
async function all(calls: number, call: (client: ReservationClient, i: number) => Promise<object>): Promise<string[]> {
  const { clients } = gateways;
  const outcomes: string[] = [];
  while (outcomes.length < calls) {
    const first = outcomes.length;
    const wave = Array.from({ length: Math.min(100, calls - first) }, (_, i) => first + i);
    const told = wave.map((i) => outcomeOf(call(clients[i % clients.length] as ReservationClient, i)));
    outcomes.push(...(await Promise.all(told)));
  }
  return outcomes;
}

test('C08: whatever a caller says of where it comes from, it has the one bucket of its address', async () => {
  await start(2, { CALLER_RATE_PER_SECOND: '2', CALLER_RATE_BURST: '20' });
  const outcomes = await all(1_000, (client, i) => {
    const address = `10.1.${i >> 8}.${i & 255}`;
    const said = { 'x-forwarded-for': address, forwarded: `for=${address}`, 'x-real-ip': address, via: address };
    return client.getAvailability({ skuIds: ['sku-1'] }, { metadata: said });
  });
  const { OK = 0, CALLER = 0 } = tally(outcomes);
  assert.equal(tally(outcomes), { OK, CALLER });
  assert.ok(OK >= 20 && OK <= mostOf(2, 20), `${OK}`);
});

test('a service names the address for which it reads, and whoever floods from one leaves the others theirs', async () => {
  await start(1, { CALLER_RATE_PER_SECOND: '2', CALLER_RATE_BURST: '20' });
  const [client] = gateways.clients as [ReservationClient];
  const read = (address: string, role: 'SERVICE' | 'USER') => {
    const { metadata } = as('front', { role });
    const named = { metadata: { ...metadata, 'holdfast-caller-address': address } };
    return outcomeOf(client.getAvailability({ skuIds: ['sku-1'] }, named));
  };
  const flood = await Promise.all(Array.from({ length: 200 }, () => read('203.0.113.7', 'SERVICE')));
  assert.ok((tally(flood).CALLER ?? 0) > 100);
  for (let i = 0; i < 10; i += 1) assert.is(await read(`203.0.113.${100 + i}`, 'SERVICE'), 'OK');
  // From whom a user says to come counts for nothing.
  const users = await Promise.all(Array.from({ length: 100 }, (_, i) => read(`198.51.100.${i}`, 'USER')));
  assert.ok((tally(users).CALLER ?? 0) > 50);
});

test('a thousand users from one address pass', async () => {
  await start(2);
  const outcomes = await all(1_000, (client, i) => {
    return client.reserve(reservation('key-1', `sku-${i % 100}`, 'wide'), as(`user-${i}`));
  });
  assert.equal(tally(outcomes), { held: 1_000 });
});

test('one user is limited over all gateways and connections, and told the time', async () => {
  await start(2, { USER_RATE_PER_SECOND: '2', USER_RATE_BURST: '20' });
  const outcomes = await all(400, (client) => client.getAvailability({ skuIds: ['sku-1'] }, as('reader')));
  const { OK = 0, USER = 0 } = tally(outcomes);
  assert.equal(tally(outcomes), { OK, USER });
  assert.ok(OK >= 20 && OK <= mostOf(2, 20), `${OK}`);
  const fault = await refusalOf((client) => client.getAvailability({ skuIds: ['sku-1'] }, as('reader')));
  assert.is(fault.metadata.limit, 'USER');
  assert.ok((fault.retryAfterMs ?? 0) > 0 && (fault.retryAfterMs ?? 0) <= 500, `${fault.retryAfterMs}`);
  assert.equal(tally(await all(10, (client) => client.getAvailability({ skuIds: ['sku-1'] }, as('another')))), {
    OK: 10,
  });
});

test('one user who reserves much is limited over all connections', async () => {
  await start(2, { USER_RATE_PER_SECOND: '2', USER_RATE_BURST: '10' });
  const streams = Array.from({ length: 10 }, (_, i) => reserveStream(gateways.addresses[i % 2] ?? ''));
  const results = await Promise.all(
    Array.from({ length: 100 }, (_, i) => {
      const request = reservation(`key-${i}`, `sku-${i}`, 'many');
      return streams[i % 10]?.call({ userId: 'buyer', request }, 20_000);
    }),
  );
  const outcomes = results.map((answer) => {
    const result = answer?.result;
    return result?.$case === 'error' ? (fromStatus(result.value).metadata.limit ?? 'none') : 'answered';
  });
  for (const stream of streams) stream.close();
  const { answered = 0, USER = 0 } = tally(outcomes);
  assert.is(answered + USER, 100);
  assert.ok(answered >= 10 && answered <= mostOf(2, 10), `${answered}`);
});

test('items of a stream pay for their caller one by one', async () => {
  await start(1, { CALLER_RATE_PER_SECOND: '2', CALLER_RATE_BURST: '10' });
  const streams = Array.from({ length: 3 }, () => reserveStream(gateways.addresses[0] ?? ''));
  const results = await Promise.all(
    Array.from({ length: 90 }, (_, i) => {
      const request = reservation(`key-${i}`, `sku-${i}`, 'streamed');
      return streams[i % 3]?.call({ userId: `user-${i}`, request }, 20_000);
    }),
  );
  for (const stream of streams) stream.close();
  const held = results.filter((answer) => answer?.result?.$case === 'response').length;
  assert.ok(held > 0 && held <= mostOf(2, 10), `${held}`);
});

test('a sku lets through what its own limit says, over all gateways', async () => {
  await start(2);
  const own = { rateLimit: { perSecond: 2, burst: 20 }, onBusy: OnBusy.ON_BUSY_FAIL };
  gateways.books.limits.set('hot', own);
  const outcomes = await all(300, (client, i) => client.reserve(reservation('key-1', 'hot'), as(`user-${i}`)));
  const { held = 0, STORE_SKU = 0 } = tally(outcomes);
  assert.equal(tally(outcomes), { held, STORE_SKU });
  assert.ok(held >= 20 && held <= mostOf(2, 20), `${held}`);
  const fault = await refusalOf((client, i) => client.reserve(reservation('key-1', 'hot'), as(`late-${i}`)));
  const { reset_ms, ...facts } = fault.metadata;
  assert.equal(facts, { limit: 'STORE_SKU', store: 'store-1', sku: 'hot', rate: '2', burst: '20', remaining: '0' });
  assert.ok(Number(reset_ms) >= (fault.retryAfterMs ?? 0));
  assert.ok((fault.retryAfterMs ?? 0) > 0 && (fault.retryAfterMs ?? 0) <= 500, `${fault.retryAfterMs}`);
});

test('C08: who reserves for one sku takes nothing from another', async () => {
  await start(1, { RATE_PER_SECOND: '2', RATE_BURST: '5' });
  await all(50, (client, i) => client.reserve(reservation('key-1', 'b:c', 'a'), as(`user-${i}`)));
  const outcomes = await all(5, (client, i) => client.reserve(reservation('key-1', 'c', 'a:b'), as(`user-${i}`)));
  assert.equal(tally(outcomes), { held: 5 });
});

test('a limit that is changed at run time holds within seconds', async () => {
  await start(1);
  gateways.books.limits.set('changing', { rateLimit: { perSecond: 1, burst: 1 }, onBusy: OnBusy.ON_BUSY_FAIL });
  const reserve = (i: number): Promise<string[]> =>
    all(20, (client, j) => client.reserve(reservation('key-1', 'changing'), as(`user-${i}-${j}`)));
  assert.ok((tally(await reserve(0)).held ?? 0) < 20);
  gateways.books.limits.set('changing', { rateLimit: { perSecond: 1_000, burst: 1_000 } });
  let i = 0;
  await until(async () => {
    i += 1;
    return tally(await reserve(i)).held === 20;
  });
});

test('C06: while Redis hangs, and when it is dead, each call is decided, by a bucket of the gateway', async () => {
  await start(1, { REDIS_TIMEOUT_MS: '80', USER_RATE_PER_SECOND: '20', USER_RATE_BURST: '40' });
  gateways.books.limits.set('hot', { onBusy: OnBusy.ON_BUSY_FAIL });
  for (const [round, take] of [() => redis.freeze(), () => redis.kill()].entries()) {
    await take();
    startedAt = performance.now();
    const reserved = await all(200, (client, i) =>
      client.reserve(reservation(`key-${round}`, 'hot'), as(`user-${round}-${i}`)),
    );
    const { held = 0, STORE_SKU = 0 } = tally(reserved);
    assert.equal(tally(reserved), { held, STORE_SKU });
    assert.ok(held >= 1 && held <= mostOf(50, 5), `${held}`);
    const user = as(`reader-${round}`);
    const read = await all(200, (client) => client.getAvailability({ skuIds: ['sku-1'] }, user));
    const { OK = 0, USER = 0 } = tally(read);
    assert.equal(tally(read), { OK, USER });
    assert.ok(OK >= 40 && OK <= mostOf(20, 40), `${OK}`);
  }
  await redis.restart();
  let i = 0;
  await until(async () => {
    i += 1;
    // More than the gateway’s own bucket gives at once: the shared one holds again.
    const outcomes = await all(40, (client, j) => client.reserve(reservation('key', `sku-${i}`), as(`late-${i}-${j}`)));
    return tally(outcomes).held === 40;
  });
});

/** What the first call is told that does not pass. */
async function refusalOf(call: (client: ReservationClient, i: number) => Promise<object>): Promise<Fault> {
  const client = gateways.clients[0] as ReservationClient;
  for (let i = 0; ; i += 1) {
    try {
      await call(client, i);
    } catch (thrown) {
      if (thrown instanceof Fault) return thrown;
      throw thrown;
    }
  }
}

test.run();
