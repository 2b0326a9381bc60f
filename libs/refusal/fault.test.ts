import { assert, suite } from '#libs/testing/suite.js';
import { Fault, type FaultReason, faultCatalogue, faultOf } from './fault.js';

const test = suite('Fault');

test('whatever is thrown is a fault; what is unknown is INTERNAL and keeps its cause to itself', () => {
  const fault = new Fault('SKU_NOT_FOUND', 'no such sku');
  assert.is(faultOf(fault), fault);
  for (const thrown of [new TypeError('secret'), 'secret', undefined, { secret: true }]) {
    const unknown = faultOf(thrown);
    assert.is(unknown.reason, 'INTERNAL');
    assert.not.match(unknown.message, /secret/);
    assert.is(unknown.cause, thrown);
  }
});

test('who is told to come back is told when', () => {
  for (const [reason, { code }] of Object.entries(faultCatalogue)) {
    const fault = new Fault(reason as FaultReason, 'x');
    if (code === 'UNAVAILABLE' || code === 'RESOURCE_EXHAUSTED') assert.type(fault.retryAfterMs, 'number');
  }
  assert.is(new Fault('BUSY', 'x', { retryAfterMs: 70 }).retryAfterMs, 70);
});

test.run();
