import {
  heldOrder,
  noRefusal,
  type Said,
  type StandInGateway,
  startStandInGateway,
} from '#libs/client/stand-in-gateway.js';
import { RefusalReason } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import { Fault } from '#libs/refusal/fault.js';
import { assert, suite } from '#libs/testing/suite.js';
import { gatewayDoors } from './gateway-door.js';
import type { Outcome } from './outcome.js';
import { type Person, person } from './scenario.js';
import { Visit } from './visit.js';

const test = suite('a visit through the gateway');
let gateway: StandInGateway;

test.before(async () => {
  gateway = await startStandInGateway();
});
test.after(() => gateway.close());

const { orderId } = heldOrder;
const held: Said = { $case: 'held', value: { order: heldOrder } };

/** Runs a visit against a gateway that gives these answers, the last one over and over. */
async function visit(wish: Partial<Person>, ...answers: Said[]): Promise<Outcome[]> {
  gateway.says(...answers);
  const doors = gatewayDoors(gateway.address);
  const lines = [{ skuId: 'mug', quantity: 1 }];
  const ada = person({ userId: 'ada', storeId: 'kiln', arrivesAtMs: 0, lines, ...wish });
  try {
    return await new Visit(ada, doors.of('token-of-ada'), Date.now()).run();
  } finally {
    doors.close();
  }
}

function no(reason: RefusalReason, facts: Partial<typeof noRefusal> = {}): Said {
  return { $case: 'refused', value: { refusal: { ...noRefusal, reason, ...facts }, ownOrder: undefined } };
}

test('a person shows a token of their own, and waits for their turn and for what a limit says', async () => {
  const limited = new Fault('RATE_LIMITED', 'too many', { retryAfterMs: 10, metadata: { limit: 'USER' } });
  const place: Said = { $case: 'queued', value: { skuId: 'mug', peopleAhead: 7, retryAfterMs: 10 } };
  const [outcome] = await visit({}, place, limited, held);
  assert.equal(
    gateway.tries.map(({ authorization, request }) => [authorization, request.requestId]),
    Array(3).fill(['Bearer token-of-ada', 'key-ada']),
  );
  assert.equal([outcome?.answer, outcome?.heldIds, outcome?.sends], ['HELD', [orderId], 3]);
  assert.equal(outcome?.setbacks, ['RATE_LIMITED USER']);
  const { firstSentAt = 0, queuedAt = 0, passedSentAt = 0, passedAt = 0, ...passage } = outcome?.passage ?? {};
  assert.equal(passage, { timesQueued: 1, mostAhead: 7, limits: ['USER'] });
  assert.ok(firstSentAt < queuedAt && queuedAt < passedSentAt && passedSentAt < passedAt);
});

test('a promise is followed to its decision', async () => {
  gateway.serves({
    async *watchOrder() {
      yield { order: heldOrder };
    },
  });
  const [outcome] = await visit({}, { $case: 'pending', value: { orderId } });
  assert.equal([outcome?.answer, outcome?.pendingIds, outcome?.heldIds], ['HELD', [orderId], [orderId]]);
});

test('who has patience comes back with a new key, and before the opening with the same', async () => {
  const nextReleaseAt = new Date(Date.now() + 100);
  const { REFUSAL_REASON_ALL_HELD, REFUSAL_REASON_NOT_ON_SALE } = RefusalReason;
  const patient = await visit({ patienceMs: 2_000 }, no(REFUSAL_REASON_ALL_HELD, { nextReleaseAt }), held);
  assert.equal(
    patient.map(({ key, answer }) => [key, answer]),
    [
      ['key-ada', 'REFUSED'],
      ['key-ada-2', 'HELD'],
    ],
  );
  const opensAt = new Date(Date.now() + 100);
  const early = await visit({}, no(REFUSAL_REASON_NOT_ON_SALE, { opensAt }), held);
  assert.equal([early.length, early[0]?.key, early[0]?.answer], [1, 'key-ada', 'HELD']);
});

test('an error that no repetition mends stands', async () => {
  const [outcome] = await visit({}, new Fault('SKU_NOT_FOUND', 'no such sku'));
  assert.equal([gateway.tries.length, outcome?.answer], [1, 'ERROR']);
  assert.match(outcome?.error ?? '', /^SKU_NOT_FOUND/);
});

test.run();
