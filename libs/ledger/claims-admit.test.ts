import { randomUUID } from 'node:crypto';
import { DatabaseError } from 'pg';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import { claimsBatch } from './claims-batch.js';
import { functionCall } from './ledger-pool.js';
import { claimOf, lineOf, type TestLedger, testLedger } from './test-ledger.js';

/** The function itself, called past the typed one: it defends itself. */
const test = suite('function claims_admit');
let db: TestLedger;
const call = functionCall('claims_admit', 16);
const names = [
  ...['sku_ids', 'pair_skus', 'pair_attendees', 'order_ids', 'store_ids', 'user_ids', 'request_ids', 'claim_orders'],
  ...['lines_hashes', 'not_afters', 'records', 'line_counts', 'line_pairs', 'line_quantities', 'on_sold_outs'],
  'staffs',
] as const;
type Name = (typeof names)[number];

test.before(async () => {
  db = await testLedger();
});
test.after.each(async () => assert.equal(await db.violations(), []));
test.after(() => db.drop());

/** A good batch of two orders of one line each, with some of its arrays replaced. */
async function batch(
  skuIds: readonly [string, string],
  parts: Partial<Record<Name, unknown>> = {},
): Promise<unknown[]> {
  const claims = [claimOf('ann', [lineOf(skuIds[0], 'a')]), claimOf('bob', [lineOf(skuIds[1], 'b')])];
  const { values } = claimsBatch(claims);
  return names.map((name, place) => (name in parts ? parts[name] : values[place]));
}

async function twoSkus(): Promise<readonly [string, string]> {
  const [a, b] = [`a-${randomUUID()}`, `b-${randomUUID()}`];
  await Promise.all([a, b].map((skuId) => db.sku({ skuId })));
  return [a, b];
}

const long = 'x'.repeat(129);
const bad: [what: string, parts: (skus: readonly [string, string]) => Partial<Record<Name, unknown>>][] = [
  ['A29: quantity 0', () => ({ line_quantities: [1, 0] })],
  ['A29: quantity -3', () => ({ line_quantities: [1, -3] })],
  ['A29: quantity 2.5', () => ({ line_quantities: [1, 2.5] })],
  ['A29: quantity NaN', () => ({ line_quantities: [1, Number.NaN] })],
  ['A29: quantity null', () => ({ line_quantities: [1, null] })],
  ['A29: quantity "1e9"', () => ({ line_quantities: [1, '1e9'] })],
  ['A29: quantity 2^31', () => ({ line_quantities: [1, 2 ** 31] })],
  ['A29: quantity 100,000,001', () => ({ line_quantities: [1, 100_000_001] })],
  ['skus that descend', ([a, b]) => ({ sku_ids: [b, a] })],
  ['a sku twice', ([a]) => ({ sku_ids: [a, a] })],
  ['a pair twice', () => ({ pair_skus: [1, 1], pair_attendees: ['a', 'a'] })],
  ['pairs that descend', () => ({ pair_skus: [2, 1] })],
  ['a pair of no sku', () => ({ pair_skus: [1, 3] })],
  ['a pair before the first', () => ({ line_pairs: [0, 1] })],
  ['a line of no pair', () => ({ line_pairs: [1, 3] })],
  ['a claim of no order', () => ({ claim_orders: [1, 3] })],
  [
    'orders that descend',
    () => ({ order_ids: ['f0000000-0000-8000-8000-000000000000', '00000000-0000-8000-8000-000000000000'] }),
  ],
  ['an order without lines', () => ({ line_counts: [2, 0] })],
  ['101 lines', () => ({ line_counts: [1, 101] })],
  ['fewer lines than counted', () => ({ line_counts: [1, 2] })],
  ['more lines than counted', () => ({ line_counts: [1, 1], line_pairs: [1, 2, 2], line_quantities: [1, 1, 1] })],
  [
    'lines of one claim that do not ascend',
    () => ({ line_counts: [1, 2], line_pairs: [1, 2, 2], line_quantities: [1, 1, 1] }),
  ],
  ['arrays of different length', () => ({ user_ids: ['ann'] })],
  ['an array that is absent', () => ({ records: null })],
  ['a user that is absent', () => ({ user_ids: ['ann', null] })],
  ['a hash that is absent', () => ({ lines_hashes: [Buffer.from('x'), null] })],
  ['an on_sold_out that nobody knows', () => ({ on_sold_outs: [null, 'WAIT'] })],
  ['fewer staff than claims', () => ({ staffs: [null] })],
  ['staff without an id', () => ({ staffs: [null, '{"reason": "why"}'] })],
  ['an empty reason', () => ({ staffs: [null, '{"by": "rita", "reason": ""}'] })],
  ['an empty id', () => ({ user_ids: ['ann', ''] })],
  ['an empty request id', () => ({ request_ids: ['', 'r'] })],
  ['an id of 129 characters', () => ({ store_ids: ['store-1', long] })],
  ['an id of emoji', () => ({ pair_attendees: ['a', '🙂'] })],
  ['an id with a space', () => ({ user_ids: ['ann', 'b b'] })],
  ['an id with a line break', () => ({ user_ids: ['ann', 'b\nb'] })],
  ['an id with NUL', () => ({ user_ids: ['ann', 'b\0b'] })],
  ['a request id of 256 characters', () => ({ request_ids: ['r', 'x'.repeat(256)] })],
];

for (const [what, parts] of bad) {
  test(`${what} is refused with the whole batch, and no unit moves`, async () => {
    const skus = await twoSkus();
    const error = await rejectionOf(db.runtime.query(call, await batch(skus, parts(skus))), DatabaseError);
    // Invalid value, out of range, not of the type, or not of the encoding: never a broken constraint later on.
    assert.ok(['22023', '22003', '22P02', '22021'].includes(error.code ?? ''), `${error.code} ${error.message}`);
    for (const skuId of skus) assert.is((await db.stock(skuId)).free, 10);
  });
}

test('the batch that those were made of is good, and so is one at every limit', async () => {
  const skus = await twoSkus();
  assert.is((await db.runtime.query(call, await batch(skus))).length, 2);
  const longest = { store_ids: ['s'.repeat(128), 's'.repeat(128)], request_ids: ['r'.repeat(255), 'r'.repeat(255)] };
  assert.is(
    (await db.runtime.query(call, await batch(skus, { ...longest, line_quantities: [100_000_000, 1] }))).length,
    2,
  );
  assert.equal(
    await db.runtime.query(
      call,
      names.map(() => []),
    ),
    [],
  );
});

test('K01: when the stock does not change as decided, nothing of the batch happens', async () => {
  const { skuId } = await db.sku();
  await db.sql(`CREATE FUNCTION ignore() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'`);
  await db.sql('CREATE TRIGGER ignore BEFORE UPDATE ON ledger.stock FOR EACH ROW EXECUTE FUNCTION ignore()');
  const claim = claimOf('ann', skuId);
  const error = await rejectionOf(db.ledger.claimsAdmit([claim]), DatabaseError);
  await db.sql('DROP TRIGGER ignore ON ledger.stock');
  assert.is(error.code, 'XX001');
  assert.equal(await db.ledger.ordersRead([claim.orderId]), []);
});

test.run();
