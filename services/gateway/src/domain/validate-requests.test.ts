import { assert, suite } from '#libs/testing/suite.js';
import { isOrderId } from './fields.js';
import { pageSizeOf } from './page-size.js';
import {
  validateCancel,
  validateGetAvailability,
  validateListOrders,
  validateListSkus,
  validatePayment,
} from './validate-requests.js';

const test = suite('validate-requests');

const fieldsOf = (violations: { field: string }[]): string[] => violations.map(({ field }) => field);
const page = { pageSize: 0, pageToken: '' };

test('a change needs a request id', () => {
  assert.equal(fieldsOf(validateCancel({ orderId: 'o-1', requestId: '', reason: '' })), ['request_id']);
  assert.equal(fieldsOf(validateCancel({ orderId: '', requestId: 'k', reason: 'a\u0000' })), ['order_id', 'reason']);
  assert.equal(fieldsOf(validateCancel({ orderId: 'o-1', requestId: 'k', reason: 'x'.repeat(501) })), ['reason']);
  assert.equal(fieldsOf(validateCancel({ orderId: 'o-1', requestId: 'k', reason: 'ill, sorry 🤒' })), []);
});

test('a payment names its provider, amount and currency', () => {
  const payment = {
    orderId: 'o-1',
    provider: 'stripe',
    providerPaymentId: 'pi_1',
    amountMinor: 0,
    currency: 'EUR',
    requestId: 'k',
  };
  assert.equal(fieldsOf(validatePayment(payment)), []);
  const wrong = { orderId: '', provider: '', providerPaymentId: '', amountMinor: -1, currency: 'eur', requestId: '' };
  assert.equal(fieldsOf(validatePayment(wrong)), [
    'order_id',
    'provider',
    'provider_payment_id',
    'amount_minor',
    'currency',
    'request_id',
  ]);
});

test('orders are listed by a user or by a sku', () => {
  assert.equal(fieldsOf(validateListOrders({ userId: 'ana', skuId: '', ...page })), []);
  assert.equal(fieldsOf(validateListOrders({ userId: '', skuId: 's-1', ...page })), []);
  assert.equal(fieldsOf(validateListOrders({ userId: '', skuId: '', ...page })), ['user_id']);
  assert.equal(fieldsOf(validateListOrders({ userId: 'ana', skuId: 's-1', ...page })), ['user_id']);
  assert.equal(fieldsOf(validateListOrders({ userId: '', skuId: 'a b', ...page })), ['sku_id']);
});

test('a page is not negative and its token is one that was given', () => {
  const [startsAfter, startsBefore] = [new Date(Number.NaN), new Date(-1)];
  const times = { storeId: 's', pageSize: 0, pageToken: '', startsAfter, startsBefore };
  assert.equal(fieldsOf(validateListSkus(times)), ['starts_after', 'starts_before']);
  assert.equal(fieldsOf(validateListSkus({ storeId: 's', pageSize: -1, pageToken: 'a b' })), [
    'page_size',
    'page_token',
  ]);
});

test('a page has 50 items unless asked, and 500 at most', () => {
  assert.equal([0, 1, 500, 501, 2_147_483_647].map(pageSizeOf), [50, 1, 500, 500, 500]);
});

test('availability is asked for 1 to 100 skus', () => {
  assert.equal(fieldsOf(validateGetAvailability({ skuIds: [] })), ['sku_ids']);
  assert.equal(fieldsOf(validateGetAvailability({ skuIds: new Array(101).fill('s') })), ['sku_ids']);
  assert.equal(fieldsOf(validateGetAvailability({ skuIds: ['s', '', 'x'.repeat(129)] })), ['sku_ids[1]', 'sku_ids[2]']);
});

test('only a UUIDv8 can be the id of an order', () => {
  assert.ok(isOrderId('0a1b0000-0000-8000-8000-000000000000'));
  for (const id of ['', 'o-1', '0a1b0000-0000-4000-8000-000000000000', '0A1B0000-0000-8000-8000-000000000000']) {
    assert.not(isOrderId(id), id);
  }
});

test.run();
