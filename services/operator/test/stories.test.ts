import { Fault } from '#libs/refusal/fault.js';
import { assert, suite } from '#libs/testing/suite.js';
import { holdfast } from './command-line.js';
import { everyAnswer } from './commands.js';
import { type FakeGateway, startFakeGateway } from './fake-gateway.js';
import { events, letter, order, orderId } from './repair-samples.js';
import { longAgo } from './samples.js';

const test = suite('holdfast explain, dead-letters and jobs');
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
const because = ['--reason', 'the sku is there now'];

test('the story of an order begins with the order, and tells what happened to the millisecond', async () => {
  const { code, out } = await run('explain', 'order', orderId.toUpperCase());
  assert.is(code, 0);
  assert.is(gateway.requests('explainOrder')[0]?.orderId, orderId);
  assert.match(out, /REFUSED \(SOLD_OUT\) +u-4711 +2 x kiln-mug for a-1 +25\.00 EUR/);
  assert.match(out, /2026-03-02 09:00:00\.000Z +CLAIMED +let in by the gate\n/);
});

test('an order without a row still has a story', async () => {
  gateway.script.explainOrder = { order: undefined, events };
  assert.match((await run('explain', 'order', orderId)).out, /there is no row of this order\n\nwhen/);
  gateway.script.explainOrder = new Fault('ORDER_NOT_FOUND', 'there is no such order');
  const { code, err } = await run('explain', 'order', orderId);
  assert.is(code, 1);
  assert.match(err, /holdfast explain user USER --sku SKU finds the orders/);
});

test('the story of a person names the orders when there are several, and what the person may have', async () => {
  gateway.script.explainUser = { orders: [order, { ...order, orderId: 'other' }], events, units: 1, limit: 2 };
  const { out } = await run('explain', 'user', 'u-4711', '--sku', 'kiln-mug');
  assert.match(out, new RegExp(`Z +${orderId} +CLAIMED +let in`));
  assert.match(out, /\nhas 1 of at most 2 units\n$/);
  assert.equal(gateway.requests('explainUser'), [{ userId: 'u-4711', skuId: 'kiln-mug' }]);
});

test('the story of a request names the orders of all who used its id, and asks for no more than was said', async () => {
  const pressed = { at: longAgo, orderId: 'other', what: 'ASKED', text: 'pressed with key key-1, was told SOLD_OUT' };
  gateway.script.explainRequest = { orders: [order], events: [...events, pressed] };
  const { code, out } = await run('explain', 'request', 'key-1');
  assert.is(code, 0);
  assert.match(out, new RegExp(`Z +${orderId} +CLAIMED +let in`));
  assert.match(out, /Z +other +ASKED +pressed with key key-1, was told SOLD_OUT\n/);
  assert.equal(gateway.requests('explainRequest'), [{ requestId: 'key-1', userId: '', storeId: '' }]);
  gateway.script.explainRequest = { orders: [], events: [] };
  assert.match((await run('explain', 'request', 'key-2')).out, /no order of this request\n\nnothing happened that is/);
});

test('letters are listed without their messages, and shown with them', async () => {
  assert.match(
    (await run('dead-letters', 'list')).out,
    new RegExp(`3 +2026-.*Z +${orderId} +claims\\.1 +no such sku +no\n`),
  );
  const { out } = await run('dead-letters', 'show', '3');
  assert.match(out, /"order_id": "x"/);
  assert.match(out, /next: holdfast dead-letters replay 3 --reason/);
  const whole = JSON.parse((await run('dead-letters', 'show', '3', '--json')).out).dead_letter;
  assert.equal([whole.payload, Buffer.from(whole.payload_base64, 'base64').toString()], [{ order_id: 'x' }, 'bytes']);
});

test('a replay tells what became of the order; a letter that was seen to is refused with where to look', async () => {
  const seen = { ...letter, resolvedAt: longAgo, resolvedBy: 'anna', resolution: 'REPLAYED: the sku is there now' };
  gateway.script.replayDeadLetter = { deadLetter: seen, order };
  const { out } = await run('dead-letters', 'replay', '3', ...because);
  assert.match(out, /REPLAYED: the sku is there now, by anna at 2026/);
  assert.match(out, /REFUSED \(SOLD_OUT\)/);
  const [{ requestId, ...sent } = { requestId: '' }] = gateway.requests('replayDeadLetter');
  assert.equal(sent, { deadLetterId: 3, reason: 'the sku is there now' });
  gateway.script.discardDeadLetter = new Fault('DEAD_LETTER_RESOLVED', 'anna has replayed it');
  const refused = await run('dead-letters', 'discard', '3', ...because);
  assert.is(refused.code, 1);
  assert.match(refused.err, /^anna has replayed it\nnothing was changed; holdfast dead-letters show/);
});

test('jobs are run, paused with why, and resumed by name', async () => {
  assert.match((await run('jobs', 'list')).out, /expire +ends holds .* 3 expired\n/);
  assert.match((await run('jobs', 'pause', 'expire', ...because)).out, /paused: upgrade/);
  await run('jobs', 'run', 'expire');
  await run('jobs', 'resume', 'expire');
  assert.equal(
    gateway.asked.map(({ method, request }) => [method, request]),
    [
      ['listJobs', {}],
      ['pauseJob', { name: 'expire', reason: 'the sku is there now' }],
      ['runJob', { name: 'expire' }],
      ['resumeJob', { name: 'expire' }],
    ],
  );
});

test.run();
