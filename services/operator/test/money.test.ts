import { SettleVerb } from '#libs/contracts/gen/holdfast/control/v1/money_service.js';
import { Fault } from '#libs/refusal/fault.js';
import { assert, suite } from '#libs/testing/suite.js';
import { holdfast } from './command-line.js';
import { everyAnswer } from './commands.js';
import { type FakeGateway, startFakeGateway } from './fake-gateway.js';
import { payment } from './money-samples.js';
import { orderId } from './repair-samples.js';

const test = suite('holdfast money');
let gateway: FakeGateway;

test.before(async () => {
  gateway = await startFakeGateway();
});
test.before.each(() => {
  gateway.asked = [];
  gateway.script = { ...everyAnswer };
});
test.after(() => gateway.close());

const args = (...more: string[]) => ['--gateway', gateway.address, 'money', ...more];

test('issues are shown with what is wrong, how much it is and whose', async () => {
  const { code, out } = await holdfast(args('issues', '--store', 'kiln'));
  assert.is(code, 0);
  assert.match(out, new RegExp(`WRONG_AMOUNT +24.99 EUR +REFUND_DUE +2026-03-02 .* sandbox +pay_1 +${orderId} +-`));
  assert.is(gateway.requests('listMoneyIssues')[0]?.storeId, 'kiln');
});

test('no issues are told as such, and as an empty list', async () => {
  gateway.script.listMoneyIssues = { payments: [], nextPageToken: '' };
  assert.match((await holdfast(args('issues'))).out, 'no money waits for anybody');
  assert.equal(JSON.parse((await holdfast(args('issues', '--json'))).out).payments, []);
});

test('a store that nobody knows is told as such', async () => {
  gateway.script.listMoneyIssues = { payments: [], nextPageToken: '' };
  assert.is((await holdfast(args('issues', '--store', 'kiln'))).code, 0);
  gateway.script.listLimits = { configured: undefined, store: undefined, skus: [], nextPageToken: '' };
  const { code, out, err } = await holdfast(args('issues', '--store', 'nope'));
  assert.equal([code, out], [1, '']);
  assert.match(err, /^there is no store nope/);
});

test('a report gives the sums of the day, of today when none is named', async () => {
  const { out } = await holdfast(args('report', '--store', 'kiln', '--day', '2026-03-02', '--zone', 'Europe/Berlin'));
  assert.match(out, /sandbox +3 +84.00 EUR +42.00 EUR +0.00 EUR +CAPTURED 42.00 EUR, REFUND_DUE 42.00 EUR/);
  await holdfast(args('report', '--store', ''));
  const [first, second] = gateway.requests('getMoneyReport');
  assert.equal(first, { storeId: 'kiln', day: '2026-03-02', timeZone: 'Europe/Berlin' });
  assert.is(second?.storeId, '');
  assert.is(second?.day, new Date().toISOString().slice(0, 10));
});

test('a settlement sends what is decided and why, in the name of the operator', async () => {
  const { code, out } = await holdfast(args('settle', 'sandbox', 'pay_1', 'write-off', '--reason', 'by hand'));
  assert.is(code, 0);
  assert.match(out, 'by anna: by hand');
  const [{ requestId, ...sent } = { requestId: '' }] = gateway.requests('settleMoney');
  assert.equal(sent, {
    provider: 'sandbox',
    providerPaymentId: 'pay_1',
    verb: SettleVerb.SETTLE_VERB_WRITE_OFF,
    reason: 'by hand',
  });
  assert.ok(requestId);
});

test('what cannot be settled so is told with the reason', async () => {
  gateway.script.settleMoney = new Fault('ORDER_STATE', 'KEEP is not possible of an order that is EXPIRED');
  const { code, err } = await holdfast(args('settle', 'sandbox', 'pay_1', 'keep', '--reason', 'x'));
  assert.is(code, 1);
  assert.match(err, 'KEEP is not possible');
});

test('--json has the payment by the names of the contract', async () => {
  const { payments } = JSON.parse((await holdfast(args('issues', '--json'))).out) as { payments: object[] };
  assert.equal(payments[0], {
    order_id: orderId,
    store_id: 'kiln',
    provider: payment.provider,
    provider_payment_id: payment.providerPaymentId,
    amount_minor: 2_499,
    currency: 'EUR',
    state: 'REFUND_DUE',
    issue: 'WRONG_AMOUNT',
    captured_at: '2026-03-02T09:00:00.000Z',
    recorded_at: '2026-03-02T09:00:00.000Z',
    refund_minor: 2_499,
    refund_id: '',
    refunded_at: null,
    settled_by: '',
    settled_reason: '',
  });
});

test.run();
