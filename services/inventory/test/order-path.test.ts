import { decisionOf } from '#libs/ledger/decision.js';
import { Fault } from '#libs/refusal/fault.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { createClaimStream } from '../src/adapters/claim-stream.js';
import { RedisGate } from '../src/adapters/redis-gate.js';
import type { Claim } from '../src/app/placement.js';
import type { ClaimStream } from '../src/app/ports.js';
import { silentStream, TestSwitches } from './placing-parts.js';
import { claimOf, crowd, held, place, SHARD, TestPlacing, told } from './test-placing.js';

const test = suite('order path');
const placing = new TestPlacing(test);

test('on STREAM a stream that does not answer is not gone round', async () => {
  const { skuId } = await placing.database.sku();
  const switches = new TestSwitches();
  const store = (): Promise<never> => Promise.reject(new Fault('BUSY', 'the stream is full'));
  const placeHolds = await placing.open({ ...placing.patient(), switches, stream: { ...silentStream, store } });
  switches.set({ orderPath: 'STREAM' });
  const outcome = await place(placeHolds, claimOf(skuId));
  assert.is(
    outcome.kind === 'FAULT' && outcome.fault.message,
    'the stream does not answer and is not to be gone round',
  );
  assert.is(await placing.orders(skuId), 0);
  assert.is(placeHolds.stats().undecided, 0, 'nobody waits for its decision any more');
});

test('claims that nobody decides go to admission, and the next ones without asking the stream, until somebody does', async () => {
  const { skuId } = await placing.database.sku({ capacity: 50 });
  let stored = 0;
  const count = (): void => {
    stored += 1;
  };
  let isDecided = false;
  const stream: ClaimStream = {
    store: async () => count(),
    probe: async () => {
      if (!isDecided) throw new Fault('UNAVAILABLE', 'nobody decides');
    },
  };
  const placeHolds = await placing.open({ ...placing.patient(), stream });
  assert.is(held(await crowd(placeHolds, skuId, 5)), 5);
  assert.is(placeHolds.stats().breakers.stream, 'OPEN');
  const before = stored;
  assert.is(held(await crowd(placeHolds, skuId, 5)), 5);
  assert.is(stored, before);
  isDecided = true;
  await until(() => placeHolds.stats().breakers.stream === 'CLOSED');
});

test('a stream with nobody behind it is not probed well, one with somebody is', async () => {
  const { messaging } = placing.parts;
  const stream = createClaimStream(messaging);
  const silent = await stream.probe(SHARD).catch((error: Fault) => error.message);
  assert.is(silent, 'the stream takes claims, and nobody decides them');
  const answering = stream.probe(SHARD);
  await until(() => {
    messaging.publish(`decisions.${SHARD}`, new Uint8Array());
    return answering.then(() => true);
  });
});

test('on STREAM claims that nobody decides stay where they are, and are promised', async () => {
  const { skuId } = await placing.database.sku();
  const switches = new TestSwitches();
  const placeHolds = await placing.open({ ...placing.patient(), switches, stream: silentStream });
  switches.set({ orderPath: 'STREAM' });
  assert.is(told(await place(placeHolds, claimOf(skuId), { remainingMs: 1500 })), 'PENDING');
  assert.is(placeHolds.stats().breakers.stream, 'CLOSED');
});

test('L6: past its not-after a claim is not promised, for the stream may have taken it too late', async () => {
  const { skuId } = await placing.database.sku();
  let aheadMs = 0;
  const store = async (): Promise<void> => {
    // The process stands still, and finds the acknowledgement when it moves again.
    aheadMs = 10_000;
  };
  const ledgerNow = (): Date => new Date(Date.now() + aheadMs);
  const placeHolds = await placing.open({ ...placing.patient(), ledgerNow, stream: { ...silentStream, store } });
  const claim = claimOf(skuId);
  assert.is(told(await place(placeHolds, claim, { remainingMs: 400 })), 'UNAVAILABLE');
  assert.is(await new RedisGate(placing.parts.patientRedis).promised(SHARD, claim.orderId), undefined);
});

test('a ledger that is away is no stall: claims wait for it in the stream, and are promised', async () => {
  const { skuId } = await placing.database.sku();
  const decisionsRead = (): Promise<never> => Promise.reject(new Fault('UNAVAILABLE', 'the ledger is away'));
  const ledger = { ...placing.database.ledger, decisionsRead };
  const placeHolds = await placing.open({ ...placing.patient(), ledger, stream: silentStream });
  assert.is(told(await place(placeHolds, claimOf(skuId), { remainingMs: 1500 })), 'PENDING');
  assert.is(placeHolds.stats().breakers.stream, 'CLOSED');
});

test('while whoever decides gives signs of life, nobody goes round the stream', async () => {
  const { skuId } = await placing.database.sku();
  const placeHolds = await placing.open({ ...placing.patient(), stream: silentStream });
  const alive = setInterval(() => placeHolds.heardFrom(SHARD), 50);
  assert.is(told(await place(placeHolds, claimOf(skuId), { remainingMs: 1500 })), 'PENDING');
  clearInterval(alive);
  assert.is(placeHolds.stats().breakers.stream, 'CLOSED');
});

test('a claim that whoever decides has passed over goes to admission', async () => {
  const { skuId } = await placing.database.sku();
  const { ledger } = placing.database;
  const lost = claimOf(skuId);
  const decided: Claim[] = [];
  const stream: ClaimStream = {
    ...silentStream,
    store: async (_, claims) => {
      decided.push(...claims.map(({ claim }) => claim).filter(({ orderId }) => orderId !== lost.orderId));
    },
  };
  const placeHolds = await placing.open({ ...placing.patient(), stream });
  let isOver = false;
  const alive = setInterval(() => placeHolds.heardFrom(SHARD), 50);
  const answer = place(placeHolds, lost).finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const next = claimOf((await placing.database.sku()).skuId);
    const heldNext = place(placeHolds, next);
    await until(() => isOver || decided.includes(next));
    if (isOver) break;
    const [decision] = await ledger.claimsAdmit([{ ...next, lines: [...next.lines], record: true }]);
    if (decision) placeHolds.heard(decision);
    await heldNext;
  }
  clearInterval(alive);
  assert.is(told(await answer), 'HELD');
  assert.is(placeHolds.stats().breakers.stream, 'CLOSED');
});

test('news of an order that the ledger knows answers whoever waits, whichever way it went', async () => {
  const { skuId } = await placing.database.sku();
  const { ledger } = placing.database;
  const placeHolds = await placing.open({ ...placing.patient(), stream: silentStream });
  const wanted = claimOf(skuId);
  const answer = place(placeHolds, wanted);
  await until(() => placeHolds.awaits(wanted.orderId));
  await ledger.claimsAdmit([{ ...wanted, lines: [...wanted.lines], record: true }]);
  const [order] = await ledger.ordersRead([wanted.orderId]);
  assert.ok(order);
  if (order) placeHolds.heard(decisionOf(order));
  assert.is(told(await answer), 'HELD');
});

test('an order that was changed answers the same request as it is today, whoever is asked', async () => {
  const { skuId } = await placing.database.sku({ capacity: 5, perUserLimit: 5 });
  const wanted = { ...claimOf(skuId), lines: [{ skuId, quantity: 3, attendeeId: 'ann' }] };
  assert.is(told(await place(await placing.open(), wanted)), 'HELD');
  await placing.database.ledger.orderCancelPart({
    ...{
      orderId: wanted.orderId,
      lines: [{ skuId, quantity: 2, attendeeId: 'ann' }],
      by: 'olga',
      requestId: 'two less',
    },
  });
  for (const parts of [{}, { stream: silentStream }]) {
    const outcome = await place(await placing.open(parts), wanted);
    assert.is(outcome.kind === 'HELD' && outcome.order.lines[0]?.quantity, 1);
  }
});

test.run();
