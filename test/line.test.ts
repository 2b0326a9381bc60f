import { RefusalReason } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import { PlaceState } from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import { assert, suite } from '#libs/testing/suite.js';
import { bearerOf } from '#libs/testing/test-issuer.js';
import { until } from '#libs/testing/until.js';
import { type OnSale, onSale, somebody } from './on-sale.js';
import { type Press, press, pressHttp, type Said, tally } from './press.js';
import { startTestMesh, type TestMesh } from './test-mesh.js';

const test = suite('the line');
/** People who come in one instant, over all gateways: among them nobody is first. */
const together = 20;
let mesh: TestMesh;

test.before(async () => {
  mesh = await startTestMesh({ gateways: 2, gatewayEnv: { REDIS_TIMEOUT_MS: '2000' } });
});
test.after(() => mesh.close());

const gatewayOf = (index: number): TestMesh['gateway'] => mesh.gatewayAt(index % 2);

/** Comes back when told to, as a good client does, until there is an answer that stands. */
async function standInLine(gateway: TestMesh['gateway'], person: Press, first?: Said): Promise<Said> {
  let said = first ?? (await press(gateway, person));
  while (said.outcome?.$case === 'queued') {
    const dueAt = performance.now() + said.outcome.value.retryAfterMs;
    await until(() => performance.now() >= dueAt);
    said = await press(gateway, person);
  }
  return said;
}

/** So many new people ask at once, in this order, over both gateways. */
async function arrive(count: number, sku: OnSale): Promise<{ person: Press; said: Said; index: number }[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const person = somebody(sku);
      return { person, said: await press(gatewayOf(index), person), index };
    }),
  );
}

function reasonOf({ outcome }: Said): string {
  const reason = outcome?.$case === 'refused' ? outcome.value.refusal?.reason : undefined;
  return RefusalReason[reason ?? 0] ?? '';
}

test('a flash: all units go, to those who came first, and everybody else hears the no', async () => {
  const sku = await onSale(mesh, { perSecond: 50, burst: 50, onBusy: 'QUEUE' }, { capacity: 120, perUserLimit: 1 });
  const people = Array.from({ length: 400 }, () => somebody(sku));
  const visits: Promise<Said>[] = [];
  for (let came = 0; came < people.length; came += together) {
    const wave = people.slice(came, came + together).map((person, index) => ({ gateway: gatewayOf(index), person }));
    const first = await Promise.all(wave.map(({ gateway, person }) => press(gateway, person)));
    visits.push(...wave.map(({ gateway, person }, index) => standInLine(gateway, person, first[index])));
  }
  const said = await Promise.all(visits);
  assert.equal(tally(said), { held: 120, refused: 280 });
  const noes = said.filter(({ kind }) => kind === 'refused').map(reasonOf);
  assert.equal(new Set(noes), new Set(['REFUSAL_REASON_ALL_HELD']));
  const last = said.findLastIndex(({ kind }) => kind === 'held');
  assert.ok(last < 120 + together, `the one who came as number ${last + 1} has the last unit`);
  assert.equal(await mesh.ledger.violations(), []);
});

test('while units last, nobody is let through more than the rate allows, and places come nearer', async () => {
  const sku = await onSale(mesh, { perSecond: 10, burst: 10, onBusy: 'QUEUE' });
  const first = await arrive(40, sku);
  assert.is(tally(first.map(({ said }) => said)).held, 10);
  const line = first.flatMap(({ person, said: { outcome } }) =>
    outcome?.$case === 'queued' ? [{ person, ...outcome.value }] : [],
  );
  assert.is(line.length, 30);
  assert.equal(
    line.map(({ peopleAhead }) => peopleAhead).toSorted((a, b) => a - b),
    Array.from({ length: 30 }, (_, n) => n),
  );
  assert.ok(
    line.every(({ skuId, retryAfterMs }) => skuId === sku.skuId && retryAfterMs >= 200 && retryAfterMs <= 5_000),
  );
  const last = line.find(({ peopleAhead }) => peopleAhead === 29);
  assert.ok(last);
  // Nobody comes in between: a newcomer stands behind them all.
  const [newcomer] = await arrive(1, sku);
  assert.ok(newcomer?.said.outcome?.$case === 'queued' && newcomer.said.outcome.value.peopleAhead >= 25);
  await Promise.all(line.map(({ person }, index) => standInLine(gatewayOf(index), person)));
  assert.is((await standInLine(gatewayOf(0), newcomer.person)).kind, 'held');
});

test('sold out is told to the whole line at once', async () => {
  const limit = { perSecond: 5, burst: 5, onBusy: 'QUEUE' } as const;
  const sku = await onSale(mesh, limit, { capacity: 5, perUserLimit: 1, paymentRequired: false });
  const people = await arrive(200, sku);
  const waiting = people.filter(({ said }) => said.kind === 'queued');
  assert.is(tally(people.map(({ said }) => said)).held, 5);
  // One whose turn comes hears it first; nobody else needs a turn.
  const [head] = waiting.toSorted((a, b) => aheadOf(a.said) - aheadOf(b.said));
  assert.ok(head);
  assert.is(reasonOf(await standInLine(gatewayOf(head.index), head.person)), 'REFUSAL_REASON_SOLD_OUT');
  // By their tokens it would take them 39 s.
  let queued = waiting;
  const told: Said[] = [];
  await until(async () => {
    const said = await Promise.all(queued.map(({ person, index }) => press(gatewayOf(index), person)));
    queued = queued.filter((_, index) => said[index]?.kind === 'queued');
    told.push(...said.filter(({ kind }) => kind !== 'queued'));
    return queued.length === 0;
  });
  assert.equal(tally(told), { refused: waiting.length });
  assert.equal(new Set(told.map(reasonOf)), new Set(['REFUSAL_REASON_SOLD_OUT']));
  assert.equal(tally((await arrive(50, sku)).map(({ said }) => said)), { refused: 50 });
});

function aheadOf({ outcome }: Said): number {
  return outcome?.$case === 'queued' ? outcome.value.peopleAhead : Number.POSITIVE_INFINITY;
}

test('who does not want to wait is told by 429 when there will be a token, and gets it then and not before', async () => {
  const sku = await onSale(mesh, { perSecond: 1, burst: 2, onBusy: 'QUEUE' });
  const lines = [{ sku_id: sku.skuId, quantity: 1 }];
  const text = JSON.stringify({ store_id: sku.storeId, lines, on_busy: 'fail' });
  const impatient = () => pressHttp(mesh.http, { ...somebody(sku), text });
  assert.equal([(await impatient()).status, (await impatient()).status], [201, 201]);
  const askedAt = performance.now();
  const { status, body, headers } = await impatient();
  assert.equal([status, body.reason, body.limit, body.sku], [429, 'RATE_LIMITED', 'STORE_SKU', sku.skuId]);
  assert.equal([body.rate, body.burst, body.remaining, headers.get('retry-after')], [1, 2, 0, '1']);
  // It says when it will be full; when there will be one is a second before that.
  const tokenInMs = Number(body.reset_ms) - 1_000;
  assert.ok(tokenInMs > 0 && tokenInMs <= 1_000, `${tokenInMs}`);
  await until(async () => (await impatient()).status === 201);
  assert.ok(performance.now() - askedAt >= tokenInMs - 1);
  assert.is((await press(gatewayOf(1), somebody(sku))).kind, 'queued');
});

test('watching a place keeps it and ends when it is due; a place of somebody else is none', async () => {
  const sku = await onSale(mesh, { perSecond: 4, burst: 2, onBusy: 'QUEUE' });
  const people = await arrive(8, sku);
  const waiting = people
    .filter(({ said }) => said.kind === 'queued')
    .toSorted((a, b) => aheadOf(a.said) - aheadOf(b.said));
  assert.is(waiting.length, 6);
  const watched = await Promise.all(waiting.map(({ person }, index) => watch(index, person)));
  for (const [index, states] of watched.entries()) {
    assert.is(states.at(-1)?.state, PlaceState.PLACE_STATE_DUE);
    assert.ok(states.slice(0, -1).every(({ state }) => state === PlaceState.PLACE_STATE_WAITING));
    const ahead = states.map(({ peopleAhead }) => peopleAhead);
    assert.equal(
      ahead,
      ahead.toSorted((a, b) => b - a),
      `${index}: ${ahead}`,
    );
  }
  const [first] = waiting;
  assert.ok(first);
  const thief = { ...first.person, user: 'thief' };
  assert.equal(
    (await watch(0, thief)).map(({ state }) => state),
    [PlaceState.PLACE_STATE_GONE],
  );
  const said = await Promise.all(waiting.map(({ person }, index) => standInLine(gatewayOf(index), person)));
  assert.equal(tally(said), { held: 6 });
  assert.equal(
    (await watch(1, first.person)).map(({ state }) => state),
    [PlaceState.PLACE_STATE_GONE],
  );
});

async function watch(index: number, { user, storeId = '', skuId }: Press) {
  const seen: { state: PlaceState; peopleAhead: number }[] = [];
  const call = gatewayOf(index).watchPlace(
    { storeId, skuId },
    { metadata: { authorization: bearerOf(user) }, deadlineMs: 15_000 },
  );
  for await (const place of call) seen.push(place);
  return seen;
}

test.run();
