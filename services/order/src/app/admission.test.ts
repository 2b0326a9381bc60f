import type { ClaimToAdmit } from '#libs/ledger/claims-batch.js';
import type { Decision } from '#libs/ledger/decision.js';
import { Fault } from '#libs/refusal/fault.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import { Admission } from './admission.js';
import type { ClaimInHand, Failure } from './admit-claims.js';

const test = suite('the admission of a process');

const silent = { failed() {}, locked() {}, buried() {} };

const neverLocked = (_: ClaimToAdmit): boolean => false;

/** An admission on a ledger that holds every batch until it is let go, and remembers what was in it. */
function held({ turns = 1, isLocked = neverLocked } = {}) {
  const batches: string[][] = [];
  const open: (() => void)[] = [];
  const admission = new Admission({
    turns,
    decided: () => undefined,
    events: silent,
    ledger: {
      async claimsAdmit(claims): Promise<Decision[]> {
        batches.push(claims.map((claim) => claim.orderId));
        await new Promise<void>((resolve) => open.push(resolve));
        if (claims.some(isLocked)) throw new Error('LOCK');
        const refusal = { reason: 'SOLD_OUT', skuId: 'sku' } as const;
        return claims.map(({ orderId }) => ({ orderId, kind: 'REFUSED', refusal, recorded: true }));
      },
      claimBury: () => Promise.reject(new Error('not here')),
      deadLetterAdd: () => Promise.reject(new Error('not here')),
      failureOf: (error): Failure => (error instanceof Error && error.message === 'LOCK' ? 'LOCK' : 'UNKNOWN'),
    },
  });
  const letGo = async (): Promise<void> => {
    open.shift()?.();
    await new Promise(setImmediate);
    await new Promise(setImmediate);
  };
  return { admission, batches, letGo };
}

function claim(orderId: string, { storeId = 'store', skuId = 'sku', lines = 1, stale = false } = {}): ClaimInHand {
  const line = { skuId, quantity: 1, attendeeId: 'ann' };
  return {
    claim: { orderId, storeId, userId: 'ann', requestId: orderId, lines: Array(lines).fill(line), record: true },
    subject: 'claims.0',
    bytes: 100,
    payload: () => new Uint8Array(),
    stale: () => stale,
  };
}

const tick = () => new Promise(setImmediate);
const counts = (batches: string[][]) => batches.map((batch) => batch.length);

test('whatever arrives while a batch is in flight goes together in the next, 500 lines at most', async () => {
  const { admission, batches, letGo } = held();
  const all = [admission.admit(claim('first'))];
  await tick();
  for (let n = 0; n < 120; n += 1) all.push(admission.admit(claim(`c${n}`, { lines: 5 })));
  for (let step = 0; step < 3; step += 1) await letGo();
  assert.equal(counts(batches), [1, 100, 20]);
  assert.is((await Promise.all(all)).length, 121);
});

test('a store with a crowd does not make another one wait', async () => {
  const { admission, batches, letGo } = held();
  void admission.admit(claim('first'));
  await tick();
  for (let n = 0; n < 900; n += 1) void admission.admit(claim(`hot-${n}`, { storeId: 'hot' }));
  void admission.admit(claim('cold', { storeId: 'cold' }));
  await letGo();
  assert.ok(batches[1]?.includes('cold'));
  await letGo();
  await letGo();
});

test('as many batches are in flight as there are turns', async () => {
  const { admission, batches, letGo } = held({ turns: 2 });
  for (const id of ['a', 'b', 'c']) {
    void admission.admit(claim(id));
    await tick();
  }
  assert.equal(batches, [['a'], ['b']]);
  for (let step = 0; step < 3; step += 1) await letGo();
  assert.equal(batches, [['a'], ['b'], ['c']]);
});

test('a claim whose message may be in other hands is not admitted', async () => {
  const { admission, batches, letGo } = held();
  const left = rejectionOf(admission.admit(claim('stale', { stale: true })), Fault);
  const admitted = admission.admit(claim('fresh'));
  await tick();
  await letGo();
  assert.is((await left).reason, 'TOO_LATE');
  assert.is((await admitted).kind, 'DECIDED');
  assert.equal(batches, [['fresh']]);
});

test('claims of a sku that stayed locked have a turn of their own from then on', async () => {
  const { admission, batches, letGo } = held({ isLocked: ({ lines }) => lines[0]?.skuId === 'stuck' });
  const first = admission.admit(claim('a', { skuId: 'stuck' }));
  await tick();
  await letGo();
  assert.is((await first).kind, 'LATER');
  const again = admission.admit(claim('a again', { skuId: 'stuck' }));
  const others = admission.admit(claim('b'));
  await tick();
  assert.equal(batches, [['a'], ['a again'], ['b']]);
  await letGo();
  await letGo();
  assert.equal([(await again).kind, (await others).kind], ['LATER', 'DECIDED']);
});

test('room comes when enough of the waiting claims are in a batch', async () => {
  const { admission, letGo } = held();
  for (let n = 0; n < 2_600; n += 1) void admission.admit(claim(`c${n}`));
  await tick();
  let hasRoom = false;
  const room = admission.room().then(() => {
    hasRoom = true;
  });
  await tick();
  assert.is(hasRoom, false);
  await letGo();
  await letGo();
  await room;
  assert.ok(hasRoom);
  for (let step = 0; step < 6; step += 1) await letGo();
});

test('room comes too when all that waited has become stale', async () => {
  const { admission, letGo } = held();
  let stale = false;
  const waiting = Array.from({ length: 2_600 }, (_, n) =>
    admission.admit({ ...claim(`c${n}`), stale: () => stale }).catch(() => undefined),
  );
  await tick();
  const room = admission.room();
  stale = true;
  await letGo();
  await room;
  await Promise.all(waiting);
});

test.run();
