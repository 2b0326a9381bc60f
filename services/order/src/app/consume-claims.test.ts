import { Fault } from '#libs/refusal/fault.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { Pace } from '../domain/pace.js';
import type { Verdict } from './admit-claims.js';
import { ClaimConsumer, type ClaimsDelivery, type ConsumerPorts } from './consume-claims.js';

const test = suite('what becomes of a message');

/** A message whose answers are written down. */
function message(deliveries = 1): { delivery: ClaimsDelivery; answers: string[] } {
  const answers: string[] = [];
  return {
    answers,
    delivery: {
      data: new Uint8Array(),
      subject: 'claims.0',
      storedAt: new Date(0),
      deliveries,
      unansweredMs: () => 0,
      process: (work) => work(),
      ack: () => void answers.push('ack'),
      nak: (delayMs) => void answers.push(`nak ${delayMs}`),
      working: () => void answers.push('working'),
    },
  };
}

function consumerWhere(parts: { admit: () => Promise<Verdict> } & Partial<ConsumerPorts>): ClaimConsumer {
  const { admit, ...ports } = parts;
  const claim = { orderId: 'o', storeId: 's', userId: 'u', requestId: 'r', lines: [], record: true };
  const inHand = { claim, subject: 'claims.0', bytes: 1, payload: () => new Uint8Array(), stale: () => false };
  return new ClaimConsumer({
    admission: { admit, room: async () => undefined },
    read: () => ({ claims: [inHand], unreadable: [] }),
    deadLetterAdd: async () => undefined,
    givenBack: () => undefined,
    alive: () => undefined,
    pace: new Pace(0),
    ackWaitMs: 3_000,
    nowMs: () => 0,
    wait: async () => undefined,
    ...ports,
  });
}

const decided: Verdict = {
  kind: 'DECIDED',
  decision: { orderId: 'o', kind: 'REFUSED', refusal: { reason: 'SOLD_OUT', skuId: 'sku' }, recorded: true },
};

test('it is acked only after its claims are decided, and the next batch does not wait for that', async () => {
  let decide: (verdict: Verdict) => void = () => undefined;
  const consumer = consumerWhere({
    admit: () =>
      new Promise((resolve) => {
        decide = resolve;
      }),
  });
  const { delivery, answers } = message();
  await consumer.take([delivery]);
  assert.equal(answers, []);
  decide(decided);
  await consumer.drain();
  assert.equal(answers, ['ack']);
});

test('undecided, it is given back with a rest that grows with its deliveries', async () => {
  const consumer = consumerWhere({ admit: async () => ({ kind: 'LATER' }) });
  const [first, tenth] = [message(1), message(10)];
  await consumer.take([first.delivery, tenth.delivery]);
  await consumer.drain();
  assert.equal([...first.answers, ...tenth.answers], ['nak 50', 'nak 1000']);
});

test('a message without claims is a question whether somebody is there: it is answered and acked', async () => {
  const told: string[] = [];
  const consumer = consumerWhere({
    admit: async () => decided,
    read: () => ({ claims: [], unreadable: [] }),
    alive: (subject) => void told.push(subject),
  });
  const { delivery, answers } = message();
  await consumer.take([delivery]);
  await consumer.drain();
  assert.equal([told, answers], [['claims.0'], ['ack']]);
});

test('claims that wait for their turn are told of, so that nobody thinks them forgotten', async () => {
  let now = 0;
  let told = 0;
  const consumer = consumerWhere({
    admit: async () => decided,
    pace: new Pace(1),
    nowMs: () => now,
    wait: async (ms) => {
      assert.ok(ms <= 200);
      now += ms;
    },
    alive: () => {
      told += 1;
    },
  });
  await consumer.take([message().delivery, message().delivery]);
  await consumer.drain();
  assert.is(told, 5);
});

test('one that another process may have by now is left to it', async () => {
  const consumer = consumerWhere({ admit: () => Promise.reject(new Fault('TOO_LATE', 'waited too long')) });
  const { delivery, answers } = message();
  await consumer.take([delivery]);
  await consumer.drain();
  assert.equal(answers, []);
});

test('one that admission has no room for is given back', async () => {
  const consumer = consumerWhere({ admit: () => Promise.reject(new Fault('BUSY', 'full')) });
  const { delivery, answers } = message();
  await consumer.take([delivery]);
  await consumer.drain();
  assert.equal(answers, ['nak 50']);
});

test('what cannot be read is kept before the ack, and the message comes again while it cannot be kept', async () => {
  const kept: string[] = [];
  let away = true;
  const consumer = consumerWhere({
    admit: async () => decided,
    read: () => ({ claims: [], unreadable: [{ payload: new Uint8Array([1]), error: 'no message' }] }),
    async deadLetterAdd({ error }) {
      if (away) throw new Fault('UNAVAILABLE', 'the ledger is away');
      kept.push(error);
    },
  });
  const [first, again] = [message(), message(2)];
  await consumer.take([first.delivery]);
  await consumer.drain();
  away = false;
  await consumer.take([again.delivery]);
  await consumer.drain();
  assert.equal([...first.answers, ...again.answers], ['nak 50', 'ack']);
  assert.equal(kept, ['no message']);
});

test('messages in hand are waited for when the process closes', async () => {
  let drained = false;
  let decide: (verdict: Verdict) => void = () => undefined;
  const consumer = consumerWhere({
    admit: () =>
      new Promise((resolve) => {
        decide = resolve;
      }),
  });
  await consumer.take([message().delivery]);
  const draining = consumer.drain().then(() => {
    drained = true;
  });
  await new Promise(setImmediate);
  assert.is(drained, false);
  decide(decided);
  await draining;
  await until(() => drained);
});

/** A clock that only waiting moves. */
function paced(perSecond: number) {
  const clock = { nowMs: 0 };
  return {
    clock,
    ports: {
      pace: new Pace(perSecond),
      nowMs: () => clock.nowMs,
      wait: async (ms: number) => {
        clock.nowMs += ms;
      },
    },
  };
}

test('with a pace each message waits until those before it are paid for', async () => {
  const { clock, ports } = paced(2);
  const takenAt: number[] = [];
  const consumer = consumerWhere({
    admit: async () => {
      takenAt.push(clock.nowMs);
      return decided;
    },
    ...ports,
  });
  const all = [message(), message(), message(), message()];
  await consumer.take(all.map(({ delivery }) => delivery));
  await consumer.drain();
  assert.equal(takenAt, [0, 480, 980, 1_480]);
  assert.equal(
    all.flatMap(({ answers }) => answers),
    ['ack', 'ack', 'ack', 'ack'],
  );
});

test('messages that wait for their turn are kept from going to another process', async () => {
  const { clock, ports } = paced(1);
  const extended = new Map<string, number[]>();
  const arrived = (name: string): ClaimsDelivery => {
    let extendedAt = 0;
    return {
      ...message().delivery,
      unansweredMs: () => clock.nowMs - extendedAt,
      working: () => {
        extendedAt = clock.nowMs;
        extended.set(name, [...(extended.get(name) ?? []), clock.nowMs]);
      },
      ack: () => assert.ok(clock.nowMs - extendedAt < 3_000, `${name} is another's after ${clock.nowMs} ms`),
    };
  };
  const consumer = consumerWhere({ admit: async () => decided, ...ports });
  await consumer.take(['first', 'second', 'third', 'fourth', 'fifth', 'sixth'].map(arrived));
  await consumer.drain();
  assert.is(extended.get('first'), undefined);
  assert.ok((extended.get('sixth')?.length ?? 0) >= 2);
});

test('a process that closes gives back what has no turn yet, and ends what is in hand', async () => {
  const { clock, ports } = paced(1);
  const consumer: ClaimConsumer = consumerWhere({
    admit: async () => decided,
    ...ports,
    wait: async (ms) => {
      clock.nowMs += ms / 2;
      consumer.hurry();
    },
  });
  const [first, second, third] = [message(), message(), message()];
  await consumer.take([first.delivery, second.delivery, third.delivery]);
  await consumer.drain();
  assert.equal([first.answers, second.answers, third.answers], [['ack'], ['nak 50'], ['nak 50']]);
});

test.run();
