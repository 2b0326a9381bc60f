import { assert, suite } from '#libs/testing/suite.js';
import { claimOf, lineOf, only, type TestLedger, testLedger } from './test-ledger.js';

const test = suite('dead letters');
let db: TestLedger;

test.before(async () => {
  db = await testLedger();
});
test.after.each(async () => assert.equal(await db.violations(), []));
test.after(() => db.drop());

interface LetterRow {
  order_id: string | null;
  payload: Buffer;
  error: string;
}

const letters = (subject: string): Promise<LetterRow[]> =>
  db.sql('SELECT order_id, payload, error FROM ledger.dead_letters WHERE subject = $1', [subject]);

test('a claim that cannot be processed ends as a refusal with its letter, and moves no unit', async () => {
  const { skuId } = await db.sku();
  const claim = claimOf('ann', skuId);
  const buried = { claim, subject: 'one', payload: Buffer.from([0, 255]), error: 'it\0broke' };
  const decision = await db.ledger.claimBury(buried);
  const refusal = { reason: 'UNPROCESSABLE', skuId } as const;
  assert.equal(decision, { orderId: claim.orderId, kind: 'REFUSED', refusal, recorded: true });
  assert.equal(await db.ledger.claimBury(buried), decision);
  assert.equal(await db.admit(claim), decision);
  assert.equal(await letters('one'), [
    { order_id: claim.orderId, payload: Buffer.from([0, 255]), error: 'it\uFFFDbroke' },
  ]);
  assert.is((await db.stock(skuId)).free, 10);
  assert.is((await db.ledger.orderGet(claim.orderId)).lines.length, 1);
});

test('a claim whose order is known is answered with it and leaves no letter', async () => {
  const { skuId } = await db.sku();
  const claim = claimOf('ann', skuId);
  const order = await db.order(claim);
  const letter = { subject: 'two', payload: Buffer.from('x'), error: 'broken' };
  assert.equal(await db.ledger.claimBury({ claim, ...letter }), { orderId: claim.orderId, kind: 'ORDER', order });
  const other = await db.ledger.claimBury({ claim: { ...claim, lines: [lineOf(skuId, 'kid')] }, ...letter });
  assert.is(other.kind === 'FAULT' && other.reason, 'REQUEST_ID_REUSED');
  assert.equal(await letters('two'), []);
});

test('lines that make no sense are kept in the letter only', async () => {
  const claim = claimOf('ann', [lineOf('x', 'ann', -3)]);
  const decision = await db.ledger.claimBury({ claim, subject: 'three', payload: Buffer.from('x'), error: 'broken' });
  assert.is(decision.kind === 'REFUSED' && decision.recorded, true);
  assert.equal((await db.ledger.orderGet(claim.orderId)).lines, []);
  assert.is(only(await letters('three')).order_id, claim.orderId);
});

test('a claim that does not say whose it is leaves only the letter', async () => {
  const letter = { subject: 'four', payload: Buffer.from('x'), error: 'broken' };
  for (const claim of [claimOf('', 'x'), { ...claimOf('ann', 'x'), orderId: 'no id' }]) {
    const decision = await db.ledger.claimBury({ claim, ...letter });
    assert.is(decision.kind === 'REFUSED' && decision.recorded, false);
  }
  assert.is(only(await letters('four')).order_id, null);
});

test('burying and admitting the same claim at one moment give one answer', async () => {
  for (let round = 0; round < 20; round++) {
    const { skuId } = await db.sku();
    const claim = claimOf('ann', skuId);
    const letter = { subject: 'five', payload: Buffer.from(claim.orderId), error: 'broken' };
    const [buried, admitted] = await Promise.all([db.ledger.claimBury({ claim, ...letter }), db.admit(claim)]);
    assert.equal(buried, admitted);
  }
});

test('a message that is delivered again leaves one letter, until somebody has seen to it', async () => {
  const letter = { subject: 'six', payload: Buffer.from('x'), error: 'broken' };
  await db.ledger.deadLetterAdd(letter);
  await db.ledger.deadLetterAdd({ ...letter, error: 'broken again' });
  assert.is(only(await letters('six')).error, 'broken');
  const [kept] = (await db.ledger.deadLettersList({ withResolved: false }, { pageSize: 1 })).letters;
  await db.ledger.deadLetterDiscard({ letterId: kept?.letterId ?? 0, by: 'olga', reason: 'noise', requestId: 'r' });
  await db.ledger.deadLetterAdd({ ...letter, error: 'broken after all' });
  assert.is((await letters('six')).length, 2);
});

test.run();
