import type { AccessRecord } from '#libs/contracts/gen/holdfast/order/v1/access_service.js';
import { OrderState, RefusalReason } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { type Access, AccessLog } from '../src/app/access-log.js';
import { refused, told } from '../src/app/answer.js';
import { orderOf, type Place } from './fake-peers.js';
import { as, type GatewaysUnderTest, outcomeOf, reservation, startGateways } from './gateways-under-test.js';

const test = suite('access records of the gateway');
let gateways: GatewaysUnderTest;

test.after.each(() => gateways.close());

const records = (): AccessRecord[] => gateways.books.accesses.flatMap((batch) => batch.records);
const soldOut = {
  ...{ reason: RefusalReason.REFUSAL_REASON_SOLD_OUT, skuId: 'sku-1', free: 0, nextReleaseAt: undefined },
  ...{ opensAt: undefined, closedAt: undefined, slotPast: false, limit: 0, ownOrderId: '', scope: 0 },
};
const rates = ['USER_RATE_PER_SECOND', 'USER_RATE_BURST', 'RATE_PER_SECOND', 'RATE_BURST'];
const unlimited = Object.fromEntries(rates.map((name) => [name, '100000']));
const refusing: Place = () => ({ $case: 'refused', value: soldOut });

test('every answer is recorded with who asked for what, when, and what they were told', async () => {
  gateways = await startGateways(1, {});
  const [client] = gateways.clients;
  const before = Date.now();
  await client?.reserve(reservation('yes', 'sku-2'), as('ana'));
  gateways.place = refusing;
  await client?.reserve(reservation('no'), as('ben'));
  await outcomeOf(client?.reserve(reservation('bad', 'sku\u0000 1'), as('cleo')) ?? Promise.resolve({}));
  await until(() => records().length === 3);
  const [yes, no, bad] = records();
  assert.equal(gateways.books.accesses[0]?.instance, 'gateway-0');
  assert.equal([yes?.userId, yes?.storeId, yes?.skuIds, yes?.requestId], ['ana', 'store-1', ['sku-2'], 'yes']);
  assert.equal([yes?.answer, no?.answer, bad?.answer], ['HELD', 'SOLD_OUT', 'INVALID_REQUEST']);
  assert.equal([yes?.weight, no?.weight, bad?.skuIds], [1, 1, ['sku??1']]);
  const at = yes?.at?.getTime() ?? 0;
  assert.ok(at >= before - 1 && at <= Date.now() && (yes?.tookMs ?? -1) >= 0);
});

test('a crowd that is refused leaves a sample that says for how many it stands, and every yes', async () => {
  gateways = await startGateways(1, { ACCESS_SAMPLED_PER_SECOND: '5', ...unlimited });
  gateways.place = (item) =>
    item.requestId.startsWith('yes')
      ? { $case: 'held', value: orderOf(item, OrderState.ORDER_STATE_HELD) }
      : { $case: 'refused', value: soldOut };
  const [client] = gateways.clients;
  const press = (key: string) => client?.reserve(reservation(key), as('ana'));
  await Promise.all(Array.from({ length: 200 }, (_, n) => press(n % 4 === 0 ? `yes-${n}` : `no-${n}`)));
  await gateways.close();
  const nos = records().filter(({ answer }) => answer === 'SOLD_OUT');
  assert.is(records().length - nos.length, 50);
  assert.ok(nos.length >= 5 && nos.length <= 30, `${nos.length} refusals kept`);
  assert.is(Math.round(nos.reduce((sum, { weight }) => sum + weight, 0)), 150);
});

test('what nobody records is lost and counted, and nobody waits for it', async () => {
  gateways = await startGateways(1, {});
  gateways.books.recordingFails = true;
  const [client] = gateways.clients;
  assert.is(await outcomeOf(client?.reserve(reservation('one'), as('ana')) ?? Promise.resolve({})), 'held');
  await gateways.close();
  assert.equal(gateways.books.accesses, []);
});

const held = told({ $case: 'held', value: { order: undefined } });
const request = reservation('key');

test('a full buffer takes no more: what it has goes, the rest is counted', async () => {
  gateways = await startGateways(0, {});
  const batches: number[] = [];
  const lost: [number, string][] = [];
  let free = (): void => undefined;
  const log = new AccessLog({
    ...{ bufferMax: 1_500, sampledMax: 10, lost: (count, why) => lost.push([count, why]) },
    record: (batch: readonly Access[]) => {
      batches.push(batch.length);
      return new Promise<void>((resolve) => {
        free = resolve;
      });
    },
  });
  for (let n = 0; n < 3_000; n += 1) log.note('ana', request, held, performance.now());
  // A thousand are on their way, 1,500 wait, 500 found no room.
  assert.equal([batches, lost.length, lost[0]], [[1_000], 500, [1, 'full']]);
  const closed = log.close();
  await until(async () => {
    free();
    return batches.length === 3;
  });
  free();
  await closed;
  assert.equal(batches, [1_000, 1_000, 500]);
});

test('a batch that fails is counted as lost, and the next one goes', async () => {
  gateways = await startGateways(0, {});
  const lost: [number, string][] = [];
  let fails = true;
  const kept: string[] = [];
  const log = new AccessLog({
    ...{ bufferMax: 10_000, sampledMax: 10, lost: (count, why) => lost.push([count, why]) },
    async record(batch) {
      if (fails) throw new Error('away');
      kept.push(...batch.map(({ userId }) => userId));
    },
  });
  for (let n = 0; n < 1_000; n += 1) log.note('ana', request, held, performance.now());
  await until(() => lost.length === 1);
  assert.equal(lost, [[1_000, 'unrecorded']]);
  fails = false;
  log.note('ben', request, refused(soldOut), performance.now());
  log.note('cleo', request, held, performance.now());
  await log.close();
  assert.equal(kept.sort(), ['ben', 'cleo']);
});

test.run();
