import { Fault } from '#libs/refusal/fault.js';
import { createMetrics } from '#libs/runtime/metrics.js';
import { assert, suite } from '#libs/testing/suite.js';
import { failed, told } from '../app/answer.js';
import { answerCounter } from './answer-counter.js';

const test = suite('answer counter');

test('reservations are counted by outcome, and what was told before as replayed', async () => {
  const metrics = createMetrics();
  const count = answerCounter(metrics);
  const pending = told({ $case: 'pending', value: { orderId: 'order-1' } });
  count(pending);
  count({ ...pending, isReplay: true });
  count(told({ $case: 'queued', value: { skuId: 'sku-1', peopleAhead: 1, retryAfterMs: 200 } }));
  count(failed(new Fault('UNAVAILABLE', 'nobody knows')));
  const text = await metrics.text();
  for (const outcome of ['pending', 'replayed', 'queued', 'error']) {
    assert.match(text, `holdfast_reservations_total{outcome="${outcome}"} 1`);
  }
});

test.run();
