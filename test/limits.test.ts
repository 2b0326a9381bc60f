import { Redis } from 'ioredis';
import { shardOfStore } from '#libs/contracts/order-id.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { ceiling, type OnSale, onSale, somebody } from './on-sale.js';
import { atPace } from './pace.js';
import { insist, type Press, press, pressHttp, type Said, tally } from './press.js';
import { startTestMesh, type TestMesh } from './test-mesh.js';

const test = suite('limits');
const shards = 4;
const ofSku = { perSecond: 5, burst: 20 };
const ofUser = { perSecond: 10, burst: 40 };
const limits = {
  RATE_PER_SECOND: `${ofSku.perSecond}`,
  RATE_BURST: `${ofSku.burst}`,
  USER_RATE_PER_SECOND: `${ofUser.perSecond}`,
  USER_RATE_BURST: `${ofUser.burst}`,
  // However busy the machine is, Redis counts as there: what is looked at here are its buckets.
  REDIS_TIMEOUT_MS: '2000',
};
let mesh: TestMesh;
let redis: Redis;

test.before(async () => {
  mesh = await startTestMesh({ gateways: 2, inventories: 2, gatewayEnv: limits });
  redis = new Redis(mesh.redis.url);
  const anything = await onSale(mesh, ofSku);
  await until(async () => (await crowd(4, anything)).every(isIn)); // All streams are open now.
});
test.after(async () => {
  redis.disconnect();
  await mesh.close();
});

const gatewayOf = (index: number): TestMesh['gateway'] => mesh.gatewayAt(index % 2);
const isIn = ({ kind }: Said): boolean => kind === 'held' || kind === 'pending';

/** A store in the same shard: nothing but its name keeps it apart. */
function neighbourOf(storeId: string): string {
  for (let number = 1; ; number += 1) {
    const other = `store-${number}`;
    if (shardOfStore(other, shards) === shardOfStore(storeId, shards)) return other;
  }
}

/** So many people at once, over both gateways. */
function crowd(size: number, sku: OnSale): Promise<Said[]> {
  return Promise.all(Array.from({ length: size }, (_, index) => press(gatewayOf(index), somebody(sku))));
}

test('C09: a store at fifty times its limit takes nothing from another at one a second', async () => {
  const [hot, cold] = [
    await onSale(mesh, ofSku, { storeId: 'hot-store' }),
    await onSale(mesh, ofSku, { storeId: neighbourOf('hot-store') }),
  ];
  const most = ceiling(ofSku);
  const [hotSaid, coldSaid]: [Said[], Said[]] = [[], []];
  await Promise.all([
    atPace({ perSecond: 250, seconds: 2 }, async (index) =>
      hotSaid.push(await insist(gatewayOf(index), somebody(hot))),
    ),
    atPace({ perSecond: 1, seconds: 3 }, async (index) =>
      coldSaid.push(await insist(gatewayOf(index), somebody(cold))),
    ),
  ]);
  assert.equal(tally(coldSaid), { held: 3 });
  const admitted = hotSaid.filter(isIn).length;
  assert.ok(admitted >= ofSku.burst && admitted <= most(), `${admitted} of ${hotSaid.length}`);
  assert.is(admitted + (tally(hotSaid).RATE_LIMITED ?? 0), hotSaid.length);
});

test('C09: the limits of "a:b" and "c" are not those of "a" and "b:c"', async () => {
  const one = await onSale(mesh, ofSku, { storeId: 'a:b', skuId: 'c' });
  const other = await onSale(mesh, ofSku, { storeId: 'a', skuId: 'b:c' });
  assert.ok((tally(await crowd(60, one)).RATE_LIMITED ?? 0) > 0);
  assert.equal(tally(await crowd(ofSku.burst, other)), { held: ofSku.burst });
});

test('C08: where a request says it comes from counts for nothing: neither user nor sku gets more by it', async () => {
  const skus = await Promise.all(Array.from({ length: 50 }, () => onSale(mesh, ofSku, { storeId: 'many-skus' })));
  const tight = await onSale(mesh, ofSku, { storeId: 'one-sku' });
  const spoofed = (index: number) => {
    const address = `198.51.${index >> 8}.${index & 255}`;
    return { 'x-forwarded-for': address, forwarded: `for=${address}`, 'x-real-ip': address };
  };
  const one = (index: number) => ({ ...somebody(skus[index % 50] ?? tight), user: 'one', headers: spoofed(index) });
  const mostOfUser = ceiling(ofUser);
  const byOne = await pressMany(500, (index) => ({ ...one(index), key: `k-${index}` }));
  const letIn = byOne.filter((status) => status < 300).length;
  assert.ok(letIn >= ofUser.burst && letIn <= mostOfUser(), `${letIn} of one user`);
  const mostOfSku = ceiling(ofSku);
  const byMany = await pressMany(500, (index) => ({ ...somebody(tight), headers: spoofed(index) }));
  const sold = byMany.filter((status) => status < 300).length;
  assert.ok(sold >= ofSku.burst && sold <= mostOfSku(), `${sold} of one sku`);
  assert.equal([...new Set([...byOne, ...byMany])].toSorted(), [201, 429]);
  assert.equal(await redis.keys('*198.51.*'), []);
});

/** So many presses, fifty at a time; each again with its key while nobody knows its outcome. Returns their statuses. */
async function pressMany(count: number, make: (index: number) => Press): Promise<number[]> {
  const statuses: number[] = [];
  const presser = async (first: number): Promise<void> => {
    for (let index = first; index < count; index += 50) {
      const one = make(index);
      statuses.push(
        await until(() => pressHttp(mesh.http, one).then(({ status }) => (status < 500 ? status : undefined))),
      );
    }
  };
  await Promise.all(Array.from({ length: 50 }, (_, first) => presser(first)));
  return statuses;
}

test('C10: scripts are flushed again and again under load: nobody hears of it', async () => {
  const skus = await Promise.all(Array.from({ length: 100 }, () => onSale(mesh, ofSku, { storeId: 'flushed' })));
  const statuses: number[] = [];
  let isOver = false;
  const flushing = (async () => {
    for (; !isOver; await redis.ping()) await redis.script('FLUSH');
  })();
  await atPace({ perSecond: 100, seconds: 2 }, async (index) => {
    statuses.push((await pressHttp(mesh.http, somebody(skus[index % 100] ?? { skuId: '', storeId: '' }))).status);
  });
  isOver = true;
  await flushing;
  assert.equal(tally(statuses.map((status) => ({ kind: `${status}` }))), { 201: 200 });
});

test.run();
