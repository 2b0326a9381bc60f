import { canonicalLines, linesHash } from '#libs/contracts/order-lines.js';
import { assert, suite } from '#libs/testing/suite.js';
import { claimsBatch } from './claims-batch.js';
import { claimViolations } from './lines.js';
import { claimOf, lineOf } from './test-ledger.js';

const test = suite('claims batch');

test('lines are summed by sku and attendee and sorted by the bytes of both', () => {
  const lines = [lineOf('b', 'x'), lineOf('a', 'y', 2), lineOf('a-', 'x'), lineOf('a', 'Z'), lineOf('a', 'y', 3)];
  assert.equal(canonicalLines(lines), [lineOf('a', 'Z'), lineOf('a', 'y', 5), lineOf('a-', 'x'), lineOf('b', 'x')]);
});

test('the hash says the same of every way to write an order, and another thing of every other order', () => {
  const hash = (...lines: Parameters<typeof canonicalLines>[0]): string =>
    linesHash(canonicalLines(lines)).toString('hex');
  assert.is(hash(lineOf('a', 'x', 2), lineOf('b', 'x')), hash(lineOf('b', 'x'), lineOf('a', 'x'), lineOf('a', 'x')));
  const others = [
    [lineOf('a', 'x')],
    [lineOf('a', 'x', 2)],
    [lineOf('a', 'y')],
    [lineOf('b', 'x')],
    [lineOf('a', 'x'), lineOf('a', 'y')],
  ];
  assert.is(new Set(others.map((lines) => hash(...lines))).size, others.length);
});

test('skus, pairs and orders come once each and ascend, and everything points at them', () => {
  const ann = {
    ...claimOf('ann', [lineOf('b', 'kid', 2), lineOf('a', 'ann')]),
    orderId: 'ffffffff-ffff-8fff-bfff-ffffffffffff',
  };
  const bob = { ...claimOf('bob', [lineOf('b', 'kid')]), orderId: '00000000-0000-8000-8000-000000000000' };
  const { values, lines } = claimsBatch([ann, bob, ann]);
  const [skuIds, pairSkus, pairAttendees, orderIds, , userIds, , claimOrders, hashes] = values;
  const [, , lineCounts, linePairs, quantities] = values.slice(9);
  assert.equal(
    [skuIds, pairSkus, pairAttendees],
    [
      ['a', 'b'],
      [1, 2],
      ['ann', 'kid'],
    ],
  );
  assert.equal(
    [orderIds, userIds, claimOrders],
    [
      [bob.orderId, ann.orderId],
      ['bob', 'ann'],
      [2, 1, 2],
    ],
  );
  assert.equal(
    [lineCounts, linePairs, quantities],
    [
      [2, 1, 2],
      [1, 2, 2, 1, 2],
      [1, 2, 1, 1, 2],
    ],
  );
  assert.is((hashes as Buffer[]).length, 3);
  assert.equal(lines[0], [lineOf('a', 'ann'), lineOf('b', 'kid', 2)]);
});

test('everything that is wrong with a claim is said at once', () => {
  const fields = claimViolations({
    storeId: '',
    userId: 'two words',
    requestId: 'x'.repeat(256),
    lines: [lineOf('x'.repeat(129), 'ok', 1_000_001), lineOf('ok', 'ümlaut')],
  }).map((violation) => violation.field);
  assert.equal(fields, [
    'store_id',
    'user_id',
    'request_id',
    'lines[0].sku_id',
    'lines[0].quantity',
    'lines[1].attendee_id',
  ]);
  const longest = {
    storeId: 's'.repeat(128),
    userId: 'u',
    requestId: 'r'.repeat(255),
    lines: [lineOf('!~', '!', 1_000_000)],
  };
  assert.equal(claimViolations(longest), []);
});

test.run();
