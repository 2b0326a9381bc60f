import { fromStatus } from '#libs/rpc/status.js';
import { createMetrics } from '#libs/runtime/metrics.js';
import { assert, suite } from '#libs/testing/suite.js';
import type { Limited } from '../ports.js';
import { LimitedFaults, sharedStatus } from './limited-faults.js';

const test = suite('LimitedFaults');

const ofSku: Limited = {
  kind: 'LIMITED',
  limit: 'STORE_SKU',
  skuId: 'sku-1',
  perSecond: 50,
  burst: 60,
  retryAfterMs: 19.2,
};
const ofUser: Limited = { kind: 'LIMITED', limit: 'USER', perSecond: 20, burst: 40, retryAfterMs: 0 };

test('a refusal names its limit, its bucket, when to come again and when the bucket is full', () => {
  const fault = new LimitedFaults(createMetrics()).faultOf(ofSku, 'store-1');
  assert.is(fault.reason, 'RATE_LIMITED');
  assert.equal(fault.metadata, {
    limit: 'STORE_SKU',
    store: 'store-1',
    sku: 'sku-1',
    rate: '50',
    burst: '60',
    remaining: '0',
    reset_ms: '1200',
  });
  assert.is(fault.retryAfterMs, 20);
});

test('what users and callers are told names nobody, and nobody is told to come at once', () => {
  const faults = new LimitedFaults(createMetrics());
  const fault = faults.faultOf(ofUser, 'store-1');
  assert.equal(fault.metadata, { limit: 'USER', rate: '20', burst: '40', remaining: '0', reset_ms: '1951' });
  assert.is(faults.faultOf({ ...ofUser, limit: 'CALLER' }).metadata.limit, 'CALLER');
});

test('who is told the same gets the same, and nobody gets what is for others', () => {
  const faults = new LimitedFaults(createMetrics());
  const fault = faults.faultOf(ofSku, 'store-1');
  assert.is(faults.faultOf({ ...ofSku, retryAfterMs: 20 }, 'store-1'), fault);
  const others = [{ skuId: 'sku-2' }, { perSecond: 51 }, { burst: 61 }, { retryAfterMs: 21 }];
  for (const other of others) assert.is.not(faults.faultOf({ ...ofSku, ...other }, 'store-1'), fault);
  assert.is.not(faults.faultOf(ofSku, 'store-2'), fault);
  assert.is(sharedStatus(fault), sharedStatus(fault));
  assert.equal(fromStatus(sharedStatus(fault)).metadata, fault.metadata);
});

test('every refusal is counted by its limit', async () => {
  const metrics = createMetrics();
  const faults = new LimitedFaults(metrics);
  for (let i = 0; i < 3; i += 1) faults.faultOf(ofSku, 'store-1');
  faults.faultOf(ofUser);
  faults.count('IN_FLIGHT');
  const text = await metrics.text();
  assert.match(text, 'holdfast_limited_total{limit="STORE_SKU"} 3');
  assert.match(text, 'holdfast_limited_total{limit="USER"} 1');
  assert.match(text, 'holdfast_limited_total{limit="IN_FLIGHT"} 1');
});

test.run();
