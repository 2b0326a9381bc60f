import { assert, suite } from '#libs/testing/suite.js';
import type { Beginning, Requests } from '../ports.js';
import { withoutLimits } from './without-limits.js';

const test = suite('without limits');

const beginning: Beginning = {
  ...{ markId: 'm', shard: 1, fingerprint: 'f', owner: 'o', userId: 'ana', storeId: 'store' },
  skus: [{ skuId: 'sku', perSecond: 1, burst: 1, onBusy: 'QUEUE', issuedOnly: false }],
};

/** Marks nothing and notes what it was asked. */
function notedRequests(begun: Beginning[]): Requests {
  return {
    async begin(asked) {
      begun.push(asked);
      return { kind: 'GO', firstForMs: 7 };
    },
    end: async () => true,
    renew: async () => {},
    changing: async () => {},
    born: async () => {},
    place: async () => ({ state: 'GONE', peopleAhead: 0, retryAfterMs: 0 }),
    lease: async () => ({ tokens: 0, retryAfterMs: 1_000 }),
    gateways: 3,
  };
}

test('the mark is kept as ever, and neither the user nor a sku is asked for a token', async () => {
  const begun: Beginning[] = [];
  assert.equal(await withoutLimits(notedRequests(begun)).begin(beginning), { kind: 'GO', firstForMs: 7 });
  assert.equal(begun, [{ ...beginning, userId: '', skus: [] }]);
});

test('an empty bucket gives all the same', async () => {
  const requests = withoutLimits(notedRequests([]));
  const lease = { limit: 'CALLER', id: 'c', perSecond: 1, burst: 1, wanted: 5 } as const;
  assert.equal(await requests.lease(lease), { tokens: 5, retryAfterMs: 0 });
  assert.is(requests.gateways, 3);
});

test.run();
