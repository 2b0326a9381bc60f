import { assert, suite } from '#libs/testing/suite.js';
import { type PaymentFacts, unaccountedPayments } from './unaccounted-payments.js';

const test = suite('unaccounted payments');

/** One that pays its order, but for what is said otherwise. */
function payment(more: Partial<PaymentFacts> = {}): PaymentFacts {
  return {
    ...{ paymentId: 'pay-1', orderId: 'order-1', state: 'CAPTURED', issue: null, amountMinor: 100, currency: 'EUR' },
    ...{ retainedMinor: 0, orderState: 'CONFIRMED', orderMinor: 100, refunds: 0, refundMinor: 0, ...more },
  };
}

/** What is found when exactly these payments were captured. */
function found(...payments: PaymentFacts[]): string[] {
  return unaccountedPayments(payments, payments);
}

const back = { state: 'REFUND_DUE', orderState: 'EXPIRED', refunds: 1, refundMinor: 100 };

test('money that pays an order, goes back wholly, or is kept by the terms is accounted for', () => {
  assert.equal(found(payment(), payment({ paymentId: 'pay-2', ...back, issue: 'ALREADY_PAID' })), []);
  assert.equal(found(payment({ ...back, state: 'REFUNDED' })), []);
  assert.equal(found(payment({ refunds: 1, refundMinor: 40, orderMinor: 60 })), []);
  assert.equal(found(payment({ ...back, refunds: 2 })), []);
  assert.equal(found(payment({ state: 'RETAINED', orderState: 'CANCELLED', retainedMinor: 100 })), []);
});

test('money of which the ledger knows nothing, or something else, and money that nobody paid are found', () => {
  const capture = { paymentId: 'pay-1', orderId: 'order-1', amountMinor: 100 };
  assert.equal(unaccountedPayments([capture], []), ['pay-1 of order order-1 is not in the ledger']);
  assert.equal(unaccountedPayments([{ ...capture, amountMinor: 99 }], [payment()]), [
    'pay-1 is kept as 100 for order-1',
  ]);
  assert.equal(unaccountedPayments([], [payment()]), ['nobody paid pay-1']);
});

test('money that pays an order which has ended, or that is paid twice, or costs something else is found', () => {
  assert.equal(found(payment({ orderState: 'EXPIRED' })), ['pay-1 is CAPTURED, its order is EXPIRED']);
  assert.equal(found(payment({ orderState: null, orderMinor: null })), ['pay-1 is CAPTURED, its order is null']);
  assert.is(found(payment(), payment({ paymentId: 'pay-2' })).length, 2);
  assert.equal(found(payment({ orderMinor: 60 })), ['pay-1 is CAPTURED, leaves 100 for an order of 60']);
});

test('money that goes back twice, in part only, or that nobody was asked for is found', () => {
  assert.equal(found(payment({ ...back, refunds: 2, refundMinor: 200 })), ['pay-1 is REFUND_DUE, 200 of 100 go back']);
  assert.equal(found(payment({ ...back, refundMinor: 60 })), ['pay-1 is REFUND_DUE, 60 of 100 go back']);
  assert.is(found(payment({ ...back, state: 'REFUNDED', refunds: 0, refundMinor: 0 })).length, 1);
  assert.is(found(payment({ state: 'LOST' })).length, 1);
});

test.run();
