import { readFileSync } from 'node:fs';
import { OrderState } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import { WaitlistEntry, WaitlistState } from '#libs/contracts/gen/holdfast/waitlist/v1/waitlist.js';
import { orderId } from '#libs/contracts/order-id.js';
import { Fault, type FaultReason } from '#libs/refusal/fault.js';
import { toStatus } from '#libs/rpc/status.js';
import { assert, suite } from '#libs/testing/suite.js';
import type { Caller } from '../src/app/ports.js';
import { type EndOfTry, type Remainder, remainders } from '../src/domain/ending-of.js';
import { type ChangesUnderTest, caseOf, changesWith, type Placing, refusalOf } from './changes-under-test.js';
import { orderOf } from './fake-peers.js';

/** Walks the table of docs/idempotency.md row by row: the page says what is done. */
const test = suite('idempotency page');

const page = readFileSync(new URL('../../../../docs/idempotency.md', import.meta.url), 'utf8');
const rows = [...page.matchAll(/^\| `(\w+)` +\| (STORE|FORGET|LEAVE) +\|$/gm)].map(
  ([, end, stays]) => [end, stays] as [EndOfTry, Remainder],
);
const id = orderId('store-1', 'ana', 'key-1');
const request = {
  storeId: 'store-1',
  requestId: 'key-1',
  lines: [{ skuId: 'sku-1', quantity: 1, attendeeId: '', unitPriceMinor: 0 }],
};
const caller = { remainingMs: () => 5_000 } as Caller;
const held = orderOf({ orderId: id, userId: 'ana' }, OrderState.ORDER_STATE_HELD);

test('B09: the page has a row for every way in which a try can end, and says of each what the code says', () => {
  assert.equal(Object.fromEntries(rows), { ...remainders });
  assert.is(rows.length, Object.keys(remainders).length);
});

const waiting = {
  ...WaitlistEntry.decode(Buffer.alloc(0)),
  entryId: id,
  skuId: 'a',
  userId: 'ana',
  state: WaitlistState.WAITLIST_STATE_WAITING,
};

const outcomes: Partial<Record<EndOfTry, Placing>> = {
  HELD: async () => ({ $case: 'held', value: held }),
  PENDING: async () => ({ $case: 'pending', value: {} }),
  REFUSED: async () => ({ $case: 'refused', value: refusalOf('REFUSAL_REASON_SOLD_OUT') }),
  WAITLISTED: async () => ({ $case: 'waitlisted', value: waiting }),
  REFUSED_UNTIL_OPENING: async () => ({
    $case: 'refused',
    value: refusalOf('REFUSAL_REASON_NOT_ON_SALE', { opensAt: new Date(Date.now() + 60_000) }),
  }),
};

for (const [end, stays] of rows) {
  if (end === 'OK') {
    test('B09: the answer to a cancellation is stored', () => walkCancellation(async () => held, stays));
    continue;
  }
  const place = outcomes[end];
  if (place !== undefined) {
    test(`B09: after ${end} the mark says ${stays}`, () => walkReservation(place, stays));
    continue;
  }
  const fault = new Fault(end as FaultReason, 'as the page says');
  test(`B09: after ${end} the mark says ${stays}`, async () => {
    await walkReservation(async () => ({ $case: 'error', value: toStatus(fault) }), stays);
    await walkReservation(() => Promise.reject(fault), stays);
    await walkCancellation(() => Promise.reject(fault), stays);
  });
}

/** Tries twice as the first, and twice when one is known of; what is told the second time tells what stayed of the first. */
async function walkReservation(place: Placing, stays: Remainder): Promise<void> {
  const changes = changesWith(place, { waitlists: { find: async () => waiting } });
  changes.claims.set(id, orderOf({ orderId: id, userId: 'ana' }, OrderState.ORDER_STATE_PENDING));
  const first = await changes.reserve('ana', request, 5_000);
  const placed = changes.placed.length;
  assert.is(kindOf(changes), stays);
  const second = await changes.reserve('ana', request, 5_000);
  assert.is(caseOf(second), caseOf(first));
  if (stays === 'STORE') assert.is(changes.placed.length, placed, 'nothing is carried out again');
  else assert.is(changes.placed[placed]?.hold.firstForMs, stays === 'FORGET' ? 3_600_000 : 0);
  changes.close();

  const later = changesWith(place);
  later.requests.answer = { kind: 'GO', firstForMs: 0 };
  await later.reserve('ana', request, 5_000);
  assert.is(kindOf(later), stays === 'FORGET' ? 'LEAVE' : stays, 'what is not the first is never forgotten');
  later.close();
}

async function walkCancellation(cancel: () => Promise<typeof held>, stays: Remainder): Promise<void> {
  let cancelled = 0;
  const changes = changesWith(async () => undefined, {
    orders: {
      cancel: () => {
        cancelled += 1;
        return cancel().then((order) => ({ order }));
      },
    },
  });
  const tell = (): Promise<unknown> =>
    changes.cancelOrder({ orderId: id, userId: 'ana', requestId: 'key-1', reason: '' }, caller).then(
      (response) => response.order?.orderId,
      (fault: Fault) => fault.reason,
    );
  const first = await tell();
  assert.is(kindOf(changes), stays);
  assert.is(await tell(), first);
  assert.is(cancelled, stays === 'STORE' ? 1 : 2);
  changes.close();
}

function kindOf({ requests }: ChangesUnderTest): Remainder | undefined {
  return requests.ended[0]?.as.kind;
}

test.run();
