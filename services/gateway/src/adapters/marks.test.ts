import { randomUUID } from 'node:crypto';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import type { Beginning, Begun, Ending } from '../app/ports.js';
import type { RedisRequests } from './redis-requests.js';
import { requestKeys } from './request-keys.js';
import { beginAll, beginning, ending, kindsOf, limitOf, RequestsStage, stored } from './test-redis-requests.js';

const test = suite('marks');
const LEAVE: Ending['as'] = { kind: 'LEAVE' };
const FORGET: Ending['as'] = { kind: 'FORGET' };
let stage: RequestsStage;
/** Of the test that restarts Redis. */
let other: RequestsStage | undefined;
let gateway: RedisRequests;
/** Its leases are over at once. */
let hasty: RedisRequests;

test.before(async () => {
  stage = await RequestsStage.open();
  gateway = stage.gateway();
  hasty = stage.gateway({ leaseMs: 0 });
});
test.after(() => stage.close());
test.after(() => other?.close());

/** Another try of the same request. */
function again(first: Beginning, given: Partial<Beginning> = {}): Promise<Begun> {
  return gateway.begin({ ...first, owner: randomUUID(), ...given });
}

/** A request whose try has ended so. */
async function ended(as: Ending['as']): Promise<Beginning> {
  const first = beginning();
  await gateway.begin(first);
  await gateway.end(ending(first, as));
  return first;
}

/** The longest that a request nobody tried before is known to be the first. */
async function knownFor(shard = 0): Promise<number> {
  const begun = await gateway.begin(beginning({ shard }));
  return begun.kind === 'GO' ? begun.firstForMs : Number.NaN;
}

/** The clock of Redis in milliseconds. */
async function redisNow(): Promise<number> {
  const [seconds, micros] = await stage.redis.time();
  return Number(seconds) * 1_000 + Number(micros) / 1_000;
}

test('a request is known to be the first for as long as marks are kept', async () => {
  const earlier = await until(() => knownFor());
  await until(async () => (await knownFor()) > earlier);
});

test('B02: of 20 at once over three gateways one goes, the others find it in progress', async () => {
  const gateways = [gateway, stage.gateway(), stage.gateway()];
  const same = beginning();
  const begun = await Promise.all(
    Array.from({ length: 20 }, (_, n) => gateways[n % 3]?.begin({ ...same, owner: `try ${n}` })),
  );
  assert.equal(kindsOf(begun as Begun[]), { GO: 1, IN_PROGRESS: 19 });
});

test('B02: within one batch, too', async () => {
  const same = beginning();
  const tries = Array.from({ length: 20 }, (_, n) => ({ ...same, owner: `try ${n}` }));
  assert.equal(kindsOf(await beginAll(gateway, tries)), { GO: 1, IN_PROGRESS: 19 });
});

test('B01: something else under the same id is refused within one batch, too', async () => {
  const first = beginning();
  const begun = await beginAll(gateway, [first, { ...first, owner: 'another', fingerprint: 'something else' }, first]);
  assert.equal(
    begun.map(({ kind }) => kind),
    ['GO', 'REUSED', 'GO'],
  );
});

test('B04: when the lease is over the next try takes it, and is not the first', async () => {
  const first = beginning();
  await hasty.begin(first);
  assert.equal(await again(first), { kind: 'GO', firstForMs: 0 });
});

test('B04: whoever lost the lease ends nothing', async () => {
  for (const as of [stored('HELD'), LEAVE, FORGET]) {
    const first = beginning();
    await hasty.begin(first);
    const next = { ...first, owner: randomUUID() };
    await gateway.begin(next);
    await gateway.end(ending(first, as));
    await gateway.renew(first);
    assert.equal(await again(first), { kind: 'IN_PROGRESS' }, as.kind);
    await gateway.end(ending(next, stored('REFUSED')));
    assert.is((await again(first)).kind, 'DONE');
  }
});

test('a try whose lease is over ends it all the same when nobody took it', async () => {
  const first = beginning();
  await hasty.begin(first);
  await gateway.end(ending(first, stored('HELD')));
  assert.is((await again(first)).kind, 'DONE');
});

test('a mark is kept for as long as its gateway is told to keep marks', async () => {
  for (const retentionMs of [3_600_000, 7_200_000]) {
    const first = beginning();
    const keeper = stage.gateway({ retentionMs });
    await keeper.begin(first);
    await keeper.end(ending(first, stored('HELD')));
    const left = await stage.redis.pttl(requestKeys.mark(first.shard, first.markId));
    assert.ok(left > retentionMs - 60_000 && left <= retentionMs, `${left}`);
  }
});

test('a try that renews keeps its mark', async () => {
  const first = beginning();
  await hasty.begin(first);
  await gateway.renew(first);
  assert.equal(await again(first), { kind: 'IN_PROGRESS' });
});

test('a try that lost the answer to its beginning begins again', async () => {
  const first = beginning();
  await gateway.begin(first);
  assert.equal(await gateway.begin(first), { kind: 'GO', firstForMs: 0 });
  await gateway.end(ending(first, stored('HELD')));
  assert.is((await again(first)).kind, 'DONE');
});

test('what was stored is replayed, byte for byte, with its age', async () => {
  const answer = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  for (const outcome of ['HELD', 'PENDING', 'REFUSED', 'OK'] as const) {
    const first = await ended(stored(outcome, answer));
    const aged = await until(async () => {
      const begun = await again(first);
      return begun.kind === 'DONE' && begun.ageMs > 0 ? begun : undefined;
    });
    assert.is(aged.outcome, outcome);
    assert.equal([...aged.answer], [...answer]);
  }
});

test('an end that is told twice is told once', async () => {
  const first = await ended(stored('HELD', Buffer.from('first')));
  await gateway.end(ending(first, stored('REFUSED', Buffer.from('second'))));
  const begun = await again(first);
  assert.equal(begun.kind === 'DONE' && [begun.outcome, String(begun.answer)], ['HELD', 'first']);
});

test('B01: something else under the same id is refused in every state, and leaves it as it was', async () => {
  const other = { fingerprint: 'something else' };
  const executing = beginning();
  await gateway.begin(executing);
  const overdue = beginning();
  await hasty.begin(overdue);
  const tried = await ended(LEAVE);
  const done = await ended(stored('OK'));
  for (const first of [executing, overdue, tried, done]) {
    assert.equal(await again(first, other), { kind: 'REUSED' });
  }
  assert.is((await again(executing)).kind, 'IN_PROGRESS');
  assert.is((await again(overdue)).kind, 'GO');
  assert.is((await again(tried)).kind, 'GO');
  assert.is((await again(done)).kind, 'DONE');
});

test('B09: a try that left nothing behind is forgotten, one whose end is not known is not', async () => {
  await until(() => knownFor());
  const forgotten = await again(await ended(FORGET));
  assert.ok(forgotten.kind === 'GO' && forgotten.firstForMs > 0);
  assert.equal(await again(await ended(LEAVE)), { kind: 'GO', firstForMs: 0 });
});

test('a forgotten id may be used for something else', async () => {
  assert.is((await again(await ended(FORGET), { fingerprint: 'something else' })).kind, 'GO');
});

test('once its order changes, HELD is not replayed as it was told; other answers are', async () => {
  const held = await ended(stored('HELD'));
  const refused = await ended(stored('REFUSED'));
  for (const { markId, shard } of [held, refused, beginning()]) await gateway.changing(markId, shard);
  const [heldNow, refusedNow] = [await again(held), await again(refused)];
  assert.is(heldNow.kind === 'DONE' && heldNow.answer.length, 0);
  assert.is(refusedNow.kind === 'DONE' && String(refusedNow.answer), 'answer');
});

test('nor when the change came before the answer was stored, whoever stores it', async () => {
  const slow = beginning();
  await gateway.begin(slow);
  await gateway.changing(slow.markId, 0);
  await gateway.renew(slow);
  await gateway.end(ending(slow, stored('HELD')));

  const tried = beginning();
  await hasty.begin(tried);
  await gateway.changing(tried.markId, 0);
  const taker = { ...tried, owner: randomUUID() };
  await gateway.begin(taker);
  await gateway.end(ending(taker, LEAVE));
  const last = { ...tried, owner: randomUUID() };
  await gateway.begin(last);
  await gateway.end(ending(last, stored('HELD')));

  for (const first of [slow, tried]) {
    const begun = await again(first);
    assert.is(begun.kind === 'DONE' && begun.answer.length, 0);
  }
});

test('changes of one mark that go together have their effect in order', async () => {
  const first = beginning();
  await gateway.begin(first);
  await Promise.all([
    gateway.renew(first),
    gateway.changing(first.markId, 0),
    gateway.end(ending(first, stored('HELD'))),
    gateway.end(ending(first, FORGET)),
  ]);
  const begun = await again(first);
  assert.equal(begun.kind === 'DONE' && [begun.outcome, begun.answer.length], ['HELD', 0]);
});

test('a mark pays once: neither a replay nor another try spends a token', async () => {
  const paid = beginning({ skus: [limitOf('paid-once', 0.001, 2)] });
  await gateway.begin(paid);
  await again(paid);
  await gateway.end(ending(paid, LEAVE));
  for (let tries = 0; tries < 50; tries += 1) {
    const next = { ...paid, owner: randomUUID() };
    assert.is((await gateway.begin(next)).kind, 'GO');
    await gateway.end(ending(next, tries < 49 ? LEAVE : stored('HELD')));
  }
  for (let replays = 0; replays < 50; replays += 1) assert.is((await again(paid)).kind, 'DONE');
  const others = await beginAll(
    gateway,
    [1, 2].map(() => beginning({ skus: paid.skus })),
  );
  assert.equal(kindsOf(others), { GO: 1, LIMITED: 1 });
});

test('B10: after everything was thrown away, nothing before is known', async () => {
  await until(() => knownFor());
  const before = await redisNow();
  await stage.redis.flushall();
  const known = await knownFor();
  assert.ok(known <= (await redisNow()) - before, `${known} ms are known`);
  await until(async () => (await knownFor()) > known);
});

test('B10: nor after Redis began anew, though what was stored is still there', async () => {
  other = await RequestsStage.open({ appendonly: true });
  // Never taken for one that went on without marks meanwhile: only the new Redis can say so.
  const alone = other.gateway({ unseenMs: 600_000 });
  const first = beginning();
  await alone.begin(first);
  await alone.end(ending(first, stored('HELD')));
  await until(async () => {
    const begun = await alone.begin(beginning());
    return begun.kind === 'GO' && begun.firstForMs > 0;
  });
  const before = performance.now();
  await other.server.restart();
  const begun = await until(() => alone.begin(beginning()));
  assert.ok(begun.kind === 'GO' && begun.firstForMs <= performance.now() - before);
  assert.is((await alone.begin({ ...first, owner: 'another' })).kind, 'DONE');
});

test('an order that came to be past its mark takes a stored no away, and nothing else', async () => {
  const refused = await ended(stored('REFUSED'));
  await gateway.born(refused.markId, 0);
  assert.equal(await again(refused), { kind: 'GO', firstForMs: 0 });
  const held = await ended(stored('HELD'));
  const executing = beginning();
  await gateway.begin(executing);
  for (const each of [held, executing, beginning()]) await gateway.born(each.markId, 0);
  assert.is((await again(held)).kind, 'DONE');
  assert.is((await again(executing)).kind, 'IN_PROGRESS');
});

test('whoever asks only for what is known begins nothing and pays nothing, and is told what is known', async () => {
  const sku = limitOf('known-only', 0.001, 1);
  const asking = beginning({ skus: [sku], knownOnly: true });
  assert.equal(await gateway.begin(asking), { kind: 'UNKNOWN' });
  const buyer = beginning({ skus: [sku] });
  const begun = await beginAll(gateway, [asking, buyer, { ...asking, owner: 'again' }]);
  assert.equal(
    begun.map(({ kind }) => kind),
    ['UNKNOWN', 'GO', 'UNKNOWN'],
  );
  await gateway.end(ending(buyer, stored('HELD')));
  assert.is((await gateway.begin({ ...buyer, knownOnly: true })).kind, 'DONE');
});

test('marks are kept for a day after the last try', async () => {
  const first = await ended(stored('HELD'));
  const day = 24 * 3_600_000;
  const left = await stage.redis.pttl(`hf:{s0}:mark:${first.markId}`);
  assert.ok(left > day - 60_000 && left <= day, `${left}`);
});

test.run();
