import { OrderState } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import { Fault } from '#libs/refusal/fault.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { waitSecondsOf } from '../src/adapters/prefer.js';
import { type EdgeUnderTest, good, goodHeaders, startEdgeUnderTest } from './edge-under-test.js';
import { type Answer, orderOf } from './fake-gateway.js';

const test = suite('bff prefer');
let edge: EdgeUnderTest;

test.before(async () => {
  edge = await startEdgeUnderTest();
});
test.before.each(() => edge.reset());
test.after(() => edge.close());

const pending = { $case: 'pending', value: { orderId: 'o-1' } } as const;
const prefer = (wait: string) => ({ ...goodHeaders, prefer: `wait=${wait}` });

test('the first wait counts, quoted or bare, among other preferences; what is not understood is passed over', () => {
  const read: [string | undefined, number | undefined][] = [
    [undefined, undefined],
    ['wait=5', 5],
    ['Wait = "7"', 7],
    ['respond-async, wait=10', 10],
    ['handling=lenient; x=1, wait=3; y', 3],
    ['wait=1, wait=9', 1],
    ['foo="a, wait=5"', undefined],
    ['await=5', undefined],
    ['wait', undefined],
    ['wait=', undefined],
    ['wait=-1', undefined],
    ['wait=1.5', undefined],
    ['wait=1e3', undefined],
    ['wait=soon', undefined],
    ['wait=0', 0],
    ['wait=99999999999', undefined],
  ];
  for (const [header, seconds] of read) assert.is(waitSecondsOf(header), seconds, header);
});

test('who would wait hears of a pending order how it was decided', async () => {
  const answers: Answer[] = [pending, { $case: 'held', value: { order: orderOf({ userId: 'ana' }) } }];
  edge.asked.answer = () => answers.shift() ?? 'never';
  edge.asked.orders.now = orderOf({ state: OrderState.ORDER_STATE_PENDING });
  const asked = edge.post(good, prefer('1'));
  await until(() => edge.asked.orders.watching === 1);
  edge.asked.orders.say(orderOf({}));
  const answer = await asked;
  assert.equal([answer.status, answer.body.state], [201, 'HELD']);
  assert.is(answer.headers.get('preference-applied'), 'wait=1');
  assert.equal(
    edge.asked.reserved.map(({ request }) => request?.requestId),
    ['key-1', 'key-1'],
  );
});

test('PENDING stays the answer when nobody can say more, or the time is over', async () => {
  for (const wait of ['0', '1']) {
    edge.asked.answer = () => pending;
    const answer = await edge.post(good, prefer(wait));
    assert.equal([answer.status, answer.body.state], [202, 'PENDING']);
    assert.is(answer.headers.get('preference-applied'), `wait=${wait}`);
  }
  assert.is(edge.asked.reserved.length, 2);
});

test('nobody waits longer than a request is worked on, and who says nothing waits as ever', async () => {
  const long = await edge.post(good, prefer('3600'));
  assert.equal([long.status, long.headers.get('preference-applied')], [201, 'wait=2']);
  for (const other of ['respond-async', 'wait=soon']) {
    edge.asked.answer = () => pending;
    edge.asked.orders.now = orderOf({});
    const answer = await edge.post(good, { ...goodHeaders, prefer: other });
    assert.equal([answer.status, answer.headers.get('preference-applied')], [202, null]);
  }
});

test('a change of what is not decided yet is tried again while its caller would wait', async () => {
  const path = '/v1/orders/o-1:cancel';
  edge.asked.fault = new Fault('ORDER_PENDING', 'not decided yet');
  edge.asked.faultsLeft = 2;
  const answer = await edge.post({}, prefer('2'), path);
  assert.equal([answer.status, answer.body.state, edge.asked.cancelled.length], [200, 'CANCELLED', 1]);
  edge.asked.faultsLeft = 1;
  const none = await edge.post({}, goodHeaders, path);
  assert.equal([none.status, none.body.reason, none.headers.get('retry-after')], [409, 'ORDER_PENDING', '1']);
  edge.asked.fault = new Fault('ORDER_STATE', 'it ended');
  edge.asked.faultsLeft = 1;
  const ended = await edge.post({}, prefer('2'), path);
  assert.equal(
    [ended.status, ended.body.reason, ended.headers.get('preference-applied')],
    [409, 'ORDER_STATE', 'wait=2'],
  );
});

test.run();
