import { DeadLetterServiceDefinition } from '#libs/contracts/gen/holdfast/control/v1/dead_letter_service.js';
import { connect } from '#libs/rpc/client.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { Scene } from './scene.js';

const test = suite('a claim that the ledger cannot take');
let scene: Scene;
let inventory: string;
let order: string;
let http: string;

test.before(async () => {
  scene = await Scene.open();
  const { services } = scene;
  // The poison goes by the stream, as in a mesh that is well.
  await scene.switchOrderPath('STREAM');
  order = (await services.order()).grpcAddress;
  inventory = (await services.inventory()).grpcAddress;
  const gateway = (await services.gateway({ inventory, order })).grpcAddress;
  http = (await services.bff({ gateway })).httpAddress;
  await services.scheduler({ inventory, order });
});
test.after(() => scene.close());

test('D04: it is refused, kept and alerted of; replayed by an operator it is HELD, and so its retry is told', async () => {
  const wish = scene.another(await scene.wish({ capacity: 1 }), 'unlucky-ann');
  await scene.ledger.sql(
    `ALTER TABLE ledger.orders ADD CONSTRAINT test_no_luck CHECK (user_id NOT LIKE 'unlucky-%' OR state = 'REFUSED')`,
  );
  const refused = await scene.pressOn(http, wish);
  assert.equal([refused.status, refused.body.reason], [409, 'UNPROCESSABLE']);
  assert.equal((await scene.pressOn(http, wish)).body.reason, 'UNPROCESSABLE');
  await until(async () => (await scene.count('alerts', `kind = 'DEAD_LETTER' AND cleared_at IS NULL`)) === 1, {
    timeoutMs: 20_000,
  });

  await scene.ledger.sql('ALTER TABLE ledger.orders DROP CONSTRAINT test_no_luck');
  const letters = connect(DeadLetterServiceDefinition, order, { defaultDeadlineMs: 10_000 });
  const { deadLetters } = await letters.listDeadLetters({ withResolved: false, pageSize: 0, pageToken: '' });
  const letter = deadLetters.find(({ orderId }) => orderId === wish.orderId);
  const request = { deadLetterId: letter?.deadLetterId ?? 0, reason: 'the constraint is gone', requestId: 'r-1' };
  await letters.replayDeadLetter(request, {
    metadata: { 'holdfast-actor': 'olga', 'holdfast-actor-role': 'operator' },
  });
  letters.close();

  await scene.assertOneOrder(http, wish);
  assert.is(await scene.stateOf(wish), 'HELD');
  await until(async () => (await scene.events(wish, 'HELD')) === 1);
  await until(async () => (await scene.count('alerts', 'cleared_at IS NULL')) === 0, { timeoutMs: 20_000 });
  await scene.assertAtRest(inventory);
});

test.run();
