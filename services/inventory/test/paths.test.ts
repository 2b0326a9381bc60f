import { Fault } from '#libs/refusal/fault.js';
import { createMetrics, type Metrics } from '#libs/runtime/metrics.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { RedisGate } from '../src/adapters/redis-gate.js';
import type { PlaceHolds } from '../src/app/place-holds.js';
import type { Claim, Outcome } from '../src/app/placement.js';
import type { ClaimStream } from '../src/app/ports.js';
import { sweepJournal } from '../src/app/sweep-journal.js';
import { SyncGates } from '../src/app/sync-gates.js';
import { silentStream, TestSwitches } from './placing-parts.js';
import { claimOf, crowd, held, place, SHARD, TestPlacing, told } from './test-placing.js';

const test = suite('stock path');
const placing = new TestPlacing(test);
const noStream = { stream: undefined, claimsAge: undefined };

async function went(metrics: Metrics): Promise<Record<string, number>> {
  const found = (await metrics.text()).matchAll(/holdfast_path_total\{path="(\w+)"\} (\d+)/g);
  return Object.fromEntries([...found].map(([, path, count]) => [path, Number(count)]));
}

const letIn = (skuId: string): Promise<string | null> => gateField(skuId, 'let_in');

async function gateField(skuId: string, field: string): Promise<string | null> {
  return await placing.parts.patientRedis.hget(`hf:{s${SHARD}}:gate:${skuId}`, field).catch(() => null);
}

test('G01: a gate that is too slow, and the fallback, take one unit together', async () => {
  const { skuId } = await placing.database.sku({ capacity: 5 });
  const placeHolds = await placing.open(noStream);
  await place(placeHolds, claimOf(skuId));
  placing.parts.proxy.delay(300);
  const late = claimOf(skuId);
  assert.is(told(await place(placeHolds, late)), 'HELD');
  placing.parts.proxy.heal();
  const gate = new RedisGate(placing.parts.redis);
  await until(async () => {
    await sweepJournal(gate, placing.database.ledger, 2).catch(() => undefined);
    await new SyncGates(placing.database.ledger, gate, 2).syncSkus([skuId]).catch(() => undefined);
    return (await letIn(skuId)) === '3';
  });
  assert.is((await placing.database.stock(skuId)).held, 2);
});

test('G02: a crowd that is told no does not open the breaker, and nobody goes past the gate for it', async () => {
  const { skuId } = await placing.database.sku({ capacity: 1 });
  const metrics = createMetrics();
  const placeHolds = await placing.open({ ...noStream, ...placing.patient(), metrics });
  assert.is(held(await crowd(placeHolds, skuId, 1000)), 1);
  assert.equal(placeHolds.stats().breakers, { gate: 'CLOSED' });
  assert.is((await went(metrics)).POSTGRES, undefined);
});

test('G06, E04: with Redis gone everybody is held; soon nobody asks it any more, and it is in use again when it is back', async () => {
  const { skuId } = await placing.database.sku({ capacity: 500 });
  let asked = 0;
  const gate = new RedisGate(placing.parts.redis);
  const counting = Object.assign(Object.create(gate), {
    place: (shard: number, claims: readonly Claim[]) => {
      if (claims.length > 0) asked += 1;
      return gate.place(shard, claims);
    },
  });
  const placeHolds = await placing.open({ ...noStream, gate: counting });
  await place(placeHolds, claimOf(skuId));
  placing.parts.proxy.blackhole();
  await until(async () => {
    assert.is(held(await crowd(placeHolds, skuId, 5)), 5);
    return placeHolds.stats().breakers.gate === 'OPEN';
  });
  const before = asked;
  assert.is(held(await crowd(placeHolds, skuId, 50)), 50);
  assert.is(asked, before);
  placing.parts.proxy.heal();
  await until(() => placeHolds.stats().breakers.gate === 'CLOSED');
  assert.is(held(await crowd(placeHolds, skuId, 1)), 1);
  assert.is(asked, before + 1);
});

test('when the gate is in use again it knows what was sold past it', async () => {
  const { skuId } = await placing.database.sku({ capacity: 50 });
  const placeHolds = await placing.open(noStream);
  await place(placeHolds, claimOf(skuId));
  placing.parts.proxy.cut();
  await until(async () => {
    await crowd(placeHolds, skuId, 4);
    return placeHolds.stats().breakers.gate !== 'CLOSED';
  });
  placing.parts.proxy.heal();
  // A claim whose reply was lost stays in the journal, and counts as gone, until the sweep.
  await until(async () => {
    const undecided = await gateField(skuId, 'undecided');
    return Number(await letIn(skuId)) + Number(undecided) === (await placing.database.stock(skuId)).free;
  });
});

test('when the switch leaves POSTGRES the gate knows what was sold past it', async () => {
  const { skuId } = await placing.database.sku({ capacity: 50 });
  const switches = new TestSwitches();
  const placeHolds = await placing.open({ ...placing.patient(), ...noStream, switches });
  await place(placeHolds, claimOf(skuId));
  switches.set({ stockPath: 'POSTGRES' });
  await crowd(placeHolds, skuId, 20);
  assert.is(await letIn(skuId), '49');
  switches.set({ stockPath: 'AUTO' });
  await until(async () => (await letIn(skuId)) === '29');
});

test('on POSTGRES the gate, and on DIRECT the stream, is not asked', async () => {
  const { skuId } = await placing.database.sku({ capacity: 50 });
  const switches = new TestSwitches();
  const metrics = createMetrics();
  let stored = 0;
  const count = (): void => {
    stored += 1;
  };
  const stream: ClaimStream = { ...silentStream, store: async () => count() };
  const placeHolds = await placing.open({ ...placing.patient(), switches, metrics, stream });
  switches.set({ stockPath: 'POSTGRES' });
  assert.is(held(await crowd(placeHolds, skuId, 3)), 3);
  assert.is(await letIn(skuId), null);
  assert.equal(await went(metrics), { POSTGRES: 3 });
  switches.set({ stockPath: 'AUTO', orderPath: 'DIRECT' });
  assert.is(held(await crowd(placeHolds, skuId, 3)), 3);
  assert.equal([await went(metrics), stored], [{ POSTGRES: 3, REDIS: 3, DIRECT: 3 }, 0]);
});

test('on REDIS a gate that does not answer is not gone round: nothing is recorded, and the same try works later', async () => {
  const { skuId } = await placing.database.sku();
  const switches = new TestSwitches();
  const placeHolds = await placing.open({ ...noStream, switches });
  switches.set({ stockPath: 'REDIS' });
  await place(placeHolds, claimOf(skuId));
  placing.parts.proxy.cut();
  const wanted = claimOf(skuId);
  const answers = await Promise.all([wanted, claimOf(skuId)].map((claim) => place(placeHolds, claim)));
  for (const outcome of answers) {
    assert.equal(outcome.kind === 'FAULT' && [outcome.fault.reason, outcome.fault.message], [
      'UNAVAILABLE',
      'the gate does not answer and is not to be gone round',
    ]);
  }
  assert.is(await placing.orders(skuId), 1);
  placing.parts.proxy.heal();
  await until(async () => told(await place(placeHolds, wanted)) === 'HELD');
  assert.is(await placing.orders(skuId), 2);
});

test('a true no needs the ledger and not the gate: on REDIS it is recorded as ever', async () => {
  const switches = new TestSwitches();
  const placeHolds = await placing.open({ ...placing.patient(), ...noStream, switches });
  switches.set({ stockPath: 'REDIS' });
  const wanted = claimOf(await placing.soldOut());
  assert.is(told(await place(placeHolds, wanted, { remainingMs: 3000 })), 'SOLD_OUT');
  assert.ok(await placing.hasRow(wanted));
});

test('switches that are set back and forth under load lose and double nothing', async () => {
  const { skuId } = await placing.database.sku({ capacity: 100 });
  const { ledger } = placing.database;
  const switches = new TestSwitches();
  let placeHolds: PlaceHolds | undefined;
  const deciding: ClaimStream = {
    ...silentStream,
    async store(_, claims) {
      const batch = claims.map(({ claim }) => ({ ...claim, lines: [...claim.lines], record: true }));
      void ledger.claimsAdmit(batch).then((all) => all.map((decision) => placeHolds?.heard(decision)));
    },
  };
  placeHolds = await placing.open({ ...placing.patient(), switches, stream: deciding });
  const outcomes: Promise<Outcome[]>[] = [];
  for (let wave = 0; wave < 20; wave += 1) {
    switches.set({ stockPath: wave % 2 ? 'POSTGRES' : 'AUTO', orderPath: wave % 3 ? 'AUTO' : 'DIRECT' });
    outcomes.push(crowd(placeHolds, skuId, 15));
    await until(() => (placeHolds?.stats().inFlight ?? 0) < 40);
  }
  assert.is(held((await Promise.all(outcomes)).flat()), 100);
  assert.is((await placing.database.stock(skuId)).held, 100);
  assert.equal(await placing.database.violations(), []);
});

test('a ledger that is too slow for large batches is given smaller ones, and everybody is answered', async () => {
  const { skuId } = await placing.database.sku({ capacity: 500 });
  const { ledger } = placing.database;
  const sizes: number[] = [];
  const claimsAdmit: typeof ledger.claimsAdmit = async (claims) => {
    sizes.push(claims.length);
    if (claims.length <= 100) return await ledger.claimsAdmit(claims);
    const beganAtMs = performance.now();
    await until(() => performance.now() - beganAtMs > 800);
    throw new Fault('UNAVAILABLE', 'the database took too long');
  };
  const placeHolds = await placing.open({ ...noStream, directLedger: { claimsAdmit }, directTurns: 1 });
  assert.is(held(await crowd(placeHolds, skuId, 400)), 400);
  assert.ok(Math.max(...sizes) > 100 && sizes.filter((size) => size > 100).length <= 2, sizes.join());
});

test.run();
