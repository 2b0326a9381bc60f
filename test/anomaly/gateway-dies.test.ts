import { ReservationServiceDefinition } from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import { type Client, connect } from '#libs/rpc/client.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { metricAt } from '../metric-at.js';
import { orderIdOf, type Press, press, type Said } from '../press.js';
import type { Victim } from '../victim.js';
import { Scene, type Wish } from './scene.js';

type Gateway = Client<typeof ReservationServiceDefinition>;

const test = suite('a gateway dies with marks, or loses them, and another one is asked');
let scene: Scene;
let inventory: string;
let placements: () => Promise<number>;
/** Gateways of one mesh: one that dies, one whose words to Redis come late, and one that lives. */
let victim: Victim;
let late: Victim;
let dying: Gateway;
let living: Gateway;
/** What they were about, by how far that had come. Each holds a mark for ten seconds more. */
let lost: Wish;
let marked: Wish;
let committed: Wish;
let told: Wish & { said: Said };
let refused: Wish & { said: Said; holder: Wish };

test.before(async () => {
  scene = await Scene.open();
  const order = (await scene.services.order()).grpcAddress;
  const { grpcAddress, adminAddress } = await scene.services.inventory();
  inventory = grpcAddress;
  placements = () => metricAt(adminAddress, 'batch_items_total{stream="InventoryService.PlaceHolds received"');
  const upstreams = { inventory, order, redis: scene.redis.url };
  const [gateway, ...victims] = await Promise.all([
    scene.services.gateway({ inventory, order }),
    scene.victim('gateway', upstreams),
    scene.victim('gateway', upstreams, { REDIS_TIMEOUT_MS: '3000' }),
  ]);
  [victim, late] = victims;
  living = connect(ReservationServiceDefinition, gateway.grpcAddress, { defaultDeadlineMs: 10_000 });
  dying = connect(ReservationServiceDefinition, victim.address, { defaultDeadlineMs: 10_000 });
  await losesItsMark();
  await diesWithAnswersOnTheirWay();
  await victim.restart();
  await diesBeforeAnswers();
});
test.after(async () => {
  living.close();
  dying.close();
  await scene.close();
});

/** It gives up after three seconds, and what it then says to Redis is held up on the way. */
async function losesItsMark(): Promise<void> {
  lost = await scene.wish();
  const client = connect(ReservationServiceDefinition, late.address, { defaultDeadlineMs: 10_000 });
  await until(async () => (await press(client, pressOf(scene.another(lost, 'ben')))).kind === 'held');
  late.link('inventory').blackhole();
  void press(client, pressOf(lost)).then(() => client.close());
  await until(() => isMarked(lost));
  late.link('redis').stall();
}

/** The answers of an inventory reach it, and what it says to Redis then does not arrive. */
async function diesWithAnswersOnTheirWay(): Promise<void> {
  const [yes, no] = [await scene.wish(), await scene.wish({ capacity: 1 })];
  const holder = scene.another(no, 'holder');
  await knowsTheSkus(scene.another(yes, 'ben'), holder);
  victim.link('inventory').delay(300);
  const answers = [askDying(yes), askDying(no)] as const;
  await until(async () => (await isMarked(yes)) && (await isMarked(no)));
  victim.link('redis').blackhole();
  const [said, saidNo] = await Promise.all(answers);
  told = { ...yes, said };
  refused = { ...no, said: saidNo, holder };
  await victim.kill();
}

/** One order is committed and its answer lost, then one is marked and nothing of it was heard. */
async function diesBeforeAnswers(): Promise<void> {
  [committed, marked] = [await scene.wish(), await scene.wish()];
  await knowsTheSkus(scene.another(committed, 'ben'), scene.another(marked, 'ben'));
  victim.link('inventory').dropReplies();
  void askDying(committed);
  await until(async () => (await scene.stateOf(committed)) === 'HELD');
  victim.link('inventory').blackhole();
  void askDying(marked);
  await until(() => isMarked(marked));
  await victim.kill();
}

/** Others ask first, so that it has a stream to the inventory and knows what limits the skus have. */
async function knowsTheSkus(...others: Wish[]): Promise<void> {
  for (const other of others) {
    await until(async () => (await askDying(other)).kind === 'held');
  }
}

function askDying(wish: Wish): Promise<Said> {
  return press(dying, pressOf(wish));
}

function askLiving(wish: Wish, deadlineMs = 10_000): Promise<Said> {
  return press(living, pressOf(wish), deadlineMs);
}

function pressOf({ userId: user, key, skuId, storeId }: Wish): Press {
  return { user, key, skuId, storeId };
}

function isMarked({ orderId }: Wish): Promise<boolean> {
  return scene.journal.isMarked(orderId);
}

/** Until the mark of the dead has ended, each is told to come again; then comes an answer. */
async function insist(wish: Wish): Promise<{ waited: number; said: Said }> {
  let waited = 0;
  const said = await until(
    async () => {
      const answer = await askLiving(wish, 1_000);
      if (answer.kind !== 'REQUEST_IN_PROGRESS') return answer;
      assert.ok((answer.retryAfterMs ?? 0) > 0);
      waited += 1;
      return undefined;
    },
    { timeoutMs: 20_000 },
  );
  return { waited, said };
}

async function assertOneOrder(wish: Wish): Promise<void> {
  assert.is(await scene.count('orders', `order_id = '${wish.orderId}'`), 1);
  assert.equal(await scene.movements(wish), ['ADMIT']);
}

test('B04: a mark ends before its try does: another gateway executes, and the late word of the first changes nothing', async () => {
  const { said } = await insist(lost);
  assert.equal([said.kind, orderIdOf(said)], ['held', lost.orderId]);
  await until(async () => (await late.metric('reservations_total{outcome="error"')) > 0);
  const { stats } = late.link('redis');
  const heard = stats.toServerBytes;
  late.link('redis').heal();
  await until(() => stats.toServerBytes > heard);
  const before = await placements();
  for (let times = 0; times < 5; times += 1) assert.is(orderIdOf(await askLiving(lost)), lost.orderId);
  assert.is((await placements()) - before, 0);
  assert.is((await askLiving({ ...lost, skuId: 'another' })).kind, 'REQUEST_ID_REUSED');
  await assertOneOrder(lost);
});

test('3 B06: it dies with a mark made and nothing placed: told to wait while the mark is held, then executed once', async () => {
  assert.is(await scene.stateOf(marked), undefined);
  const { waited, said } = await insist(marked);
  assert.ok(waited > 0);
  assert.equal([said.kind, orderIdOf(said)], ['held', marked.orderId]);
  await assertOneOrder(marked);
});

test('10 B06: it dies after the commit, before it heard of it: the same key gets that order', async () => {
  const { said } = await insist(committed);
  assert.equal([said.kind, orderIdOf(said)], ['held', committed.orderId]);
  await assertOneOrder(committed);
});

test('10: it dies after it told a yes, before that was stored: the same key gets that order', async () => {
  assert.is(told.said.kind, 'held');
  const { said } = await insist(told);
  assert.equal([said.kind, orderIdOf(said)], ['held', told.orderId]);
  await assertOneOrder(told);
});

test('10: it dies with a no that was not stored: what was told stays true, though the unit is free again', async () => {
  await scene.ledger.expire(refused.holder.orderId);
  await scene.ledger.ledger.ordersExpire(10);
  const { said } = await insist(refused);
  if (refused.said.kind === 'refused') assert.is(said.kind, 'refused');
  else assert.is(said.kind, 'held');
});

test('nothing is left open', () => scene.assertAtRest(inventory));

test.run();
