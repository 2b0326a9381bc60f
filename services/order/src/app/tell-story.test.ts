import type { StoryEvent, StoryFacts } from '#libs/ledger/explain.js';
import type { LedgerOrder } from '#libs/ledger/rows.js';
import type { Refusal } from '#libs/refusal/refusal.js';
import { assert, suite } from '#libs/testing/suite.js';
import { tellStory } from './tell-story.js';

const test = suite('story in words');

const at = new Date('2026-05-01T10:00:00Z');
const order: LedgerOrder = {
  orderId: 'order-1',
  storeId: 'store-1',
  userId: 'anna',
  requestId: 'r',
  state: 'HELD',
  version: 1,
  lines: [
    { skuId: 'clinic-1', quantity: 2, attendeeId: 'anna', unitPriceMinor: 750 },
    { skuId: 'clinic-2', quantity: 1, attendeeId: 'kid', unitPriceMinor: 0 },
  ],
  amountMinor: 1_500,
  currency: 'EUR',
  createdAt: at,
  channel: 'APP',
  expiresAt: new Date('2026-05-01T10:15:00Z'),
};
const move = (skuId: string, free: number, held: number, sold: number) => ({ skuId, free, held, sold });
const taken = [move('clinic-1', -2, 2, 0), move('clinic-2', -1, 1, 0)];

function told(facts: StoryFacts, parts: Partial<LedgerOrder> = {}): string {
  const event: StoryEvent = { at, orderId: 'order-1', ...facts };
  return tellStory([event], [{ ...order, ...parts }])[0]?.text ?? '';
}

test('what was held is told with its units, for whom, and until when', () => {
  const held = { what: 'HELD', version: 1, moves: taken } as const;
  assert.is(told(held), 'held 2 of clinic-1 for anna, 1 of clinic-2 for kid until 10:15:00Z');
  const nextDay = new Date('2026-05-02T00:05:00Z');
  assert.match(told(held, { expiresAt: nextDay }), /until 2026-05-02T00:05:00Z$/);
  assert.match(told({ ...held, moves: [] }), /, but no unit moved$/);
});

test('the end of an order is told with what came back', () => {
  const lines = order.lines.slice(0, 1);
  const sold: StoryFacts = { what: 'CONFIRMED', version: 2, moves: [move('clinic-1', 0, -2, 2)] };
  assert.is(told(sold, { lines }), 'sold 2 of clinic-1 for anna');
  const atOnce: StoryFacts = { what: 'CONFIRMED', version: 1, moves: [move('clinic-1', -2, 0, 2)] };
  assert.match(told(atOnce, { lines }), /anna without a payment$/);
  assert.match(told({ ...atOnce, version: 4 }, { lines }), /anna, taken anew for late money$/);
  const back = [move('clinic-1', 2, -2, 0)];
  assert.is(told({ what: 'EXPIRED', version: 2, moves: back }), 'expired unpaid, 2 of clinic-1 given back');
  const ill = { what: 'CANCELLED', version: 2, note: 'ill', moves: back } as const;
  assert.is(told(ill), 'cancelled (ill), 2 of clinic-1 given back');
});

test('what was changed since is told as it was: units that came back, that went to another sku, and more time', () => {
  const lines = order.lines.slice(0, 1);
  const three: StoryFacts = { what: 'HELD', version: 1, moves: [move('clinic-1', -3, 3, 0)] };
  assert.match(told(three, { lines }), /^held 3 of clinic-1 until/);
  assert.is(told({ ...three, version: 2, moves: [move('clinic-1', 1, -1, 0)] }, { lines }), '1 of clinic-1 given back');
  const other = [move('clinic-1', 2, -2, 0), move('clinic-2', -2, 2, 0)];
  const moved = 'moved: clinic-1 free +2, held -2; clinic-2 free -2, held +2';
  assert.is(told({ ...three, version: 3, moves: other }, { lines }), moved);
  assert.is(told({ ...three, version: 4, moves: [] }, { lines }), 'prolonged until 10:15:00Z');
});

test('what another than its user changed is told with who did', () => {
  const lines = order.lines.slice(0, 1);
  const back = [move('clinic-1', 2, -2, 0)];
  const by = { by: 'sam', version: 2 };
  assert.is(told({ what: 'CANCELLED', ...by, moves: back }), 'cancelled by sam, 2 of clinic-1 given back');
  const ill = told({ what: 'CANCELLED', ...by, note: 'ill', moves: back });
  assert.is(ill, 'cancelled by sam (ill), 2 of clinic-1 given back');
  assert.is(told({ what: 'HELD', ...by, moves: back }, { lines }), '2 of clinic-1 given back by sam');
  const other = [...back, move('clinic-2', -2, 2, 0)];
  const moved = 'moved by sam: clinic-1 free +2, held -2; clinic-2 free -2, held +2';
  assert.is(told({ what: 'HELD', ...by, moves: other }, { lines }), moved);
  assert.is(told({ what: 'FULFILLED', ...by, moves: [] }, { lines }), 'fulfilled 2 of clinic-1 for anna by sam');
});

test('each refusal is told with its figures', () => {
  const lines = order.lines.slice(0, 1);
  const refused = (refusal: Omit<Refusal, 'skuId'>) =>
    told({ what: 'REFUSED', version: 1, refusal: { skuId: 'clinic-1', ...refusal } }, { lines }).replace(
      'refused 2 of clinic-1 for anna: ',
      '',
    );
  const five = new Date('2026-05-01T10:05:00Z');
  assert.is(refused({ reason: 'NOT_ENOUGH', free: 1 }), 'only 1 of clinic-1 were free');
  const allHeld = 'none of clinic-1 was free, some were on hold, the first hold ended at 10:05:00Z';
  assert.is(refused({ reason: 'ALL_HELD', nextReleaseAt: five }), allHeld);
  assert.is(refused({ reason: 'SOLD_OUT' }), 'clinic-1 was sold out');
  assert.is(refused({ reason: 'NOT_ON_SALE', closedAt: five }), 'clinic-1 was not on sale, it closed at 10:05:00Z');
  assert.is(refused({ reason: 'NOT_ON_SALE', opensAt: five }), 'clinic-1 was not on sale, it opened at 10:05:00Z');
  assert.is(refused({ reason: 'NOT_ON_SALE', slotPast: true }), 'clinic-1 was not on sale, it had begun');
  assert.is(refused({ reason: 'LIMIT_REACHED', limit: 1 }), 'one may have 1 of clinic-1');
  const scoped = { reason: 'LIMIT_REACHED', limit: 1 } as const;
  assert.is(refused({ ...scoped, scope: 'STORE' }), 'one may have 1 of all skus of the store');
  assert.is(refused({ ...scoped, scope: 'GROUP' }), 'one may have 1 of the group of clinic-1');
  assert.is(refused({ ...scoped, scope: 'OPEN_ORDERS' }), 'one may have 1 unpaid at the store');
  assert.is(refused({ ...scoped, scope: 'UNFULFILLED' }), 'one may have 1 unused at the store');
  const own = refused({ reason: 'LIMIT_REACHED', limit: 1, ownOrderId: 'order-2' });
  assert.is(own, 'one may have 1 of clinic-1, see order order-2');
  assert.is(refused({ reason: 'MAX_PER_ORDER', limit: 10 }), 'an order may take 10 of clinic-1');
  assert.is(refused({ reason: 'PAUSED' }), 'clinic-1 was paused');
  assert.is(refused({ reason: 'SALE_CANCELLED' }), 'the sale of clinic-1 was cancelled');
  assert.is(refused({ reason: 'UNPROCESSABLE' }), 'it could not be processed');
});

test('money is told in its currency, with as many decimals as that has', () => {
  const paid = { what: 'PAID', provider: 'bank', paymentId: 'pi-1', amountMinor: 1_500, currency: 'EUR' } as const;
  assert.is(told(paid), 'paid 15.00 EUR by bank, pi-1');
  assert.is(told({ ...paid, currency: 'JPY' }), 'paid 1500 JPY by bank, pi-1');
  assert.is(told({ ...paid, what: 'REFUND_DUE' }), 'paid 15.00 EUR by bank, pi-1; it is due for refund');
});

test('what people and processes did about it is told with who and why', () => {
  const letter = { what: 'DEAD_LETTER', letterId: 7, subject: 'claims.1', error: 'broken' } as const;
  assert.is(told(letter), 'could not be processed, kept as dead letter 7 of claims.1: broken');
  const replayed = { what: 'REPLAYED', letterId: 7, by: 'olga', reason: 'mended' } as const;
  assert.is(told(replayed), 'dead letter 7 replayed by olga: mended');
  assert.is(told({ what: 'REPAIRED', moves: [move('clinic-1', -1, 1, 0)] }), 'repaired: clinic-1 free -1, held +1');
  assert.is(told({ what: 'PUBLISHED', version: 1, state: 'HELD' }), 'event published: HELD, version 1');
  const change = { change: 'PAUSE', skuId: 'clinic-1', was: 'on sale', became: 'paused' };
  const paused = told({ what: 'CHANGED', ...change, by: 'olga', reason: 'flood' });
  assert.is(paused, 'PAUSE of clinic-1 by olga, on sale -> paused: flood');
});

test('an answer is told with the key it was given to, by whom, after how long, and for how many it stands', () => {
  const pressed = { what: 'ASKED', requestId: 'k-1', answer: 'SOLD_OUT', tookMs: 12, instance: 'gateway-1' } as const;
  const text = 'pressed with key k-1, was told SOLD_OUT after 12 ms by gateway-1';
  assert.is(told({ ...pressed, isReplay: false, weight: 1 }), text);
  const again = told({ ...pressed, isReplay: true, weight: 39.6 });
  assert.is(again, `${text.replace('told', 'again told')}; it stands for about 40 like it`);
});

test('a wait is told with its place, and what became of it', () => {
  const wait = { what: 'WAITS', skuId: 'clinic-1', quantity: 2, place: 7 } as const;
  const joined = told({ ...wait, state: 'WAITING', behind: 3 });
  assert.is(joined, 'joined the waitlist of clinic-1 for 2, number 7, 3 waited');
  assert.match(
    told({ ...wait, state: 'WAITING', behind: 3, barred: 'LIMIT_REACHED' }),
    /passed over now: LIMIT_REACHED$/,
  );
  const offered = told({ ...wait, state: 'OFFERED', offerId: 'o-2' });
  assert.is(offered, 'was next in the waitlist of clinic-1 and was offered 2, order o-2');
  assert.is(told({ ...wait, state: 'LEFT', note: 'ill' }), 'left the waitlist of clinic-1: ill');
});

test.run();
