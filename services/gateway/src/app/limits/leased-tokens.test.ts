import { Fault } from '#libs/refusal/fault.js';
import { gate } from '#libs/testing/gate.js';
import { assert, suite } from '#libs/testing/suite.js';
import type { Lease, Requests } from '../ports.js';
import { LeasedTokens } from './leased-tokens.js';

const test = suite('LeasedTokens');

let now = 0;
let leases: Lease[] = [];
let alone = 0;

test.before.each(() => {
  now = 0;
  leases = [];
  alone = 0;
});

type Answer = (lease: Lease) => Promise<{ tokens: number; retryAfterMs: number }>;
const plenty: Answer = async ({ wanted }) => ({ tokens: wanted, retryAfterMs: 0 });

/** Tokens whose portions come from a Redis that answers as `answer` says. */
function tokensFrom(answer: Answer | undefined, { perSecond = 20, burst = 40, gateways = 1 } = {}): LeasedTokens {
  const requests: Pick<Requests, 'lease' | 'gateways'> | undefined = answer && {
    lease: (lease) => {
      leases.push(lease);
      return answer(lease);
    },
    gateways,
  };
  return new LeasedTokens({
    limit: 'USER',
    rate: { perSecond, burst },
    requests,
    onAlone: () => {
      alone += 1;
    },
    now: () => now,
  });
}

/** How many of `calls` together pass. */
async function passes(tokens: LeasedTokens, calls: number, id = 'ana'): Promise<number> {
  const taken = await Promise.all(Array.from({ length: calls }, () => tokens.take(id)));
  return taken.filter((limited) => limited === undefined).length;
}

test('a portion is a twentieth of a second, and costs one round trip', async () => {
  const tokens = tokensFrom(plenty, { perSecond: 20_000, burst: 20_000 });
  assert.is(await passes(tokens, 1), 1);
  assert.equal(leases, [{ limit: 'USER', id: 'ana', perSecond: 20_000, burst: 20_000, wanted: 1_000 }]);
  for (let i = 0; i < 999; i += 1) assert.is(tokens.take('ana'), undefined);
  assert.is(leases.length, 1);
  assert.instance(tokens.take('ana'), Promise);
});

test('those who come together share round trips, and nobody gets what was not leased', async () => {
  const tokens = tokensFrom(plenty);
  assert.is(await passes(tokens, 30), 30);
  assert.is(await passes(tokens, 1), 1);
  assert.equal(
    leases.map(({ wanted }) => wanted),
    [30, 1],
  );
});

test('when tokens run out the rest are told the time, and it is not asked for again until then', async () => {
  let left = 3;
  const tokens = tokensFrom(async ({ wanted }) => {
    const given = Math.min(left, wanted);
    left -= given;
    return { tokens: given, retryAfterMs: given === 0 ? 49.5 : 0 };
  });
  const taken = await Promise.all(Array.from({ length: 10 }, () => tokens.take('ana')));
  const limited = { kind: 'LIMITED', limit: 'USER', perSecond: 20, burst: 40, retryAfterMs: 50 };
  assert.equal(taken, [undefined, undefined, undefined, ...Array.from({ length: 7 }, () => limited)]);
  assert.is(leases.length, 2);
  now = 30;
  assert.equal(tokens.take('ana'), { ...limited, retryAfterMs: 20 });
  left = 1;
  now = 50;
  assert.is(await tokens.take('ana'), undefined);
  assert.is(leases.length, 3);
});

test('a portion is kept for a second', async () => {
  const tokens = tokensFrom(plenty, { perSecond: 100, burst: 100 });
  await tokens.take('ana');
  now = 999;
  assert.is(tokens.take('ana'), undefined);
  now = 1_000;
  assert.instance(tokens.take('ana'), Promise);
});

test('each id has a bucket of its own', async () => {
  const tokens = tokensFrom(async ({ id }) => ({ tokens: id === 'ben' ? 1 : 0, retryAfterMs: 50 }));
  assert.is(await passes(tokens, 1, 'ana'), 0);
  assert.is(await passes(tokens, 1, 'ben'), 1);
});

test('C06: while Redis is away each gateway gives its part, at once', async () => {
  const tokens = tokensFrom(() => Promise.reject(new Fault('UNAVAILABLE', 'away')), { gateways: 2 });
  assert.is(await passes(tokens, 100), 20);
  assert.is(alone, 100);
  const limited = { kind: 'LIMITED', limit: 'USER', perSecond: 20, burst: 40, retryAfterMs: 100 };
  assert.equal(tokens.take('ana'), limited);
  now = 99;
  assert.equal(tokens.take('ana'), { ...limited, retryAfterMs: 1 });
  now = 100;
  assert.is(await tokens.take('ana'), undefined);
  assert.is(leases.length, 2);
});

test('C06: whoever waits for a Redis that then goes away is answered too', async () => {
  const door = gate();
  const tokens = tokensFrom(async () => {
    await door.passed;
    throw new Fault('UNAVAILABLE', 'away');
  });
  const all = passes(tokens, 50);
  door.open();
  assert.is(await all, 40);
});

test('when Redis is back its buckets hold again', async () => {
  let isAway = true;
  const tokens = tokensFrom(async (lease) => {
    if (isAway) throw new Fault('UNAVAILABLE', 'away');
    return plenty(lease);
  });
  await passes(tokens, 1);
  isAway = false;
  now = 100;
  assert.is(await passes(tokens, 1), 1);
  assert.is(leases.length, 2);
  assert.is(alone, 1);
});

test('without Redis a gateway is alone, and that is no fault', async () => {
  const tokens = tokensFrom(undefined);
  assert.is(await passes(tokens, 100), 40);
  assert.is(alone, 0);
  now = 50;
  assert.is(await passes(tokens, 100), 1);
});

test.run();
