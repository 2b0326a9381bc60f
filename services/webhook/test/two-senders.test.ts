import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { claimOf, type TestLedger, testLedger } from '#libs/ledger/test-ledger.js';
import type { ClaimedWebhook } from '#libs/ledger/webhooks.js';
import { Nudge } from '#libs/runtime/nudge.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { followOutbox } from '../src/app/follow-outbox.js';
import { type SendPorts, sendDue } from '../src/app/send-due.js';

const test = suite('two who would send the same');
const shortLeaseMs = 200;
let db: TestLedger;
let closing: AbortController;

test.before.each(async () => {
  db = await testLedger();
  closing = new AbortController();
});
test.after.each(async () => {
  closing.abort();
  await db.drop();
});

async function orderWithEndpoint(): Promise<void> {
  await db.ledger.webhookEndpointPut({
    ...{ endpointId: `whe_${randomUUID()}`, isNew: true, storeId: 'store-1', url: 'https://example.com/' },
    ...{ secret: 'whsec_x', eventTypes: [], by: 'olga', requestId: randomUUID() },
  });
  const { skuId } = await db.sku();
  await db.order(claimOf('ann', skuId));
}

function ports(parts: Pick<SendPorts, 'deliver'> & Partial<SendPorts>): SendPorts {
  const claim: SendPorts['ledger']['webhookClaim'] = (want) =>
    db.ledger.webhookClaim({ ...want, leaseMs: shortLeaseMs });
  return {
    ...{ ledger: { webhookClaim: claim }, maxInFlight: 4, timeoutMs: 100, monotonic: () => performance.now() },
    ...{ nudge: new Nudge(), failed: () => undefined, went: () => undefined, ...parts },
  };
}
const delivered = (claimed: ClaimedWebhook) =>
  db.ledger.webhookRecord(claimed, {
    ...{ outcome: 'DELIVERED', status: 204, error: '', nextInMs: 0, disableAfterMs: 60_000 },
  });

test('a process that slept through the end of its lease sends nothing: another one has, once', async () => {
  await orderWithEndpoint();
  await db.ledger.outboxMarkPublished((await db.ledger.outboxTake(10)).map(({ id }) => id));
  await db.ledger.webhookDeliveriesAdd(10);
  const sent: string[] = [];
  let [sleeps, wakes, isAwake] = [0, 0, false];
  const sleeper = ports({
    ledger: {
      async webhookClaim(want) {
        const claimed = await db.ledger.webhookClaim({ ...want, leaseMs: shortLeaseMs });
        sleeps += claimed.length;
        if (claimed.length > 0) await until(() => sent.length > 0);
        // As the clock of a process that was stopped for a minute.
        isAwake ||= claimed.length > 0;
        wakes += isAwake ? 1 : 0;
        return claimed;
      },
    },
    monotonic: () => performance.now() + (isAwake ? 60_000 : 0),
    deliver: async () => sent.push('sleeper'),
  });
  const sleeping = sendDue(sleeper, closing.signal);
  await until(() => sleeps === 1);
  const other = ports({
    async deliver(claimed) {
      sent.push('other');
      await until(() => wakes > 1);
      await delivered(claimed);
    },
  });
  const sending = sendDue(
    { ...other, ledger: { webhookClaim: (want) => db.ledger.webhookClaim({ ...want, leaseMs: 60_000 }) } },
    closing.signal,
  );
  await until(
    async () => (await db.sql(`SELECT FROM ledger.webhook_deliveries WHERE state = 'DELIVERED'`)).length === 1,
  );
  closing.abort();
  await Promise.all([sleeping, sending]);
  assert.equal(sent, ['other']);
});

test('where a relay is connected nobody else takes events from it, and whoever would says why', async () => {
  await orderWithEndpoint();
  const relay = new pg.Client({ connectionString: db.url, application_name: 'order-1-relay' });
  await relay.connect();
  const wrong: string[] = [];
  let givenUp = 0;
  const following = followOutbox(
    {
      ...{ ledger: db.ledger, isMine: async () => true, went: () => undefined },
      async giveUp() {
        givenUp += 1;
      },
      failed: (error) => wrong.push(String(error)),
    },
    closing.signal,
  );
  await until(() => wrong.length === 1);
  await relay.end();
  // Also when the relay is away for a moment, as in a restart.
  await until(() => wrong.length === 2);
  closing.abort();
  await following;
  assert.match(wrong[0] ?? '', /an order service has NATS_URL and relays/);
  assert.is(givenUp, 2);
  assert.is((await db.ledger.outboxTake(10)).length, 1);
});

test.run();
