import { assert, suite } from '#libs/testing/suite.js';
import { readConfig } from './config.js';

const test = suite('settings of the webhook service');
const ledger = { DATABASE_URL: 'postgresql://localhost/holdfast' };
const nats = { NATS_URL: 'nats://localhost:4222' };

test('who tells events has to be said: the relay, where there is NATS, or this service', () => {
  assert.is(readConfig({ ...ledger, ...nats }).followOutbox, false);
  assert.is(readConfig({ ...ledger, WEBHOOK_FOLLOW_OUTBOX: 'true' }).followOutbox, true);
  assert.throws(() => readConfig(ledger), /NATS_URL is not set/);
  assert.throws(() => readConfig({ ...ledger, ...nats, WEBHOOK_FOLLOW_OUTBOX: 'true' }), /take one away/);
});

test.run();
