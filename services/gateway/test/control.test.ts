import { ControlServiceDefinition } from '#libs/contracts/gen/holdfast/control/v1/control_service.js';
import { OnBusy } from '#libs/contracts/gen/holdfast/inventory/v1/sku.js';
import { Fault } from '#libs/refusal/fault.js';
import { type Client, connect } from '#libs/rpc/client.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import { as, type GatewaysUnderTest, startGateways } from './gateways-under-test.js';

const test = suite('control');

const operator = as('olga', { role: 'OPERATOR' });
const change = {
  storeId: 'store-1',
  skuId: 'sku-1',
  rateLimit: { perSecond: 7, burst: 9 },
  clearRateLimit: false,
  requestId: 'change-1',
};

let gateways: GatewaysUnderTest;
let control: Client<typeof ControlServiceDefinition>;

test.before(async () => {
  gateways = await startGateways(1, { RATE_PER_SECOND: '30', RATE_BURST: '40' });
  control = connect(ControlServiceDefinition, gateways.addresses[0] ?? '', { defaultDeadlineMs: 20_000 });
});
test.before.each(() => {
  gateways.books.set = [];
});
test.after(async () => {
  control.close();
  await gateways.close();
});

test('who is no operator is told so, before anything else is looked at', async () => {
  const bad = { ...change, storeId: '', rateLimit: { perSecond: -1, burst: 0 } };
  for (const who of [as('ana'), as('sam', { role: 'STAFF' }), as('shop', { role: 'SERVICE' })]) {
    for (const call of [
      control.setLimits(change, who),
      control.setLimits(bad, who),
      control.listLimits({ storeId: '', pageSize: -1, pageToken: '' }, who),
    ]) {
      assert.is((await rejectionOf(call as Promise<unknown>, Fault)).reason, 'PERMISSION_DENIED');
    }
  }
  assert.equal(gateways.books.set, []);
});

test('what an operator sets goes to inventory as it was said', async () => {
  const { sku } = await control.setLimits({ ...change, onBusy: OnBusy.ON_BUSY_FAIL }, operator);
  assert.equal(sku?.rateLimit, { perSecond: 7, burst: 9 });
  const [set] = gateways.books.set;
  assert.is(set?.onBusy, OnBusy.ON_BUSY_FAIL);
  assert.is(set?.requestId, 'change-1');
  assert.is(set?.requireIssuedRequestId, undefined);
});

test('negative and absurd limits are refused, all violations at once', async () => {
  const bad = {
    ...change,
    storeId: ' ',
    rateLimit: { perSecond: -50, burst: 1_000_001 },
    onBusy: 7 as OnBusy,
    requireIssuedRequestId: true,
    requestId: '',
  };
  const fault = await rejectionOf(control.setLimits(bad, operator), Fault);
  assert.is(fault.reason, 'INVALID_REQUEST');
  assert.equal(
    fault.violations.map(({ field }) => field),
    ['store_id', 'rate_limit.per_second', 'rate_limit.burst', 'on_busy', 'require_issued_request_id', 'request_id'],
  );
  assert.equal(gateways.books.set, []);
});

test('limits are listed with what the gateways are configured with, a page at a time', async () => {
  gateways.books.issuedOnly.add('strict');
  const page = await control.listLimits({ storeId: 'strict', pageSize: 100_000, pageToken: '' }, operator);
  assert.equal(page.configured, { perSecond: 30, burst: 40 });
  assert.is(page.store?.requireIssuedRequestId, true);
  assert.is(page.nextPageToken, 'asked for 500');
  const bad = rejectionOf(control.listLimits({ storeId: '', pageSize: -1, pageToken: '' }, operator), Fault);
  assert.equal(
    (await bad).violations.map(({ field }) => field),
    ['store_id', 'page_size'],
  );
});

test.run();
