import { StockPath } from '#libs/contracts/gen/holdfast/control/v1/switch.js';
import {
  AvailabilityState,
  LateCancel,
  LatePayment,
  OnSoldOut,
  WaitlistAccept,
  WaitlistOrder,
} from '#libs/contracts/gen/holdfast/inventory/v1/sku.js';
import { Fault } from '#libs/refusal/fault.js';
import { assert, suite } from '#libs/testing/suite.js';
import { holdfast } from './command-line.js';
import { type FakeGateway, startFakeGateway } from './fake-gateway.js';
import { order } from './repair-samples.js';
import { longAgo, mug, mugUnits, stockSwitch, storeScope } from './samples.js';

const test = suite('holdfast sku');
let gateway: FakeGateway;

test.before(async () => {
  gateway = await startFakeGateway();
});
test.before.each(() => {
  gateway.asked = [];
  gateway.script = {
    getControl: { switches: [stockSwitch] },
    getSku: { sku: mug, availability: mugUnits },
    pauseSku: { sku: { ...mug, paused: true } },
    resumeSku: { sku: mug },
    cancelSku: { sku: { ...mug, cancelledAt: longAgo } },
    setCapacity: { sku: { ...mug, capacity: 30, overbooked: 10 }, availability: { ...mugUnits, free: 0 } },
  };
});
test.after(() => gateway.close());

const run = (...args: string[]) => holdfast(['--gateway', gateway.address, 'sku', ...args]);
const because = ['--reason', 'a table broke'];

test('show tells terms, units and which switch decides', async () => {
  const redis = { $case: 'stockPath', value: StockPath.STOCK_PATH_REDIS } as const;
  gateway.script.getControl = { switches: [stockSwitch, { ...stockSwitch, scope: storeScope, path: redis }] };
  const { code, out } = await run('show', 'kiln-mug');
  assert.is(code, 0);
  assert.match(out, /^kiln-mug of store kiln: A mug$/m);
  for (const fact of [
    /free +60/,
    /held +10/,
    /on sale +yes, available/,
    /per user +2/,
    /hold +15 min/,
    /price +12\.50 EUR/,
    /rate limit +400 a second, burst 40/,
    /when busy +fail/,
    /late payment +gets its units again if they are free/,
    /cancel +free at any time/,
  ]) {
    assert.match(out, fact);
  }
  assert.match(out, /stock path: redis, as bob set it for store kiln\n$/);
});

test('show tells exactly how long, and how those are served who wait', async () => {
  const waitlist = { maxEntries: 50, order: WaitlistOrder.WAITLIST_ORDER_FIRST_FIT, maxSkips: 2 };
  const offers = { accept: WaitlistAccept.WAITLIST_ACCEPT_OFFER, offerTtlSeconds: 5_400 };
  const terms = { holdTtlSeconds: 95, freeCancelSeconds: 129_600, onSoldOut: OnSoldOut.ON_SOLD_OUT_JOIN_WAITLIST };
  const sku = { ...mug, ...terms, waitlist: { ...waitlist, ...offers }, waitlistPaused: true };
  gateway.script.getSku = { sku, availability: mugUnits };
  const { out } = await run('show', 'kiln-mug');
  assert.match(out, /hold +1 min 35 s\n/);
  assert.match(out, /cancel +free until 36 h before it starts/);
  assert.match(out, /when sold out +its waitlist is joined\n/);
  assert.match(out, /waitlist +at most 50, whom it is enough for, nobody passed over more than 2 times; an offer/);
  assert.match(out, /an offer is kept for 1 h 30 min, what costs nothing is offered; paused\n/);
  const shown = JSON.parse((await run('show', 'kiln-mug', '--json')).out).sku;
  assert.equal([shown.on_sold_out, shown.waitlist_paused], ['join_waitlist', true]);
  const terse = { max_entries: 50, order: 'first_fit', max_skips: 2, accept: 'offer', offer_ttl_seconds: 5_400 };
  assert.equal(shown.waitlist, terse);
});

test('show --json has names as in the contracts', async () => {
  const shown = JSON.parse((await run('show', 'kiln-mug', '--json')).out);
  assert.equal(shown.availability, {
    state: 'available',
    free: 60,
    reserved: 0,
    held: 10,
    sold: 30,
    next_release_at: null,
    opens_in_ms: 0,
    on_sale: true,
  });
  assert.equal([shown.sku.price_minor, shown.sku.on_busy, shown.sku.rate_limit.burst], [1250, 'fail', 40]);
  assert.is(shown.stock_path, 'postgres');
});

test('show tells what becomes of late money and of a late cancel', async () => {
  const policies = {
    latePayment: LatePayment.LATE_PAYMENT_REFUND,
    freeCancelSeconds: 86_400,
    lateCancel: LateCancel.LATE_CANCEL_NO_REFUND,
  };
  gateway.script.getSku = { sku: { ...mug, ...policies }, availability: mugUnits };
  const { out } = await run('show', 'kiln-mug');
  assert.match(out, /late payment +goes back/);
  assert.match(out, /cancel +free until 24 h before it starts, then without a refund/);
  const { sku } = JSON.parse((await run('show', 'kiln-mug', '--json')).out);
  assert.equal([sku.late_payment, sku.free_cancel_seconds, sku.late_cancel], ['refund', 86_400, 'no_refund']);
});

test('why a sku is not on sale is said', async () => {
  const off = { ...mugUnits, onSale: false, state: AvailabilityState.AVAILABILITY_STATE_SOLD_OUT };
  gateway.script.getSku = { sku: { ...mug, paused: true }, availability: off };
  assert.match((await run('show', 'kiln-mug')).out, /on sale +no, it is paused/);
  gateway.script.getSku = { sku: { ...mug, cancelledAt: longAgo }, availability: off };
  assert.match((await run('show', 'kiln-mug')).out, /\(cancelled\)[\s\S]*on sale +no, it was cancelled at 2026-03-02/);
  gateway.script.getSku = { sku: mug, availability: { ...off, opensInMs: 7_200_000 } };
  assert.match((await run('show', 'kiln-mug')).out, /on sale +in 2 h/);
});

test('pause, resume and cancel name the store that they have looked up, and why', async () => {
  assert.match((await run('pause', 'kiln-mug', ...because)).out, /\(paused\)\nnobody can begin an order/);
  assert.match((await run('resume', 'kiln-mug', ...because)).out, /A mug\nit is sold by its terms/);
  assert.match((await run('cancel', 'kiln-mug', ...because)).out, /\(cancelled\)\nnobody can begin an order/);
  for (const method of ['pauseSku', 'resumeSku', 'cancelSku'] as const) {
    const [{ requestId, ...sent } = { requestId: '' }] = gateway.requests(method);
    assert.equal(sent, { storeId: 'kiln', skuId: 'kiln-mug', reason: 'a table broke' });
    assert.ok(requestId);
  }
});

test('a capacity below what is taken is refused with the figure, and what --force would do', async () => {
  const metadata = { sku_id: 'kiln-mug', taken: '40' };
  gateway.script.setCapacity = new Fault('CAPACITY_BELOW_TAKEN', '40 units are taken', { metadata });
  const { code, err } = await run('set-capacity', 'kiln-mug', '30', ...because);
  assert.is(code, 1);
  assert.match(
    err,
    /^40 units of kiln-mug are taken, more than 30\n--force sets it all the same: 40 stay taken, kiln-mug is overbooked by 10/,
  );
});

test('--force is sent, and the sku is shown overbooked', async () => {
  const { code, out } = await run('set-capacity', 'kiln-mug', '30', '--force', ...because);
  assert.is(code, 0);
  assert.match(out, /capacity +30 \+ 10 overbooked/);
  const [sent] = gateway.requests('setCapacity');
  assert.equal([sent?.storeId, sent?.capacity, sent?.force, sent?.reason], ['kiln', 30, true, 'a table broke']);
});

test('overbooked lists the latest orders, over pages, and says when there are none', async () => {
  const list = ['--gateway', gateway.address, 'overbooked', 'kiln-mug'];
  gateway.script.getSku = { sku: { ...mug, overbooked: 2 }, availability: mugUnits };
  const pages = [
    { ...order, orderId: 'first' },
    { ...order, orderId: 'second' },
  ];
  gateway.script.listOverbookedOrders = ({ pageToken }) => ({
    sku: mug,
    orders: pages.slice(Number(pageToken), Number(pageToken) + 1),
    nextPageToken: pageToken === '' ? '1' : '',
  });
  const { code, out } = await holdfast(list);
  assert.is(code, 0);
  assert.match(out, /overbooked by 2, the latest first[\s\S]*first[\s\S]*second/);
  const json = JSON.parse((await holdfast([...list, '--json'])).out);
  assert.equal(
    json.orders.map((listed: { order_id: string }) => listed.order_id),
    ['first', 'second'],
  );
  gateway.script.getSku = { sku: mug, availability: mugUnits };
  gateway.script.listOverbookedOrders = { sku: mug, orders: [], nextPageToken: '' };
  assert.match((await holdfast(list)).out, /it is not overbooked/);
});

test('--move-to moves them one by one; one that cannot move is listed with why, and stops nothing', async () => {
  const overbooked = { sku: { ...mug, overbooked: 2 }, availability: mugUnits };
  gateway.script.getSku = () =>
    gateway.requests('moveOrder').length < 3 ? overbooked : { sku: { ...mug, overbooked: 1 }, availability: mugUnits };
  const listed = ['first', 'second', 'third'].map((orderId) => ({ ...order, orderId }));
  gateway.script.listOverbookedOrders = { sku: mug, orders: listed, nextPageToken: '' };
  gateway.script.moveOrder = ({ orderId }) => {
    if (orderId === 'third') throw new Fault('ORDER_STATE', 'it is over');
    const { refusal } = order;
    if (orderId === 'second' && refusal) return { outcome: { $case: 'refusal', value: refusal } };
    return { outcome: { $case: 'order', value: order } };
  };
  const move = ['--gateway', gateway.address, 'overbooked', 'kiln-mug', '--move-to', 'kiln-cup'];
  const { code, out } = await holdfast(move);
  assert.is(code, 0);
  assert.match(out, /overbooked by 1[\s\S]*first .*at kiln-cup[\s\S]*second .*SOLD_OUT[\s\S]*third .*ORDER_STATE/);
  const sent = gateway.requests('moveOrder').map(({ orderId, fromSkuId, toSkuId }) => [orderId, fromSkuId, toSkuId]);
  assert.equal(sent[0], ['first', 'kiln-mug', 'kiln-cup']);
  gateway.script.moveOrder = new Fault('UNAVAILABLE', 'the ledger is away');
  assert.is((await holdfast(move)).code, 3);
});

test('who changes something is the option, else the environment, else who is logged in', async () => {
  const pause = ['--gateway', gateway.address, 'sku', 'pause', 'kiln-mug', ...because];
  const env = { HOLDFAST_OPERATOR: 'bob' };
  await holdfast([...pause, '--as', 'cleo'], { env });
  await holdfast(pause, { env });
  await holdfast(pause);
  const users = gateway.asked.filter(({ method }) => method === 'pauseSku').map(({ user }) => user);
  assert.equal(users, ['cleo', 'bob', 'anna']);
});

test('a name that is none is refused, and where there is none at all the gateway asks for one', async () => {
  const pause = ['--gateway', gateway.address, 'sku', 'pause', 'kiln-mug', ...because];
  const wrong = await holdfast([...pause, '--as', 'Anna Bell']);
  assert.is(wrong.code, 2);
  assert.match(wrong.err, /--as "Anna Bell": a name has/);
  assert.equal(gateway.asked, []);
  const nobody = await holdfast(pause, { loginName: undefined });
  assert.is(nobody.code, 1);
  assert.match(nobody.err, /say who you are: HOLDFAST_TOKEN or --token-file FILE/);
  assert.equal(gateway.asked, []);
});

test.run();
