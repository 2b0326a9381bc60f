import fc from 'fast-check';
import { assert, suite } from '#libs/testing/suite.js';
import { orderId, shardOfOrder, shardOfStore, storeHash } from './order-id.js';

const test = suite('order id');

const id = fc.string({ minLength: 1, maxLength: 12, unit: fc.constantFrom(...'ab:1-2 '.replace(' ', '')) });

test('an id is a UUIDv8', () => {
  const uuidV8 = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
  fc.assert(
    fc.property(id, id, id, (store, user, request) => {
      assert.match(orderId(store, user, request), uuidV8);
    }),
  );
});

test('ids are what they were on the first day', () => {
  const vectors = [
    ['store-1', 'user-1', 'request-1', 'cd9ee6dc-2366-8f45-83c3-36ec14bbf6b8'],
    ['s', 'u', 'r', '043a55c7-0066-89a4-b4ef-5ed3cdee53ab'],
    ['clinic-north', 'ada@example.org', '5dba3f8c-3f0e-4d5c-9d1b-2f4e6a8c0b1d', '62a358d9-c854-8c07-af77-30e2db00886d'],
  ] as const;
  for (const [store, user, request, expected] of vectors) assert.is(orderId(store, user, request), expected);
});

test('different stores, users and requests that read the same in a row give different ids', () => {
  assert.is.not(orderId('ab', 'c', 'd'), orderId('a', 'bc', 'd'));
  assert.is.not(orderId('a', 'bc', 'd'), orderId('a', 'b', 'cd'));
  const cut = fc.tuple(fc.integer({ min: 1, max: 10 }), fc.integer({ min: 1, max: 10 }));
  fc.assert(
    fc.property(
      fc.string({ minLength: 22, maxLength: 30, unit: fc.constantFrom(...'12:ab') }),
      cut,
      cut,
      (text, one, other) => {
        fc.pre(one[0] !== other[0] || one[1] !== other[1]);
        const parts = ([first, second]: [number, number]) =>
          [text.slice(0, first), text.slice(first, first + second), text.slice(first + second)] as const;
        assert.is.not(orderId(...parts(one)), orderId(...parts(other)));
      },
    ),
  );
});

test('an id names the shard of its store', () => {
  fc.assert(
    fc.property(id, id, id, fc.integer({ min: 1, max: 64 }), (store, user, request, shards) => {
      assert.is(shardOfOrder(orderId(store, user, request), shards), shardOfStore(store, shards));
      assert.is(shardOfStore(store, shards), storeHash(store) % shards);
    }),
  );
});

test('forgetting the hashes of stores changes no id', () => {
  const before = orderId('store-1', 'user-1', 'request-1');
  for (let i = 0; i < 10_001; i += 1) storeHash(`other-${i}`);
  assert.is(orderId('store-1', 'user-1', 'request-1'), before);
});

test.run();
