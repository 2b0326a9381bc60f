import { RefusalReason } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import { shardOfStore } from '#libs/contracts/order-id.js';
import { claimsSubject } from '#libs/contracts/subjects.js';
import type { ClaimToAdmit } from '#libs/ledger/claims-batch.js';
import { claimOf } from '#libs/ledger/test-ledger.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { encode, Stage, shards } from './test-stage.js';

const test = suite('claims that cannot be processed');
const subject = claimsSubject(shardOfStore('store-1', shards));
let stage: Stage;

test.before(async () => {
  stage = await Stage.open();
});
test.after(() => stage.close());

const poison = (user: string, skuId: string): ClaimToAdmit =>
  claimOf(user, [{ skuId, quantity: -3, attendeeId: user }]);

const outcomeOf = (orderId: string) => {
  const decided = stage.decisions.get(orderId)?.[0]?.decided;
  return decided?.$case === 'refusal' ? RefusalReason[decided.value.reason] : decided?.$case;
};

test('K09 a poisonous claim is refused, told so, kept for an operator, and holds no unit', async () => {
  const order = await stage.start();
  const { skuId } = await stage.ledger.sku({ capacity: 2 });
  const [bad, good] = [poison('mallory', skuId), claimOf('ann', skuId)];
  await stage.place(bad, good);
  await stage.drained();
  await until(() => stage.decisions.has(bad.orderId));
  assert.is(outcomeOf(bad.orderId), 'REFUSAL_REASON_UNPROCESSABLE');
  assert.is(outcomeOf(good.orderId), 'order');
  const { order: row } = await order.client.getOrder({ orderId: bad.orderId, userId: 'mallory' });
  assert.is(row?.refusal?.reason, RefusalReason.REFUSAL_REASON_UNPROCESSABLE);
  assert.is(await stage.count('dead_letters', `order_id = '${bad.orderId}'`), 1);
  const { skus } = await stage.ledger.ledger.stockRead([skuId]);
  assert.equal([skus[0]?.free, skus[0]?.held], [1, 1]);
  await order.stop();
});

test('D16 ten poisonous messages fill max_ack_pending and the good ones behind them flow all the same', async () => {
  const { skuId } = await stage.ledger.sku({ capacity: 200 });
  const bad = Array.from({ length: 10 }, (_, n) => poison(`mallory-${n}`, skuId));
  const good = Array.from({ length: 100 }, (_, n) => claimOf(`ann-${n}`, skuId));
  const starter = await stage.start();
  await stage.place(claimOf('first', skuId));
  await starter.stop();
  for (const claim of [...bad, ...good]) await stage.place(claim);

  const order = await stage.start({ claimsMaxAckPending: 10, claimsPrefetch: 10 });
  await stage.drained();
  assert.is(
    await stage.count('dead_letters', "subject LIKE 'claims.%' AND convert_from(payload, 'LATIN1') LIKE '%mallory-%'"),
    10,
  );
  await until(() => good.every(({ orderId }) => outcomeOf(orderId) === 'order'));
  await order.stop();
});

test('bytes that are no message, and a claim that is not of its order, go to the dead letters once', async () => {
  const order = await stage.start();
  const { skuId } = await stage.ledger.sku();
  const [stranger, good] = [claimOf('eve', skuId), claimOf('ann', skuId)];
  const before = await stage.count('dead_letters');
  await stage.store(subject, new Uint8Array([255, 255, 255]));
  await stage.store(subject, encode([{ ...stranger, userId: 'ann' }, good]));
  await stage.drained();
  assert.is(await stage.count('dead_letters'), before + 2);
  assert.is(outcomeOf(good.orderId), 'order');
  assert.is(await stage.count('orders', `order_id = '${stranger.orderId}'`), 0);
  await order.stop();
});

test('a claim with text that no column takes is kept and holds up nobody', async () => {
  const order = await stage.start();
  const { skuId } = await stage.ledger.sku();
  const [bad, good] = [claimOf('nul\0', skuId), claimOf('ann', skuId)];
  const before = await stage.count('dead_letters');
  await stage.place(bad, good);
  await stage.drained();
  await until(() => stage.decisions.has(good.orderId));
  assert.is(await stage.count('dead_letters'), before + 1);
  assert.is(outcomeOf(good.orderId), 'order');
  await order.stop();
});

test('A12 five orders that the database refuses to write take no unit and end refused', async () => {
  await stage.ledger.sql(
    `ALTER TABLE ledger.orders ADD CONSTRAINT test_no_luck CHECK (user_id NOT LIKE 'unlucky-%' OR state = 'REFUSED')`,
  );
  const { skuId } = await stage.ledger.sku({ capacity: 10 });
  const placed = Array.from({ length: 10 }, (_, n) => claimOf(`${n % 2 === 0 ? 'unlucky' : 'lucky'}-${n}`, skuId));
  const order = await stage.start();
  await stage.place(...placed);
  await stage.drained();
  await until(() => placed.every(({ orderId }) => stage.decisions.has(orderId)));
  const outcomes = placed.map(({ orderId }) => outcomeOf(orderId));
  assert.is(outcomes.filter((outcome) => outcome === 'order').length, 5);
  assert.is(outcomes.filter((outcome) => outcome === 'REFUSAL_REASON_UNPROCESSABLE').length, 5);
  const { skus } = await stage.ledger.ledger.stockRead([skuId]);
  assert.equal([skus[0]?.free, skus[0]?.held], [5, 5]);
  await order.stop();
});

test('claims of a sku that somebody keeps locked wait, those of other skus do not', async () => {
  const order = await stage.start();
  const [stuck, free] = [await stage.ledger.sku(), await stage.ledger.sku()];
  const [waiting, behind] = [claimOf('ann', stuck.skuId), claimOf('bob', free.skuId)];
  const unlock = await lock(stuck.skuId);
  await stage.place(waiting, behind);
  await until(async () => (await order.metric('claims_given_back_total')) > 0);
  assert.is(outcomeOf(behind.orderId), 'order');
  assert.not(stage.decisions.has(waiting.orderId));
  await unlock();
  await until(() => outcomeOf(waiting.orderId) === 'order');
  await stage.drained();
  await order.stop();
});

/** Holds a sku's lock in a transaction of its own until told otherwise. */
async function lock(skuId: string): Promise<() => Promise<unknown>> {
  const held = stage.ledger.sql(
    `BEGIN; SELECT FROM ledger.stock WHERE sku_id = '${skuId}' FOR UPDATE; SELECT pg_sleep(60)`,
  );
  held.catch(() => undefined);
  const sleeper = `FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()`;
  await until(async () => (await stage.ledger.sql(`SELECT ${sleeper}`)).length > 0);
  return () => stage.ledger.sql(`SELECT pg_terminate_backend(pid) ${sleeper}`);
}

test.run();
