import type { ClaimToAdmit } from '#libs/ledger/claims-batch.js';
import type { Decision } from '#libs/ledger/decision.js';
import { assert, suite } from '#libs/testing/suite.js';
import {
  type AdmissionEvents,
  type AdmissionLedger,
  admitClaims,
  type ClaimInHand,
  type Failure,
} from './admit-claims.js';

const test = suite('admitting a batch');

class Failed extends Error {
  constructor(readonly failure: Failure) {
    super(failure);
  }
}

/** A ledger that fails as the claims' user ids and skus say, and remembers what it was asked. */
class ScriptedLedger implements AdmissionLedger {
  readonly batches: string[][] = [];
  readonly buried: string[] = [];
  readonly dead: string[] = [];

  constructor(readonly fails: (claim: ClaimToAdmit) => Failure | undefined) {}

  async claimsAdmit(claims: readonly ClaimToAdmit[]): Promise<Decision[]> {
    this.batches.push(claims.map((claim) => claim.orderId));
    const failure = claims.map(this.fails).find((found) => found !== undefined);
    if (failure) throw new Failed(failure);
    return claims.map(({ orderId }) => refused(orderId, 'SOLD_OUT'));
  }

  async claimBury({ claim }: { claim: ClaimToAdmit }): Promise<Decision> {
    if (claim.userId === 'unspeakable') throw new Failed('DATA');
    if (claim.userId === 'unlucky') throw new Failed('INFRASTRUCTURE');
    this.buried.push(claim.orderId);
    return refused(claim.orderId, 'UNPROCESSABLE');
  }

  async deadLetterAdd(): Promise<void> {
    this.dead.push('letter');
  }

  failureOf(error: unknown): Failure {
    return error instanceof Failed ? error.failure : 'UNKNOWN';
  }
}

function refused(orderId: string, reason: 'SOLD_OUT' | 'UNPROCESSABLE'): Decision {
  return { orderId, kind: 'REFUSED', refusal: { reason, skuId: 'sku' }, recorded: true };
}

function inHand(orderId: string, { userId = 'user', skuIds = ['sku'] } = {}): ClaimInHand {
  const lines = skuIds.map((skuId) => ({ skuId, quantity: 1, attendeeId: userId }));
  return {
    claim: { orderId, storeId: 'store', userId, requestId: orderId, lines, record: true },
    subject: 'claims.0',
    bytes: 100,
    payload: () => new Uint8Array([1]),
    stale: () => false,
  };
}

const silent: AdmissionEvents = { failed() {}, locked() {}, buried() {} };
const kinds = async (ledger: AdmissionLedger, batch: ClaimInHand[], events = silent) =>
  (await admitClaims(ledger, batch, events)).map((verdict) => verdict.kind);

test('a batch that goes through is one transaction, its verdicts in the order of the claims', async () => {
  const ledger = new ScriptedLedger(() => undefined);
  const verdicts = await admitClaims(ledger, [inHand('a'), inHand('b')], silent);
  assert.equal(ledger.batches, [['a', 'b']]);
  assert.equal(
    verdicts.map((verdict) => verdict.kind === 'DECIDED' && verdict.decision.orderId),
    ['a', 'b'],
  );
});

test('an infrastructure failure leaves the whole batch to come again, without another try', async () => {
  const ledger = new ScriptedLedger(() => 'INFRASTRUCTURE');
  assert.equal(await kinds(ledger, [inHand('a'), inHand('b')]), ['LATER', 'LATER']);
  assert.is(ledger.batches.length, 1);
});

test('one poisonous claim among 500 is found by halving and buried, the others are admitted', async () => {
  const ledger = new ScriptedLedger((claim) => (claim.userId === 'poison' ? 'DATA' : undefined));
  const batch = Array.from({ length: 500 }, (_, n) => inHand(`o${n}`, { userId: n === 321 ? 'poison' : 'user' }));
  assert.ok((await kinds(ledger, batch)).every((kind) => kind === 'DECIDED'));
  assert.equal(ledger.buried, ['o321']);
  assert.ok(ledger.batches.length <= 19, `${ledger.batches.length} transactions`);
});

test('a claim for which not even a refusal can be written is kept among the dead letters', async () => {
  const ledger = new ScriptedLedger((claim) => (claim.userId === 'unspeakable' ? 'DATA' : undefined));
  assert.equal(await kinds(ledger, [inHand('a', { userId: 'unspeakable' }), inHand('b')]), ['DEAD', 'DECIDED']);
  assert.equal(ledger.dead, ['letter']);
});

test('a burial that meets an infrastructure failure comes again', async () => {
  const ledger = new ScriptedLedger((claim) => (claim.userId === 'unlucky' ? 'DATA' : undefined));
  assert.equal(await kinds(ledger, [inHand('a', { userId: 'unlucky' }), inHand('b')]), ['LATER', 'DECIDED']);
});

test('a failure that nobody foresaw singles its claim out and refuses nobody', async () => {
  const ledger = new ScriptedLedger((claim) => (claim.userId === 'odd' ? 'UNKNOWN' : undefined));
  assert.equal(await kinds(ledger, [inHand('a'), inHand('b', { userId: 'odd' })]), ['DECIDED', 'LATER']);
  assert.equal(ledger.buried, []);
});

test('a locked sku holds up its own claims only, and is tried once', async () => {
  const ledger = new ScriptedLedger((claim) =>
    claim.lines.some((line) => line.skuId === 'stuck') ? 'LOCK' : undefined,
  );
  const locked: string[] = [];
  const batch = [
    inHand('a', { skuIds: ['free'] }),
    inHand('b', { skuIds: ['stuck'] }),
    inHand('c', { skuIds: ['free', 'stuck'] }),
    inHand('d', { skuIds: ['other'] }),
  ];
  const events = { ...silent, locked: (skuIds: readonly string[]) => locked.push(...skuIds) };
  assert.equal(await kinds(ledger, batch, events), ['DECIDED', 'LATER', 'LATER', 'DECIDED']);
  assert.equal(locked, ['stuck']);
  assert.equal(ledger.batches.slice(1), [['a'], ['b'], ['d']]);
});

test.run();
