import { assert, suite } from '#libs/testing/suite.js';
import { saleWindow, saysNo, type Terms } from './terms.js';

const test = suite('terms');

const at = (ms: number): Date => new Date(ms);
const terms = (some: Partial<Terms> = {}): Terms => ({ free: 2, paused: false, ...some });

test('without terms a sku is on sale at any time', () => {
  assert.not(saysNo(terms(), 2, at(0)));
  assert.not(saysNo(terms(), 2, at(8e15)));
});

test('a sale opens at on_sale_at and is over at off_sale_at', () => {
  const sale = terms({ onSaleAt: at(100), offSaleAt: at(200) });
  assert.equal(
    [99, 100, 199, 200].map((ms) => saysNo(sale, 1, at(ms))),
    [true, false, false, true],
  );
});

test('nobody buys a slot that has begun, whatever off_sale_at says', () => {
  assert.equal(saleWindow(terms({ startsAt: at(150), offSaleAt: at(200) })).untilMs, 150);
});

test('a paused sku is never open', () => {
  assert.ok(saysNo(terms({ paused: true }), 1, at(100)));
});

test('fewer free than wanted is a no', () => {
  assert.ok(saysNo(terms({ free: 2 }), 3, at(0)));
});

test.run();
