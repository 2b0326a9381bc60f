import { AvailabilityState } from '#libs/contracts/gen/holdfast/inventory/v1/sku.js';
import type { SkuStock } from '#libs/ledger/rows.js';
import { assert, suite } from '#libs/testing/suite.js';
import { toAvailabilityMessage } from './sku-messages.js';

const test = suite('sku messages');

const now = new Date('2030-01-07T09:00:00Z');
const later = new Date('2030-01-07T09:10:00Z');
const stock = (some: Partial<SkuStock>): SkuStock => ({
  skuId: 'a',
  storeId: 's',
  capacity: 3,
  overbooked: 0,
  free: 0,
  reserved: 0,
  held: 0,
  sold: 0,
  version: 1,
  paused: false,
  perUserLimit: 1,
  maxPerOrder: 10,
  ...some,
});

test('K07: with units free a buyer is told how many, and how many are on hold', () => {
  const told = toAvailabilityMessage(stock({ free: 1, held: 2, nextReleaseAt: later }), now);
  assert.equal([told.state, told.free, told.held], [AvailabilityState.AVAILABILITY_STATE_AVAILABLE, 1, 2]);
  assert.is(told.nextReleaseAt, undefined);
});

test('with all units held a buyer is told when the next may come back', () => {
  const told = toAvailabilityMessage(stock({ held: 2, sold: 1, nextReleaseAt: later }), now);
  assert.is(told.state, AvailabilityState.AVAILABILITY_STATE_ALL_HELD);
  assert.is(told.nextReleaseAt, later);
});

test('with all units sold there is nothing to wait for', () => {
  assert.is(toAvailabilityMessage(stock({ sold: 3 }), now).state, AvailabilityState.AVAILABILITY_STATE_SOLD_OUT);
});

test('K07: while it is overbooked a sku is held only if some hold can leave a unit free', () => {
  const overbooked = { capacity: 1, overbooked: 2, nextReleaseAt: later };
  const held = toAvailabilityMessage(stock({ ...overbooked, held: 3 }), now);
  assert.equal([held.state, held.free, held.held], [AvailabilityState.AVAILABILITY_STATE_ALL_HELD, 0, 3]);
  assert.is(held.nextReleaseAt, later);
  const sold = toAvailabilityMessage(stock({ ...overbooked, held: 2, sold: 1 }), now);
  assert.is(sold.state, AvailabilityState.AVAILABILITY_STATE_SOLD_OUT);
  assert.is(sold.nextReleaseAt, undefined);
});

test('a paused sku is not on sale, and its opening stays where it was', () => {
  const paused = toAvailabilityMessage(stock({ free: 3, paused: true }), now);
  assert.equal([paused.onSale, paused.opensInMs, paused.free], [false, 0, 3]);
  const early = toAvailabilityMessage(stock({ free: 3, paused: true, onSaleAt: later }), now);
  assert.equal([early.onSale, early.opensInMs], [false, 600_000]);
});

test("before the opening a buyer is told how long it takes, by the ledger's clock", () => {
  const told = toAvailabilityMessage(stock({ free: 3, onSaleAt: later }), now);
  assert.equal([told.onSale, told.opensInMs], [false, 600_000]);
});

test.run();
