import { ReservationServiceDefinition } from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import { type Client, connect } from '#libs/rpc/client.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { orderIdOf, press, type Said } from '../press.js';
import type { Victim } from '../victim.js';
import { Scene, type Wish } from './scene.js';

type Gateway = Client<typeof ReservationServiceDefinition>;

const test = suite('a gateway dies or stands still, and another one is asked');
let scene: Scene;
let inventory: string;
let victim: Victim;
/** Two gateways of one mesh: the victim, and one that lives. */
let dying: Gateway;
let living: Gateway;
/** What the victim was about when it went, by how far it had come. Each holds a mark for ten seconds more. */
let marked: Wish;
let committed: Wish;
let told: Wish & { said: Said };
let refused: Wish & { said: Said; holder: Wish };

test.before(async () => {
  scene = await Scene.open();
  const order = (await scene.services.order()).grpcAddress;
  inventory = (await scene.services.inventory()).grpcAddress;
  const upstreams = { inventory, order, redis: scene.redis.url };
  const [gateway, first] = await Promise.all([
    scene.services.gateway({ inventory, order }),
    scene.victim('gateway', upstreams),
  ]);
  victim = first;
  living = connect(ReservationServiceDefinition, gateway.grpcAddress, { defaultDeadlineMs: 10_000 });
  dying = connect(ReservationServiceDefinition, victim.address, { defaultDeadlineMs: 10_000 });
  await diesWithAnswersOnTheirWay();
  await victim.restart();
  await diesBeforeAnswers();
});
test.after(async () => {
  living.close();
  dying.close();
  await scene.close();
});

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
  return press(dying, wishToPress(wish), 10_000);
}

function askLiving(wish: Wish, deadlineMs = 10_000): Promise<Said> {
  return press(living, wishToPress(wish), deadlineMs);
}

function wishToPress({ userId: user, key, skuId, storeId }: Wish) {
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

test('B04: it stands still for longer than its mark lasts: another executes, and its late word changes nothing', async () => {
  await victim.restart();
  const wish = await scene.wish();
  await knowsTheSkus(scene.another(wish, 'ben'));
  victim.link('inventory').blackhole();
  void askDying(wish);
  await until(() => isMarked(wish));
  victim.freeze();
  const { waited, said } = await insist(wish);
  assert.ok(waited > 0);
  assert.equal([said.kind, orderIdOf(said)], ['held', wish.orderId]);
  victim.link('inventory').heal();
  victim.thaw();
  await until(async () => (await victim.metric('reservations_total{outcome="error"')) === 1);
  assert.is(orderIdOf(await askLiving(wish)), wish.orderId);
  assert.is((await askLiving({ ...wish, skuId: 'another' })).kind, 'REQUEST_ID_REUSED');
  await assertOneOrder(wish);
  await scene.assertAtRest(inventory);
});

test.run();
