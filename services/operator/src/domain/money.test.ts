import { assert, suite } from '#libs/testing/suite.js';
import { minorUnits } from './money.js';

const test = suite('prices');

test('a price has as many decimals as its currency', () => {
  assert.is(minorUnits('12.5', 'EUR'), 1_250);
  assert.is(minorUnits('12', 'EUR'), 1_200);
  assert.is(minorUnits('0.05', 'USD'), 5);
  assert.is(minorUnits('1200', 'JPY'), 1_200);
  assert.is(minorUnits('1.234', 'KWD'), 1_234);
});

test('what is none, or finer than its currency, is refused', () => {
  for (const price of ['12.505', '-1', '1,50', 'free', '1.', '.5', '1e3', ''])
    assert.is(minorUnits(price, 'EUR'), undefined, price);
  assert.is(minorUnits('12.5', 'JPY'), undefined);
  assert.is(minorUnits('999999999999999.99', 'EUR'), undefined);
});

test.run();
