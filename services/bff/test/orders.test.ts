import { LimitScope, RefusalReason } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import { Fault } from '#libs/refusal/fault.js';
import { assert, suite } from '#libs/testing/suite.js';
import { type EdgeUnderTest, good, goodHeaders, placesOf, startEdgeUnderTest } from './edge-under-test.js';
import { orderOf } from './fake-gateway.js';

const test = suite('bff orders');
let edge: EdgeUnderTest;

test.before(async () => {
  edge = await startEdgeUnderTest();
});
test.before.each(() => edge.reset());
test.after(() => edge.close());

test('a held order is 201 with its place and all of it, int64 as text, times with Z', async () => {
  const answer = await edge.post({ ...good, lines: [{ sku_id: 'sku-1', quantity: 2, attendee_id: 'kid' }] });
  assert.is(answer.status, 201);
  assert.is(answer.headers.get('location'), '/v1/orders/0a1b0000-0000-8000-8000-000000000001');
  assert.equal(answer.body, {
    order_id: '0a1b0000-0000-8000-8000-000000000001',
    store_id: 'store-1',
    user_id: 'ana',
    request_id: 'key-1',
    state: 'HELD',
    version: 1,
    lines: [{ sku_id: 'sku-1', quantity: 2, attendee_id: 'ana', unit_price_minor: '1500' }],
    amount_minor: '9007199254740991',
    currency: 'EUR',
    created_at: '2030-01-01T00:00:00.000Z',
    expires_at: '2030-01-01T00:15:00.000Z',
  });
  const [item] = edge.asked.reserved;
  assert.is(item?.userId, 'ana');
  assert.equal(item?.request, {
    storeId: 'store-1',
    requestId: 'key-1',
    lines: [{ skuId: 'sku-1', quantity: 2, attendeeId: 'kid', unitPriceMinor: 0 }],
    onBusy: undefined,
    onSoldOut: undefined,
    forceReason: undefined,
  });
});

test('a pending order is 202 with the place where it will be', async () => {
  edge.asked.answer = () => ({ $case: 'pending', value: { orderId: 'o-1' } });
  const answer = await edge.post(good);
  assert.is(answer.status, 202);
  assert.is(answer.headers.get('location'), '/v1/orders/o-1');
  assert.equal(answer.body, { order_id: 'o-1', state: 'PENDING' });
});

test('a refusal is 409 with its reason and facts', async () => {
  const at = new Date('2030-01-01T00:15:00.000Z');
  const facts: [RefusalReason, object, object][] = [
    [RefusalReason.REFUSAL_REASON_NOT_ENOUGH, { free: 3 }, { reason: 'NOT_ENOUGH', free: 3 }],
    [
      RefusalReason.REFUSAL_REASON_ALL_HELD,
      { nextReleaseAt: at },
      { reason: 'ALL_HELD', next_release_at: at.toISOString() },
    ],
    [RefusalReason.REFUSAL_REASON_SOLD_OUT, {}, { reason: 'SOLD_OUT' }],
    [RefusalReason.REFUSAL_REASON_NOT_ON_SALE, { opensAt: at }, { reason: 'NOT_ON_SALE', opens_at: at.toISOString() }],
    [
      RefusalReason.REFUSAL_REASON_NOT_ON_SALE,
      { closedAt: at },
      { reason: 'NOT_ON_SALE', closed_at: at.toISOString() },
    ],
    [RefusalReason.REFUSAL_REASON_NOT_ON_SALE, { slotPast: true }, { reason: 'NOT_ON_SALE', slot_past: true }],
    [RefusalReason.REFUSAL_REASON_MAX_PER_ORDER, { limit: 4 }, { reason: 'MAX_PER_ORDER', limit: 4 }],
    [RefusalReason.REFUSAL_REASON_PAUSED, {}, { reason: 'PAUSED' }],
    [RefusalReason.REFUSAL_REASON_SALE_CANCELLED, {}, { reason: 'SALE_CANCELLED' }],
  ];
  for (const [reason, given, expected] of facts) {
    const refusal = { ...noRefusal, reason, ...given };
    edge.asked.answer = () => ({ $case: 'refused', value: { refusal, ownOrder: undefined } });
    const answer = await edge.post(good);
    const { type, title, detail, instance, request_id, status, sku_id, ...rest } = answer.body;
    assert.is(answer.status, 409);
    assert.is(answer.headers.get('content-type'), 'application/problem+json');
    assert.equal([status, instance, request_id, sku_id], [409, '/v1/orders', 'key-1', 'sku-1']);
    assert.ok(type && title && detail);
    assert.equal(rest, expected);
  }
});

test('a no that is stored says that it stays with its key, and one before the opening that the key works then', async () => {
  const staying = ['NOT_ENOUGH', 'ALL_HELD', 'SOLD_OUT', 'LIMIT_REACHED', 'PAUSED'] as const;
  const detailOf = async (reason: RefusalReason, facts: object = {}): Promise<unknown> => {
    const refusal = { ...noRefusal, reason, ...facts };
    edge.asked.answer = () => ({ $case: 'refused', value: { refusal, ownOrder: undefined } });
    return (await edge.post(good)).body.detail;
  };
  for (const name of staying) {
    const detail = await detailOf(RefusalReason[`REFUSAL_REASON_${name}`]);
    assert.match(String(detail), /stays with this Idempotency-Key: another try needs a new one/, name);
  }
  const notOnSale = RefusalReason.REFUSAL_REASON_NOT_ON_SALE;
  assert.match(String(await detailOf(notOnSale, { opensAt: new Date(0) })), /the same Idempotency-Key works then/);
  assert.not.match(String(await detailOf(notOnSale, { slotPast: true })), /Idempotency-Key/);
});

test('a refusal names the own order of whoever has one', async () => {
  const reason = RefusalReason.REFUSAL_REASON_LIMIT_REACHED;
  const refusal = { ...noRefusal, reason, limit: 1, ownOrderId: 'own-1' };
  edge.asked.answer = () => ({ $case: 'refused', value: { refusal, ownOrder: orderOf({ orderId: 'own-1' }) } });
  const { body } = await edge.post(good);
  assert.equal([body.reason, body.limit, body.own_order_id], ['LIMIT_REACHED', 1, 'own-1']);
  assert.is((body.own_order as { state: string }).state, 'HELD');
});

test('over what a limit counts is said, and in words', async () => {
  const reason = RefusalReason.REFUSAL_REASON_LIMIT_REACHED;
  const told = async (scope: LimitScope): Promise<unknown[]> => {
    edge.asked.answer = () => ({
      $case: 'refused',
      value: { refusal: { ...noRefusal, reason, limit: 1, scope }, ownOrder: undefined },
    });
    const { body } = await edge.post(good);
    return [body.scope, String(body.detail).split('.')[0]];
  };
  const more = 'Nobody may have more than 1';
  assert.equal(await told(LimitScope.LIMIT_SCOPE_SKU), ['SKU', `${more} of sku-1`]);
  assert.equal(await told(LimitScope.LIMIT_SCOPE_STORE), ['STORE', `${more} of all that the store sells`]);
  assert.equal(await told(LimitScope.LIMIT_SCOPE_GROUP), ['GROUP', `${more} of what belongs together with sku-1`]);
  assert.equal(await told(LimitScope.LIMIT_SCOPE_OPEN_ORDERS), ['OPEN_ORDERS', `${more} unpaid order at the store`]);
  const unused = `${more} order at the store before they are used`;
  assert.equal(await told(LimitScope.LIMIT_SCOPE_UNFULFILLED), ['UNFULFILLED', unused]);
});

test('faults of the gateway become problems, with when to come again', async () => {
  const cases: [Fault, number, string | null][] = [
    [new Fault('SKU_NOT_FOUND', 'There is no such sku', { metadata: { sku_id: 'sku-1' } }), 404, null],
    [new Fault('REQUEST_ID_REUSED', 'The request id was used'), 422, null],
    [new Fault('CURRENCY_MIXED', 'The lines have more than one currency'), 400, null],
    [new Fault('BUSY', 'lane 127.0.0.1 is full', { retryAfterMs: 1_200 }), 503, '2'],
    [new Fault('TOO_LATE', 'redis at 10.0.0.1 took too long'), 504, '1'],
  ];
  for (const [fault, status, retryAfter] of cases) {
    edge.asked.answer = () => fault;
    const answer = await edge.post(good);
    assert.equal(
      [answer.status, answer.body.reason, answer.headers.get('retry-after')],
      [status, fault.reason, retryAfter],
    );
    if (status >= 500) assert.not.match(answer.text, /0\.0\.1/);
  }
});

test('violations that the gateway found point where the app gave the field', async () => {
  const fields = ['lines[2].quantity', 'store_id', 'request_id', 'user_id'];
  const violations = fields.map((field) => ({ field, description: 'is odd' }));
  edge.asked.answer = () => new Fault('INVALID_REQUEST', 'odd', { violations });
  const answer = await edge.post(good);
  assert.equal(placesOf(answer), ['#/lines/2/quantity', '#/store_id', 'Holdfast-For-User', 'Idempotency-Key']);
});

test('nothing of the inside leaves with a 500', async () => {
  edge.asked.fault = new Fault('INTERNAL', 'select * from secrets', { cause: new Error('at /srv/app.js') });
  const answer = await edge.get('/v1/orders/o-1');
  assert.equal([answer.status, answer.body.reason], [500, 'INTERNAL']);
  assert.not.match(answer.text, /secrets|srv|stack/);
});

test('a gateway that breaks off is asked again with the same key', async () => {
  let tries = 0;
  edge.asked.answer = ({ userId }) => {
    tries += 1;
    return tries < 3 ? 'break' : { $case: 'held', value: { order: orderOf({ userId }) } };
  };
  assert.is((await edge.post(good)).status, 201);
  assert.equal([...new Set(edge.asked.reserved.map(({ request }) => request?.requestId))], ['key-1']);
});

test('no answer within the deadline is a 5xx that may be sent again', async () => {
  edge.asked.answer = () => 'never';
  const answer = await edge.post(good);
  assert.is(answer.status, 504);
  assert.match(String(answer.body.detail), 'cannot count twice');
});

test('an order is read and cancelled in the name of the user', async () => {
  const read = await edge.get('/v1/orders/o-1', 'ben');
  assert.equal([read.status, read.body.order_id, read.body.user_id], [200, 'o-1', 'ben']);
  const bodies = ['', '{}', '{"reason":"ill"}'];
  for (const body of bodies) {
    const answer = await edge.post(body, goodHeaders, '/v1/orders/o-1:cancel');
    assert.equal([answer.status, answer.body.state], [200, 'CANCELLED']);
  }
  const bare = await edge.ask('/v1/orders/o-1:cancel', {
    method: 'POST',
    headers: { authorization: goodHeaders.authorization, 'idempotency-key': 'c-9' },
  });
  assert.is(bare.status, 200);
  assert.equal(
    edge.asked.cancelled.map(({ userId, request }) => [userId, request.requestId, request.reason]),
    [
      ['ana', 'key-1', ''],
      ['ana', 'key-1', ''],
      ['ana', 'key-1', 'ill'],
      ['ana', 'c-9', ''],
    ],
  );
  for (const body of ['{"reason":1}', '{"reasons":"x"}', '[]', '{"reason":"a\\u0000"}']) {
    assert.is((await edge.post(body, goodHeaders, '/v1/orders/o-1:cancel')).status, 400, body);
  }
});

test('an order that is not decided yet is 409 with when to come again', async () => {
  edge.asked.fault = new Fault('ORDER_PENDING', 'The order is not decided yet');
  const answer = await edge.post({}, goodHeaders, '/v1/orders/o-1:cancel');
  assert.equal([answer.status, answer.body.reason, answer.headers.get('retry-after')], [409, 'ORDER_PENDING', '1']);
});

const noRefusal = {
  reason: RefusalReason.REFUSAL_REASON_UNSPECIFIED,
  skuId: 'sku-1',
  free: 0,
  nextReleaseAt: undefined,
  opensAt: undefined,
  closedAt: undefined,
  slotPast: false,
  limit: 0,
  ownOrderId: '',
  scope: LimitScope.LIMIT_SCOPE_UNSPECIFIED,
};

test.run();
