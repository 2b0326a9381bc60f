import { assert, suite } from '#libs/testing/suite.js';
import { type OrderAsked, validateReserve } from './validate-reserve.js';

const test = suite('validate-reserve');

const line = { skuId: 'sku-1', quantity: 1, attendeeId: '' };
const good: OrderAsked = { storeId: 'store-1', requestId: 'key-1', lines: [line] };

const fieldsOf = (order: Partial<OrderAsked>, userId = 'ana'): string[] =>
  validateReserve(userId, { ...good, ...order }).map(({ field }) => field);

test('a good order has no violation', () => {
  assert.equal(fieldsOf({}), []);
  assert.equal(fieldsOf({ lines: Array.from({ length: 100 }, () => ({ ...line, quantity: 1_000_000 })) }), []);
  assert.equal(fieldsOf({ requestId: '~'.repeat(255), storeId: '!'.repeat(128) }, '/'.repeat(128)), []);
});

test('A29: a quantity is a whole number from 1 to a million', () => {
  for (const quantity of [0, -3, 2.5, 1e9, 2 ** 31, Number.NaN, Number.POSITIVE_INFINITY]) {
    assert.equal(fieldsOf({ lines: [line, { ...line, quantity }] }), ['lines[1].quantity'], String(quantity));
  }
});

test('ids are printable ASCII of bounded length', () => {
  for (const id of ['', ' ', 'a b', 'a\u0000', 'a\n', '\u007f', '🎟️', 'é', 'x'.repeat(300)]) {
    assert.equal(fieldsOf({ storeId: id }), ['store_id'], id);
    assert.equal(fieldsOf({ requestId: id }), ['request_id'], id);
    assert.equal(fieldsOf({}, id), ['user_id'], id);
    assert.equal(fieldsOf({ lines: [{ ...line, skuId: id }] }), ['lines[0].sku_id'], id);
    if (id !== '') assert.equal(fieldsOf({ lines: [{ ...line, attendeeId: id }] }), ['lines[0].attendee_id'], id);
  }
  assert.equal(fieldsOf({ storeId: 'x'.repeat(129) }), ['store_id']);
  assert.equal(fieldsOf({ requestId: 'x'.repeat(256) }), ['request_id']);
});

test('an order has 1 to 100 lines', () => {
  assert.equal(fieldsOf({ lines: [] }), ['lines']);
  assert.equal(fieldsOf({ lines: Array.from({ length: 101 }, () => line) }), ['lines']);
});

test('every violation is named at once', () => {
  const lines = [line, { skuId: '', quantity: 0, attendeeId: ' ' }];
  assert.equal(fieldsOf({ storeId: '', requestId: '', lines }, ''), [
    'user_id',
    'store_id',
    'request_id',
    'lines[1].sku_id',
    'lines[1].quantity',
    'lines[1].attendee_id',
  ]);
});

test('what is named stays within what trailers can carry', () => {
  const lines = Array.from({ length: 100 }, () => ({ skuId: '', quantity: 0, attendeeId: ' ' }));
  const violations = validateReserve('ana', { ...good, lines });
  const bytes = violations.reduce((sum, { field, description }) => sum + field.length + description.length + 8, 0);
  assert.ok(bytes < 6_000, `${bytes} bytes`);
  assert.match(violations.at(-1)?.description ?? '', 'more violations');
});

test.run();
