import { assert, suite } from '#libs/testing/suite.js';
import { type LimitsAsked, validateSetLimits } from './validate-limits.js';

const test = suite('validate limits');

const good: LimitsAsked = {
  storeId: 'store-1',
  skuId: 'sku-1',
  rateLimit: { perSecond: 50, burst: 60 },
  clearRateLimit: false,
  onBusy: undefined,
  requestId: 'key-1',
};
const ofStore: Partial<LimitsAsked> = { skuId: '', rateLimit: undefined };
const fieldsOf = (asked: Partial<LimitsAsked>): string[] =>
  validateSetLimits({ ...good, ...asked }).map(({ field }) => field);

test('what a sku or a store may set is taken', () => {
  const takes: Partial<LimitsAsked>[] = [
    {},
    { skuId: '' },
    { rateLimit: { perSecond: 1, burst: 1_000_000 } },
    { rateLimit: undefined, clearRateLimit: true },
    { rateLimit: undefined, onBusy: 'FAIL' },
    { skuId: '', rateLimit: undefined, requireIssuedRequestId: false },
    { ...ofStore, perAttendeeLimit: 0, openOrdersPerUser: 1, unfulfilledPerUser: 1_000_000 },
    { ...ofStore, groupId: 'trial', perAttendeeLimit: 1 },
  ];
  for (const asked of takes) assert.equal(fieldsOf(asked), [], JSON.stringify(asked));
});

test('negative and absurd rates are refused', () => {
  for (const value of [0, -1, 1_000_001, 2.5, Number.NaN, 2 ** 31]) {
    assert.equal(fieldsOf({ rateLimit: { perSecond: value, burst: 1 } }), ['rate_limit.per_second'], String(value));
    assert.equal(fieldsOf({ rateLimit: { perSecond: 1, burst: value } }), ['rate_limit.burst'], String(value));
  }
});

test('every violation is named at once', () => {
  const bad: LimitsAsked = {
    storeId: '',
    skuId: ' ',
    rateLimit: { perSecond: -1, burst: 0 },
    clearRateLimit: true,
    onBusy: 'UNKNOWN',
    requireIssuedRequestId: true,
    requestId: '',
  };
  assert.equal(fieldsOf(bad), [
    'store_id',
    'sku_id',
    'rate_limit.per_second',
    'rate_limit.burst',
    'clear_rate_limit',
    'on_busy',
    'require_issued_request_id',
    'request_id',
  ]);
});

test('what a person may have is of a store or a group, and everything wrong with it is named at once', () => {
  const absurd = { perAttendeeLimit: -1, openOrdersPerUser: 1_000_001, unfulfilledPerUser: 0.5 };
  const three = ['per_attendee_limit', 'open_orders_per_user', 'unfulfilled_per_user'];
  assert.equal(fieldsOf({ ...ofStore, ...absurd }), three);
  assert.equal(fieldsOf({ rateLimit: undefined, perAttendeeLimit: 1 }), ['per_attendee_limit']);
  const group = { ...ofStore, groupId: 'a b', unfulfilledPerUser: 1 };
  assert.equal(fieldsOf(group), ['unfulfilled_per_user', 'group_id', 'per_attendee_limit']);
});

test('what a store or a sku cannot have is refused, and so is setting nothing', () => {
  assert.equal(fieldsOf({ skuId: '', onBusy: 'QUEUE' }), ['on_busy']);
  assert.equal(fieldsOf({ requireIssuedRequestId: true }), ['require_issued_request_id']);
  assert.equal(fieldsOf({ rateLimit: undefined }), ['rate_limit']);
});

test.run();
