import { LimitScope, RefusalReason } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import { Fault } from '#libs/refusal/fault.js';
import { assert, suite } from '#libs/testing/suite.js';
import { signWebhook } from '#libs/webhook/signature.js';
import {
  type Answer,
  type EdgeUnderTest,
  goodHeaders,
  noticeSecret,
  placesOf,
  startEdgeUnderTest,
} from './edge-under-test.js';

const test = suite('payments and changes over HTTP');
let edge: EdgeUnderTest;

test.before(async () => {
  edge = await startEdgeUnderTest();
});
test.before.each(() => edge.reset());
test.after(() => edge.close());

const captured = {
  type: 'payment.captured',
  timestamp: '2026-03-02T09:00:00Z',
  data: {
    ...{ order_id: 'o-1', attempt: 2, session_id: 'cs_1', provider_payment_id: 'pay_1' },
    ...{ amount_minor: 4200, currency: 'EUR', captured_at: '2026-03-02T09:00:00.123Z' },
  },
};

interface Sent {
  id?: string;
  at?: Date;
  secret?: string;
  provider?: string;
  /** What is sent in place of what was signed. */
  instead?: string;
}

function notify(notice: unknown, { id = 'msg_1', at = new Date(), ...sent }: Sent = {}): Promise<Answer> {
  const body = typeof notice === 'string' ? notice : JSON.stringify(notice);
  const signed = signWebhook(sent.secret ?? noticeSecret, { id, at, body });
  const headers = { 'content-type': 'application/json', ...signed };
  return edge.post(sent.instead ?? body, headers, `/v1/payments/notices/${sent.provider ?? 'sandbox'}`);
}

test('a user is given the way to pay', async () => {
  const { status, body } = await edge.post('', { ...goodHeaders }, '/v1/orders/o-1/payment');
  assert.is(status, 200);
  assert.equal(body, {
    ...{ order_id: 'o-1', attempt: 1, provider: 'sandbox', session_id: 'cs_1', state: 'OPEN' },
    ...{ amount_minor: '4200', currency: 'EUR', parameters: { client_token: 'cs_1' }, url: 'http://pay/cs_1' },
    ends_at: '2026-03-02T09:15:00.000Z',
  });
  assert.equal(edge.asked.changed, [{ verb: 'pay', userId: 'ana', request: { orderId: 'o-1', requestId: 'key-1' } }]);
});

test('a notice that is signed is recorded before it is answered', async () => {
  const answer = await notify(captured);
  assert.is(answer.status, 204);
  assert.equal(edge.asked.changed[0]?.request, {
    ...{ orderId: 'o-1', provider: 'sandbox', providerPaymentId: 'pay_1', amountMinor: 4200, currency: 'EUR' },
    ...{ requestId: 'msg_1', attempt: 2, capturedAt: new Date('2026-03-02T09:00:00.123Z') },
  });
});

test('failures and refunds are told to their verbs, and what is none of ours to nobody', async () => {
  const failed = { order_id: 'o-1', attempt: 1, provider_payment_id: 'pay_0', why: 'declined' };
  assert.is((await notify({ type: 'payment.failed', data: failed })).status, 204);
  const refund = { order_id: 'o-1', provider_payment_id: 'pay_1', refund_id: 're_1', amount_minor: 1, currency: 'EUR' };
  assert.is((await notify({ type: 'refund.succeeded', data: refund })).status, 204);
  assert.is((await notify({ type: 'customer.created', data: {} })).status, 204);
  assert.equal(
    edge.asked.changed.map(({ verb }) => verb),
    ['failed', 'refunded'],
  );
});

test('a notice that is not signed right reaches nobody', async () => {
  const other = `whsec_${Buffer.alloc(32, 4).toString('base64')}`;
  const minutesAgo = new Date(Date.now() - 6 * 60_000);
  const wrong = [
    await notify(captured, { secret: other }),
    await notify(captured, { at: minutesAgo }),
    await notify(captured, { instead: JSON.stringify({ ...captured, type: 'payment.failed' }) }),
    await edge.post(captured, { 'content-type': 'application/json' }, '/v1/payments/notices/sandbox'),
  ];
  assert.equal(
    wrong.map(({ status, body }) => [status, body.reason, body.why]),
    [
      [401, 'NOTICE_NOT_BELIEVED', 'SIGNATURE_WRONG'],
      [401, 'NOTICE_NOT_BELIEVED', 'TIMESTAMP_FAR'],
      [401, 'NOTICE_NOT_BELIEVED', 'SIGNATURE_WRONG'],
      [401, 'NOTICE_NOT_BELIEVED', 'UNSIGNED'],
    ],
  );
  assert.is((await notify(captured, { provider: 'nobody' })).status, 404);
  assert.equal(edge.asked.changed, []);
});

test('a notice that could not be recorded is to be sent again', async () => {
  edge.asked.fault = new Fault('UNAVAILABLE', 'not now');
  assert.is((await notify(captured)).status, 503);
  edge.asked.fault = undefined;
  assert.is((await notify(captured)).status, 204);
});

test('everything that is wrong with a notice is named at once', async () => {
  const wrong = await notify({ type: 'payment.captured', data: { order_id: 1, amount_minor: '1', captured_at: 'x' } });
  assert.is(wrong.status, 400);
  const members = ['amount_minor', 'captured_at', 'currency', 'order_id', 'provider_payment_id'];
  assert.equal(
    placesOf(wrong),
    members.map((member) => `#/data/${member}`),
  );
  for (const body of ['', 'null', '[]', '{"type":"payment.captured"}', '{']) {
    assert.is((await notify(body)).status, 400, body);
  }
});

test('an order is shortened, moved and prolonged in the name of the user', async () => {
  const lines = [{ sku_id: 'sku-1', quantity: 1, attendee_id: 'tom' }];
  const asks = [
    await edge.post({ lines, reason: 'ill' }, goodHeaders, '/v1/orders/o-1/cancel-lines'),
    await edge.post({ to_sku_id: 'sku-2' }, goodHeaders, '/v1/orders/o-1/move'),
    await edge.post({}, goodHeaders, '/v1/orders/o-1/extend'),
  ];
  assert.equal(
    asks.map(({ status, body }) => [status, body.order_id]),
    asks.map(() => [200, 'o-1']),
  );
  const line = { skuId: 'sku-1', quantity: 1, attendeeId: 'tom', unitPriceMinor: 0 };
  assert.equal(edge.asked.changed, [
    {
      verb: 'cancel-lines',
      userId: 'ana',
      request: { orderId: 'o-1', requestId: 'key-1', lines: [line], reason: 'ill' },
    },
    { verb: 'move', userId: 'ana', request: { orderId: 'o-1', requestId: 'key-1', toSkuId: 'sku-2', fromSkuId: '' } },
    { verb: 'extend', userId: 'ana', request: { orderId: 'o-1', requestId: 'key-1' } },
  ]);
});

test('a move that is refused says why', async () => {
  const refusal = {
    ...{ reason: RefusalReason.REFUSAL_REASON_PRICE_DIFFERS, skuId: 'sku-2', free: 0, limit: 0, ownOrderId: '' },
    ...{ nextReleaseAt: undefined, opensAt: undefined, closedAt: undefined, slotPast: false },
    scope: LimitScope.LIMIT_SCOPE_UNSPECIFIED,
  };
  edge.asked.moved = { $case: 'refusal', value: refusal };
  const { status, body } = await edge.post({ to_sku_id: 'sku-2' }, goodHeaders, '/v1/orders/o-1/move');
  assert.equal([status, body.reason, body.sku_id], [409, 'PRICE_DIFFERS', 'sku-2']);
});

test('a change without a key, a user or its members is refused', async () => {
  const { 'idempotency-key': _, ...keyless } = goodHeaders;
  assert.is((await edge.post({}, keyless, '/v1/orders/o-1/payment')).status, 400);
  const { authorization: __, ...nobody } = goodHeaders;
  assert.is((await edge.post({}, nobody, '/v1/orders/o-1/extend')).status, 401);
  assert.equal(placesOf(await edge.post({}, goodHeaders, '/v1/orders/o-1/move')), ['#/to_sku_id']);
  const empty = await edge.post({ lines: [], other: 1 }, goodHeaders, '/v1/orders/o-1/cancel-lines');
  assert.equal(placesOf(empty), ['#/lines', '#/other']);
  assert.is((await edge.ask('/v1/orders/o-1/payment')).status, 405);
});

test.run();
