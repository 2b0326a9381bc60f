import { assert, suite } from '#libs/testing/suite.js';
import { saleWindow, type Terms } from './terms.js';

const test = suite('terms');

const at = (ms: number): Date => new Date(ms);
const windowOf = (some: Partial<Terms>): [fromMs: number, untilMs: number] => {
  const { fromMs, untilMs } = saleWindow({ paused: false, ...some });
  return [fromMs, untilMs];
};

test('without terms a sku is on sale at any time', () => {
  const [fromMs, untilMs] = windowOf({});
  assert.is(fromMs, 0);
  assert.ok(untilMs > 8e15);
});

test('a sale opens at on_sale_at and is over at off_sale_at', () => {
  assert.equal(windowOf({ onSaleAt: at(100), offSaleAt: at(200) }), [100, 200]);
});

test('nobody buys a slot that has begun, whatever off_sale_at says', () => {
  assert.equal(windowOf({ startsAt: at(150), offSaleAt: at(200) }), [0, 150]);
});

test('a paused sku is never open', () => {
  assert.equal(windowOf({ paused: true, onSaleAt: at(100) }), [0, 0]);
});

test.run();
