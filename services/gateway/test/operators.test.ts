import { AlertServiceDefinition } from '#libs/contracts/gen/holdfast/control/v1/alert_service.js';
import { ControlServiceDefinition } from '#libs/contracts/gen/holdfast/control/v1/control_service.js';
import { DeadLetterServiceDefinition } from '#libs/contracts/gen/holdfast/control/v1/dead_letter_service.js';
import { ExplainServiceDefinition } from '#libs/contracts/gen/holdfast/control/v1/explain_service.js';
import { MoneyServiceDefinition } from '#libs/contracts/gen/holdfast/control/v1/money_service.js';
import { OrderDeskServiceDefinition } from '#libs/contracts/gen/holdfast/control/v1/order_desk_service.js';
import { ReconcileServiceDefinition } from '#libs/contracts/gen/holdfast/control/v1/reconcile_service.js';
import { OrderState } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import { SchedulerServiceDefinition } from '#libs/contracts/gen/holdfast/scheduler/v1/scheduler_service.js';
import { orderId } from '#libs/contracts/order-id.js';
import { Fault } from '#libs/refusal/fault.js';
import { type Client, connect } from '#libs/rpc/client.js';
import type { ServiceDefinition } from '#libs/rpc/definition.js';
import type { RpcServer } from '#libs/rpc/server.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import { stockControl } from '../src/adapters/control.js';
import { emptyBooks, orderOf, startFakeScheduler } from './fake-peers.js';
import { as, type GatewaysUnderTest, startGateways } from './gateways-under-test.js';

const test = suite('operators');

const olga = as('olga', { role: 'OPERATOR' });
/** What is passed on, and to whom. */
const passedOn: [definition: ServiceDefinition, owner: string][] = [
  [stockControl, 'inventory'],
  [ReconcileServiceDefinition, 'inventory'],
  [AlertServiceDefinition, 'order'],
  [DeadLetterServiceDefinition, 'order'],
  [ExplainServiceDefinition, 'order'],
  [MoneyServiceDefinition, 'order'],
  [OrderDeskServiceDefinition, 'order'],
  [SchedulerServiceDefinition, 'scheduler'],
];

const schedulerBooks = emptyBooks();
let gateways: GatewaysUnderTest;
let scheduler: RpcServer;
let explain: Client<ExplainServiceDefinition>;

test.before(async () => {
  scheduler = await startFakeScheduler(schedulerBooks);
  gateways = await startGateways(1, { SCHEDULER_TARGET: scheduler.address });
  explain = connect(ExplainServiceDefinition, gateways.addresses[0] ?? '', { defaultDeadlineMs: 20_000 });
});
test.before.each(() => {
  schedulerBooks.asked.length = 0;
  gateways.books.asked = [];
  gateways.books.answers.clear();
});
test.after(async () => {
  explain.close();
  await gateways.close();
  await scheduler.drain();
});

interface Verb {
  name: string;
  owner: string;
  call(options: object): Promise<unknown>;
}

/** Every verb, to be called with a request in which nothing is set but an order's id. */
async function eachVerb(act: (verb: Verb) => Promise<void>): Promise<void> {
  for (const [definition, owner] of passedOn) {
    const client = connect(definition, gateways.addresses[0] ?? '', { defaultDeadlineMs: 20_000 });
    for (const [key, method] of Object.entries(definition.methods)) {
      const ask = client[key as keyof typeof client] as unknown as (
        request: object,
        options: object,
      ) => Promise<unknown>;
      const request = {
        ...(method.requestType.decode(Buffer.alloc(0)) as object),
        orderId: orderId('store-1', 'ana', key),
      };
      await act({ name: method.name, owner, call: (options) => ask(request, options) });
    }
    client.close();
  }
}

const asked = () => [...gateways.books.asked, ...schedulerBooks.asked];

test('who is no operator is told so by every verb, and nothing is passed on', async () => {
  await eachVerb(async ({ name, call }) => {
    for (const who of [as('ana'), as('sam', { role: 'STAFF', stores: ['store-1'] }), as('shop', { role: 'SERVICE' })]) {
      assert.is((await rejectionOf(call(who), Fault)).reason, 'PERMISSION_DENIED', name);
    }
  });
  assert.equal(asked(), []);
});

test('what an operator asks goes to the service that owns it, with the name of who asks', async () => {
  const expected: object[] = [];
  await eachVerb(async ({ name, owner, call }) => {
    await call(olga);
    expected.push({ of: owner, method: name, user: 'olga', role: 'operator' });
  });
  const byName = (one: object, other: object) => JSON.stringify(one).localeCompare(JSON.stringify(other));
  assert.equal(asked().sort(byName), expected.sort(byName));
  assert.is(expected.length, 11 + 5 + 3 + 3 + 4 + 3 + 3 + 4);
});

test('what the owner says is wrong is told as it was said', async () => {
  const fault = new Fault('CAPACITY_BELOW_TAKEN', '12 units are taken', { metadata: { taken: '12', held: '2' } });
  gateways.books.answers.set('SetCapacity', fault);
  const control = connect(ControlServiceDefinition, gateways.addresses[0] ?? '', { defaultDeadlineMs: 20_000 });
  const request = { storeId: 's', skuId: 'a', capacity: 3, force: false, reason: 'r', requestId: '1' };
  const told = await rejectionOf(control.setCapacity(request, olga), Fault);
  control.close();
  assert.equal([told.reason, told.message, told.metadata], [fault.reason, fault.message, fault.metadata]);
});

test('of an order that has no row yet the story begins with its claim', async () => {
  const id = orderId('store-1', 'ana', 'pending');
  gateways.books.claims.set(id, orderOf({ orderId: id, userId: 'ana' }, OrderState.ORDER_STATE_PENDING));
  gateways.books.answers.set('ExplainOrder', new Fault('ORDER_NOT_FOUND', 'no row'));
  const { order, events } = await explain.explainOrder({ orderId: id }, olga);
  assert.equal([order?.orderId, order?.state], [id, OrderState.ORDER_STATE_PENDING]);
  assert.equal(
    events.map(({ orderId: of, what }) => [of, what]),
    [[id, 'CLAIMED']],
  );
  assert.match(events[0]?.text ?? '', /not decided/);
});

test('an order that neither the ledger nor the journal knows is not found, unless the journal cannot be read', async () => {
  const id = orderId('store-1', 'ana', 'nothing');
  gateways.books.answers.set('ExplainOrder', new Fault('ORDER_NOT_FOUND', 'no row'));
  assert.is((await rejectionOf(explain.explainOrder({ orderId: id }, olga), Fault)).reason, 'ORDER_NOT_FOUND');
  gateways.books.journalIsAway = true;
  const unknown = await rejectionOf(explain.explainOrder({ orderId: id }, olga), Fault);
  gateways.books.journalIsAway = false;
  assert.is(unknown.reason, 'UNAVAILABLE');
  const malformed = await rejectionOf(explain.explainOrder({ orderId: 'two words' }, olga), Fault);
  assert.is(malformed.violations[0]?.field, 'order_id');
});

test('a gateway that knows no scheduler says so', async () => {
  const without = await startGateways(1, {});
  const client = connect(SchedulerServiceDefinition, without.addresses[0] ?? '', { defaultDeadlineMs: 20_000 });
  const fault = await rejectionOf(client.listJobs({}, olga), Fault);
  const denied = await rejectionOf(client.listJobs({}, as('ana')), Fault);
  client.close();
  await without.close();
  assert.match(fault.message, /SCHEDULER_TARGET/);
  assert.is(denied.reason, 'PERMISSION_DENIED');
});

test.run();
