import {
  PlaceState,
  type WatchPlaceResponse,
} from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import { Fault } from '#libs/refusal/fault.js';
import type { PrivateServer } from '#libs/servers/private-server.js';
import { privateRedis } from '#libs/testing/private-servers.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import { as, type GatewaysUnderTest, outcomeOf, reservation, startGateways } from './gateways-under-test.js';

const test = suite('line');

let redis: PrivateServer;
let gateways: GatewaysUnderTest;

test.before.each(async () => {
  redis = await privateRedis();
});
test.after.each(async () => {
  await gateways.close();
  await redis.stop();
});

async function start(count: number, env: Record<string, string> = {}): Promise<void> {
  gateways = await startGateways(count, { REDIS_URL: redis.url, REDIS_TIMEOUT_MS: '3000', ...env });
}

const at = (gateway: number) => {
  const client = gateways.clients[gateway];
  if (client === undefined) throw new Error(`there is no gateway ${gateway}`);
  return client;
};
const place = { storeId: 'store-1', skuId: 'sku-1' };

/** Everything that is told of a place, to its last word. */
async function toldOf(user: string, gateway = 0): Promise<WatchPlaceResponse[]> {
  const told: WatchPlaceResponse[] = [];
  for await (const news of at(gateway).watchPlace(place, as(user))) told.push(news);
  return told;
}

test('whoever was QUEUED can watch their place at any gateway until its turn has come', async () => {
  await start(2, { RATE_PER_SECOND: '1', RATE_BURST: '1' });
  assert.is(await outcomeOf(at(0).reserve(reservation('key-1'), as('ana'))), 'held');
  assert.is(await outcomeOf(at(0).reserve(reservation('key-1'), as('ben'))), 'queued');
  assert.is(await outcomeOf(at(0).reserve(reservation('key-1'), as('carl'))), 'queued');
  const told = await toldOf('carl', 1);
  const [first] = told;
  assert.is(first?.state, PlaceState.PLACE_STATE_WAITING);
  assert.is(first?.peopleAhead, 1);
  assert.ok((first?.retryAfterMs ?? 0) > 0);
  assert.is(told.at(-1)?.state, PlaceState.PLACE_STATE_DUE);
  assert.is(await outcomeOf(at(1).reserve(reservation('key-1'), as('carl'))), 'held');
});

test('the place of somebody else is not there, and asking for it moves nothing', async () => {
  await start(1, { RATE_PER_SECOND: '1', RATE_BURST: '1' });
  for (const user of ['ana', 'ben']) await outcomeOf(at(0).reserve(reservation('key-1'), as(user)));
  assert.equal(await toldOf('mallory'), [{ state: PlaceState.PLACE_STATE_GONE, peopleAhead: 0, retryAfterMs: 0 }]);
  const [first] = await toldOf('ben');
  assert.is(first?.state, PlaceState.PLACE_STATE_WAITING);
  assert.is(first?.peopleAhead, 0);
});

test('what no place can be called is named, and so is who asks', async () => {
  await start(1);
  const watch = (what: Partial<typeof place>, who = {}) => {
    const stream = at(0).watchPlace({ ...place, ...what }, who);
    return rejectionOf(stream[Symbol.asyncIterator]().next(), Fault);
  };
  assert.is((await watch({})).reason, 'TOKEN_MISSING');
  const fault = await watch({ storeId: '', skuId: ' ' }, as('ana'));
  assert.equal(
    fault.violations.map(({ field }) => field),
    ['store_id', 'sku_id'],
  );
});

test('while Redis is away a watcher is told so, with a time to come again', async () => {
  await start(1, { RATE_PER_SECOND: '1', RATE_BURST: '1' });
  await redis.stop();
  const fault = await rejectionOf(toldOf('ana'), Fault);
  assert.is(fault.reason, 'UNAVAILABLE');
  assert.ok((fault.retryAfterMs ?? 0) > 0);
});

test('a store that takes only issued request ids takes no other', async () => {
  await start(2, { REQUEST_ID_SECRETS: 'secret-2,secret-1' });
  gateways.books.issuedOnly.add('strict');
  const issuedFor = async (user: string, skuId: string): Promise<string> => {
    const { requestId, expiresAt } = await at(0).createRequestId({ storeId: 'strict', skuId }, as(user));
    assert.ok(Number(expiresAt) > Date.now());
    return requestId;
  };
  const mine = await issuedFor('ana', 'sku-1');
  const reserve = (requestId: string, gateway = 1) =>
    outcomeOf(at(gateway).reserve(reservation(requestId, 'sku-1', 'strict'), as('ana')));
  const bad = [
    'key-1',
    mine.slice(0, -1),
    `${mine}x`,
    await issuedFor('ben', 'sku-1'),
    await issuedFor('ana', 'sku-2'),
  ];
  for (const requestId of bad) assert.is(await reserve(requestId), 'REQUEST_ID_NOT_ISSUED', requestId);
  assert.is(gateways.books.placed.length, 0);
  assert.is(await reserve(mine), 'held');
  assert.is(await reserve(mine, 0), 'held');
  assert.is(gateways.books.rows.size, 1);
});

test('a gateway without a secret issues none', async () => {
  await start(1);
  const fault = await rejectionOf(at(0).createRequestId({ storeId: 'store-1', skuId: 'sku-1' }, as('ana')), Fault);
  assert.is(fault.reason, 'REQUEST_IDS_NOT_ISSUED');
  const invalid = await rejectionOf(at(0).createRequestId({ storeId: '', skuId: '' }, as('ana')), Fault);
  assert.equal(
    invalid.violations.map(({ field }) => field),
    ['store_id', 'sku_id'],
  );
});

test.run();
