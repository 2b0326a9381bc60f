import { Fault } from '#libs/refusal/fault.js';
import { assert, suite } from '#libs/testing/suite.js';
import { holdfast } from './command-line.js';
import { everyAnswer } from './commands.js';
import { type FakeGateway, startFakeGateway } from './fake-gateway.js';
import { movement } from './money-samples.js';
import { order, orderId } from './repair-samples.js';
import { longAgo } from './samples.js';

const test = suite('holdfast orders, holds and movements');
let gateway: FakeGateway;

test.before(async () => {
  gateway = await startFakeGateway();
});
test.before.each(() => {
  gateway.asked = [];
  gateway.script = { ...everyAnswer };
});
test.after(() => gateway.close());

const run = (...args: string[]) => holdfast(['--gateway', gateway.address, ...args]);

test('an order is fulfilled by its code or its id, and the second time says when it was', async () => {
  assert.match(
    (await run('orders', 'fulfil', 'k7qx-2m9d', '--store', 'kiln')).out,
    `order ${orderId} of u-4711 is fulfilled`,
  );
  gateway.script.fulfilOrder = { order: { ...order, fulfilledAt: longAgo }, changed: false };
  assert.match((await run('orders', 'fulfil', orderId)).out, 'was fulfilled already, at 2026-03-02 09:00:00Z');
  const sent = gateway.requests('fulfilOrder').map(({ orderId: id, storeId, code }) => [id, storeId, code]);
  assert.equal(sent, [
    ['', 'kiln', 'k7qx-2m9d'],
    [orderId, '', ''],
  ]);
});

test('holds are told with their shares, of the last day when nothing is said', async () => {
  const { out } = await run('holds', 'stats', '--sku', 'kiln-mug');
  assert.match(out, /paid +6 \(75 %\)[\s\S]*held in vain +15 unit-minutes/);
  const [{ since, skuId } = { since: undefined, skuId: '' }] = gateway.requests('getHoldStats');
  assert.is(skuId, 'kiln-mug');
  const ageMs = Date.now() - (since?.getTime() ?? 0);
  assert.ok(ageMs >= 86_400_000 && ageMs < 86_460_000);
});

test('movements are told back to an instant, and of one kind', async () => {
  const older = { ...movement, at: new Date(Date.now() - 7_200_000) };
  const newer = { ...movement, at: new Date(Date.now() - 60_000) };
  const other = { ...newer, reason: 'CANCEL' };
  gateway.script.listMovements = ({ pageToken }) => {
    return pageToken === ''
      ? { movements: [other, newer, older], nextPageToken: 'more' }
      : { movements: [], nextPageToken: '' };
  };
  const { out } = await run('movements', '--sku', 'kiln-mug', '--since', '1h', '--why', 'expire', '--json');
  const { movements } = JSON.parse(out) as { movements: { at: string; reason: string }[] };
  assert.equal(
    movements.map(({ at, reason }) => [at, reason]),
    [[newer.at.toISOString(), 'EXPIRE']],
  );
  assert.is(gateway.requests('listMovements').length, 1);
  const kinds = ['PAY', 'CANCEL', 'CANCEL_PART', 'PAYBACK'];
  gateway.script.listMovements = { movements: kinds.map((reason) => ({ ...newer, reason })), nextPageToken: '' };
  for (const [why, found] of [
    ['pay', ['PAY']],
    ['cancel', ['CANCEL', 'CANCEL_PART']],
    ['cancel-part', ['CANCEL_PART']],
  ] as const) {
    const told = JSON.parse((await run('movements', '--sku', 'kiln-mug', '--why', why, '--json')).out);
    assert.equal(
      told.movements.map(({ reason }: { reason: string }) => reason),
      found,
    );
  }
  gateway.script.listMovements = { movements: [movement], nextPageToken: '' };
  assert.match((await run('movements', '--sku', 'kiln-mug')).out, /EXPIRE +reserved \+2, held -2 +/);
});

test('movements of a sku that nobody knows are not found, of a known one there are none', async () => {
  gateway.script.listMovements = { movements: [], nextPageToken: '' };
  assert.match((await run('movements', '--sku', 'kiln-mug')).out, /no unit moved/);
  gateway.script.getSku = new Fault('SKU_NOT_FOUND', 'there is no such sku', { metadata: { sku_id: 'nope' } });
  const { code, out, err } = await run('movements', '--sku', 'nope');
  assert.equal([code, out], [1, '']);
  assert.match(err, /^there is no such sku/);
});

test.run();
