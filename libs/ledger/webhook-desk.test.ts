import { randomUUID } from 'node:crypto';
import { Fault } from '#libs/refusal/fault.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import { claimOf, type TestLedger, testLedger } from './test-ledger.js';
import { olga, putEndpoint, secret } from './test-webhooks.js';
import type { EndpointToPut } from './webhook-desk.js';

const test = suite('endpoints of webhooks in the ledger');
let db: TestLedger;

test.before.each(async () => {
  db = await testLedger();
});
test.after.each(() => db.drop());

const endpoint = (parts?: Partial<EndpointToPut>): Promise<string> => putEndpoint(db, parts);

test('a request adds one endpoint however often it comes, and a store has 20 at most', async () => {
  const requestId = randomUUID();
  const id = await endpoint({ requestId });
  assert.is(await endpoint({ requestId }), id);
  const reused = await rejectionOf(endpoint({ requestId, eventTypes: ['order.held'] }), Fault);
  assert.is(reused.reason, 'REQUEST_ID_REUSED');
  for (let count = 1; count < 20; count += 1) await endpoint();
  assert.is((await rejectionOf(endpoint(), Fault)).reason, 'WEBHOOK_ENDPOINTS_FULL');
  const first = await db.ledger.webhookEndpointsList(['store-1'], { pageSize: 15 });
  const rest = await db.ledger.webhookEndpointsList(['store-1'], { pageSize: 15, pageToken: first.nextPageToken });
  assert.equal([first.endpoints.length, rest.endpoints.length, rest.nextPageToken], [15, 5, '']);
});

test('a rotation signs with both secrets for a while, and the same request rotates once', async () => {
  const id = await endpoint();
  const rotation = { secret: 'whsec_second', keepMs: 60_000, ...olga() };
  assert.is(await db.ledger.webhookSecretRotate(id, rotation), 'whsec_second');
  assert.is(await db.ledger.webhookSecretRotate(id, { ...rotation, secret: 'whsec_third' }), 'whsec_second');
  assert.equal((await db.ledger.webhookSecretsOf(id)).secrets, ['whsec_second', secret]);
  await db.sql(`UPDATE ledger.webhook_secrets SET previous_until = now()`);
  assert.equal((await db.ledger.webhookSecretsOf(id)).secrets, ['whsec_second']);
});

test('every verb is kept once for its request, with who asked for it and never the secret', async () => {
  const added = olga();
  const id = await endpoint(added);
  const { skuId } = await db.sku();
  await db.order(claimOf('ann', skuId));
  await db.ledger.outboxMarkPublished((await db.ledger.outboxTake(10)).map((entry) => entry.id));
  await db.ledger.webhookDeliveriesAdd(10);
  await db.sql(`UPDATE ledger.webhook_deliveries SET state = 'FAILED', next_attempt_at = NULL`);
  const verbs: Record<string, (by: { by: string; requestId: string }) => Promise<unknown>> = {
    WEBHOOK_ADD: () => endpoint(added),
    WEBHOOK_CHANGE: (by) => endpoint({ ...by, endpointId: id, isNew: false, eventTypes: ['order.*'] }),
    WEBHOOK_PAUSE: (by) => db.ledger.webhookEndpointSet(id, 'PAUSE', { ...by, reason: 'they move' }),
    WEBHOOK_RESUME: (by) => db.ledger.webhookEndpointSet(id, 'RESUME', by),
    WEBHOOK_ROTATE: (by) => db.ledger.webhookSecretRotate(id, { ...by, secret: 'whsec_second', keepMs: 1_000 }),
    WEBHOOK_REPLAY: (by) => db.ledger.webhookReplay(id, { failedSince: new Date(0) }, by),
    WEBHOOK_REMOVE: (by) => db.ledger.webhookEndpointSet(id, 'REMOVE', by),
  };
  const other = await endpoint();
  const reused: Record<string, (by: { by: string; requestId: string }) => Promise<unknown>> = {
    WEBHOOK_CHANGE: (by) => endpoint({ ...by, endpointId: id, isNew: false }),
    WEBHOOK_PAUSE: (by) => db.ledger.webhookEndpointSet(other, 'PAUSE', { ...by, reason: 'they move' }),
    WEBHOOK_RESUME: (by) => db.ledger.webhookEndpointSet(other, 'RESUME', by),
    WEBHOOK_ROTATE: (by) => db.ledger.webhookSecretRotate(other, { ...by, secret: 'whsec_third', keepMs: 1_000 }),
    WEBHOOK_REPLAY: (by) => db.ledger.webhookReplay(id, { eventId: '1' }, by),
    WEBHOOK_REMOVE: (by) => db.ledger.webhookEndpointSet(other, 'REMOVE', by),
  };
  for (const [what, verb] of Object.entries(verbs)) {
    const by = what === 'WEBHOOK_ADD' ? added : olga();
    const answers = await Promise.all([verb(by), verb(by), verb(by)]);
    assert.equal(answers, [answers[0], answers[0], answers[0]], what);
    if (what === 'WEBHOOK_REPLAY') assert.is(answers[0], 1);
    const again = reused[what]?.(by);
    if (again) assert.is((await rejectionOf(again, Fault)).reason, 'REQUEST_ID_REUSED', what);
  }
  const { changes } = await db.ledger.controlChangesList({ kind: 'STORE', storeId: 'store-1', skuId: '' }, {});
  const kept = changes.reverse().filter(({ became }) => became.includes(id));
  assert.equal(
    kept.map(({ what }) => what),
    Object.keys(verbs),
  );
  assert.equal(new Set(kept.map(({ changedBy }) => changedBy)), new Set(['olga']));
  assert.not.match(JSON.stringify(await db.sql('SELECT * FROM ledger.control_changes')), 'whsec');
  assert.match(kept.find(({ what }) => what === 'WEBHOOK_REPLAY')?.became ?? '', ', 1 sent again');
  assert.match(kept.find(({ what }) => what === 'WEBHOOK_CHANGE')?.became ?? '', '(order.*)');
});

test.run();
