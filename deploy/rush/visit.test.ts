import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { assert, suite } from '#libs/testing/suite.js';
import { HttpDoor } from './http-door.js';
import { HttpPool } from './http-pool.js';
import type { Outcome } from './outcome.js';
import { newPassage } from './passage.js';
import { type Person, person } from './scenario.js';
import { Visit } from './visit.js';

const test = suite('visit');

interface Asked {
  method: string;
  path: string;
  key: string;
  user: string;
  at: number;
}
type Answer = { status: number; body?: object; retryAfter?: number } | 'hang up';

/** Runs a visit against a server that gives these answers, the last one over and over. */
async function visit(wish: Partial<Person>, answers: Answer[]): Promise<{ outcomes: Outcome[]; asked: Asked[] }> {
  const asked: Asked[] = [];
  const server: Server = createServer((request, response) => {
    asked.push(describe(request));
    const answer = answers[Math.min(asked.length, answers.length) - 1] ?? 'hang up';
    request.resume().on('end', () => {
      if (answer === 'hang up') return request.socket.destroy();
      const body = JSON.stringify(answer.body ?? {});
      const headers = { 'content-length': Buffer.byteLength(body), 'retry-after': String(answer.retryAfter ?? 0) };
      return response.writeHead(answer.status, headers).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const pool = new HttpPool(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 4);
  try {
    const lines = [{ skuId: 'seat', quantity: 1 }];
    const ada = person({ userId: 'ada', storeId: 'hall', arrivesAtMs: 0, lines, ...wish });
    return { outcomes: await new Visit(ada, new HttpDoor(pool, 'token-of-ada'), Date.now()).run(), asked };
  } finally {
    pool.close();
    server.close();
  }
}

function describe(request: IncomingMessage): Asked {
  const { 'idempotency-key': key, authorization: user } = request.headers;
  return {
    method: request.method ?? '',
    path: request.url ?? '',
    key: String(key),
    user: String(user),
    at: Date.now(),
  };
}

const HELD: Answer = { status: 201, body: { order_id: 'o1', state: 'HELD' } };
const no = (facts: object): Answer => ({ status: 409, body: facts });
const iso = (at: number): string => new Date(at).toISOString();

test('a yes is recorded with its order id', async () => {
  const { outcomes, asked } = await visit({}, [HELD]);
  assert.equal(
    asked.map(({ method, path, key, user }) => [method, path, key, user]),
    [['POST', '/v1/orders', 'key-ada', 'Bearer token-of-ada']],
  );
  assert.equal([outcomes[0]?.answer, outcomes[0]?.heldIds, outcomes[0]?.sends], ['HELD', ['o1'], 1]);
});

test('a place in a waitlist is an answer that stands', async () => {
  const place: Answer = { status: 202, body: { entry_id: 'e1', state: 'WAITING', sku_id: 'seat', people_ahead: 2 } };
  const { outcomes, asked } = await visit({}, [place]);
  assert.equal([outcomes[0]?.answer, outcomes[0]?.heldIds, asked.length], ['WAITLISTED', [], 1]);
});

test('the same key is sent again while nothing is decided', async () => {
  const { outcomes, asked } = await visit({}, [{ status: 503 }, 'hang up', { status: 429 }, { status: 504 }, HELD]);
  assert.equal(new Set(asked.map(({ key }) => key)).size, 1);
  assert.equal([outcomes.length, outcomes[0]?.answer, outcomes[0]?.sends], [1, 'HELD', 5]);
  assert.equal(
    outcomes[0]?.setbacks.map((why) => why.slice(0, 3)),
    ['503', 'con', '429', '504'],
  );
});

test('nobody comes back before the server said', async () => {
  const { asked } = await visit({}, [{ status: 429, retryAfter: 1 }, HELD]);
  assert.ok((asked[1]?.at ?? 0) - (asked[0]?.at ?? 0) >= 1000);
});

test('a place in line is kept: the same key comes back when told to, as often as it takes', async () => {
  const place = (ahead: number): Answer => ({
    status: 202,
    body: { state: 'QUEUED', sku_id: 'seat', people_ahead: ahead, retry_after_ms: 210 },
    retryAfter: 1,
  });
  const { outcomes, asked } = await visit({}, [place(9), place(4), HELD]);
  assert.equal(new Set(asked.map(({ key }) => key)).size, 1);
  const gaps = asked.slice(1).map(({ at }, i) => at - (asked[i]?.at ?? 0));
  assert.ok(
    gaps.every((gap) => gap >= 210),
    `${gaps}`,
  );
  const [outcome] = outcomes;
  assert.equal([outcomes.length, outcome?.answer, outcome?.setbacks], [1, 'HELD', []]);
  const { firstSentAt, queuedAt = 0, passedSentAt = 0, passedAt = 0, ...passage } = outcome?.passage ?? newPassage();
  assert.equal(passage, { timesQueued: 2, mostAhead: 9, limits: [] });
  assert.ok(firstSentAt < queuedAt && queuedAt < passedSentAt && passedSentAt < passedAt);
});

test('whoever meets a limit notes which, and comes back', async () => {
  const limited: Answer = { status: 429, body: { reason: 'RATE_LIMITED', limit: 'USER' }, retryAfter: 1 };
  const { outcomes, asked } = await visit({}, [limited, HELD]);
  assert.ok((asked[1]?.at ?? 0) - (asked[0]?.at ?? 0) >= 1_000);
  assert.equal([outcomes[0]?.answer, outcomes[0]?.passage.limits], ['HELD', ['USER']]);
  assert.equal(outcomes[0]?.setbacks, ['429 RATE_LIMITED USER']);
});

test('an error that no repetition mends stands', async () => {
  const { outcomes, asked } = await visit({}, [{ status: 400, body: { reason: 'INVALID_REQUEST' } }]);
  assert.equal([asked.length, outcomes[0]?.answer, outcomes[0]?.error], [1, 'ERROR', '400 INVALID_REQUEST']);
});

test('a promise is followed to its decision', async () => {
  const pending: Answer = { status: 202, body: { order_id: 'o1', state: 'PENDING' } };
  const { outcomes, asked } = await visit({}, [
    pending,
    { status: 200, body: { order_id: 'o1', state: 'PENDING' } },
    HELD,
  ]);
  assert.equal(
    asked.map(({ method, path }) => `${method} ${path}`),
    ['POST /v1/orders', 'GET /v1/orders/o1', 'GET /v1/orders/o1'],
  );
  assert.equal([outcomes[0]?.answer, outcomes[0]?.pendingIds, outcomes[0]?.heldIds], ['HELD', ['o1'], ['o1']]);
});

test('who has patience comes back with a new key when a hold is due to end, and not before', async () => {
  const releaseAt = Date.now() + 400;
  const { outcomes, asked } = await visit({ patienceMs: 2000 }, [
    no({ reason: 'ALL_HELD', next_release_at: iso(releaseAt) }),
    HELD,
  ]);
  assert.equal(
    outcomes.map(({ key, answer }) => [key, answer]),
    [
      ['key-ada', 'REFUSED'],
      ['key-ada-2', 'HELD'],
    ],
  );
  assert.ok((asked[1]?.at ?? 0) >= releaseAt);
});

test('without patience a no is final', async () => {
  const { outcomes } = await visit({}, [no({ reason: 'ALL_HELD', next_release_at: iso(Date.now() + 50) }), HELD]);
  assert.equal([outcomes.length, outcomes[0]?.refusal?.reason], [1, 'ALL_HELD']);
});

test('the same key is sent again when the sale opens', async () => {
  const opensAt = Date.now() + 300;
  const { outcomes, asked } = await visit({}, [no({ reason: 'NOT_ON_SALE', opens_at: iso(opensAt) }), HELD]);
  assert.equal([outcomes.length, outcomes[0]?.key, outcomes[0]?.answer], [1, 'key-ada', 'HELD']);
  assert.is(outcomes[0]?.refusal, undefined);
  assert.ok((asked[1]?.at ?? 0) >= opensAt);
});

test('repeats press the same key, meanwhile and once the answer is there', async () => {
  const { outcomes, asked } = await visit({ repeats: [10, 'after'] }, [HELD]);
  assert.equal([outcomes.length, outcomes[0]?.sends, outcomes[0]?.heldIds], [1, 3, ['o1']]);
  assert.is(new Set(asked.map(({ key }) => key)).size, 1);
});

test.run();
