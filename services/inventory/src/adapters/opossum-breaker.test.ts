import { Fault } from '#libs/refusal/fault.js';
import { createLogger } from '#libs/runtime/logger.js';
import { createMetrics } from '#libs/runtime/metrics.js';
import { gate } from '#libs/testing/gate.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { type BreakerOptions, OpossumBreaker } from './opossum-breaker.js';

const test = suite('breaker');
const opened: OpossumBreaker[] = [];
const away = new Fault('UNAVAILABLE', 'away');
const fails = (): Promise<never> => Promise.reject(away);
const works = async (): Promise<string> => 'answer';
const tell = (calls: number, breaker: OpossumBreaker, call: () => Promise<unknown>): Promise<unknown> =>
  Promise.allSettled(Array.from({ length: calls }, () => breaker.watch(call)));

function open(some: Partial<BreakerOptions> = {}): OpossumBreaker {
  const breaker = new OpossumBreaker({
    callee: 'gate',
    probe: works,
    resetMs: 30,
    metrics: createMetrics(),
    logger: createLogger('test', 'silent'),
    ...some,
  });
  opened.push(breaker);
  return breaker;
}

test.after.each(() => {
  for (const breaker of opened.splice(0)) breaker.close();
});

test('what a call gives or rejects with is passed on', async () => {
  const breaker = open();
  assert.is(await breaker.watch(works), 'answer');
  assert.is(await rejectionOf(breaker.watch(fails), Fault), away);
});

test('G03: one call that fails does not open it', async () => {
  const breaker = open();
  await tell(1, breaker, fails);
  assert.is(breaker.state, 'CLOSED');
});

test('it opens when most calls of late failed, however many went well before', async () => {
  const breaker = open({ resetMs: 60_000 });
  await tell(500, breaker, works);
  await until(async () => {
    await tell(1, breaker, fails);
    return breaker.state === 'OPEN';
  });
  assert.ok(breaker.openSinceMs !== undefined);
});

test('G02: an answer that is no yes is no failure, whatever it is', async () => {
  const breaker = open();
  await tell(50, breaker, () => Promise.reject(new Fault('INVALID_REQUEST', 'no')));
  await tell(50, breaker, () => Promise.reject(new Error('quantity')));
  assert.is(breaker.state, 'CLOSED');
});

test('G06: while it is open no call is made, and whoever asks is told so at once', async () => {
  const breaker = open({ resetMs: 60_000 });
  let calls = 0;
  for (let i = 0; i < 100; i += 1) {
    await tell(1, breaker, () => {
      calls += 1;
      return fails();
    });
  }
  assert.is(calls, 3);
  assert.is((await rejectionOf(breaker.watch(works), Fault)).reason, 'UNAVAILABLE');
});

test('G04: failures that come together, and go on coming after it opened, do not keep it from being probed', async () => {
  const breaker = open();
  const failing = gate();
  const calls = tell(50, breaker, async () => {
    await failing.passed;
    throw away;
  });
  failing.open();
  await calls;
  assert.is(breaker.state, 'OPEN');
  await until(() => breaker.state === 'CLOSED');
});

test('G05: a probe that fails is made again, without any traffic, until one does not', async () => {
  let probes = 0;
  const breaker = open({
    probe: async () => {
      probes += 1;
      if (probes < 4) throw away;
    },
  });
  let closings = 0;
  breaker.onClosed(() => {
    closings += 1;
  });
  await tell(3, breaker, fails);
  await until(() => breaker.closed);
  assert.equal([probes, closings, breaker.openSinceMs], [4, 1, undefined]);
});

test('G07: a process makes one probe at a time, and no customer goes with it', async () => {
  const probing = gate();
  let probes = 0;
  const breaker = open({
    probe: async () => {
      probes += 1;
      await probing.passed;
    },
  });
  await tell(3, breaker, fails);
  await until(() => breaker.state === 'HALF_OPEN');
  let calls = 0;
  await tell(20, breaker, async () => {
    calls += 1;
  });
  assert.equal([probes, calls], [1, 0]);
  probing.open();
  await until(() => breaker.closed);
  await tell(1, breaker, async () => {
    calls += 1;
  });
  assert.is(calls, 1);
});

test('G07: processes that opened together do not probe together', async () => {
  const probedAtMs: number[] = [];
  const breakers = Array.from({ length: 20 }, () =>
    open({ resetMs: 400, probe: async () => probedAtMs.push(performance.now()) }),
  );
  for (const breaker of breakers) breaker.open(away);
  await until(() => probedAtMs.length === 20);
  const apart = probedAtMs.map((atMs) => Math.floor((atMs - (probedAtMs[0] ?? 0)) / 10));
  assert.ok(new Set(apart).size > 3, apart.join());
});

test('it is opened and closed in the log once, and the gauge follows', async () => {
  const logged: string[] = [];
  const logger = createLogger('test', 'silent');
  Object.assign(logger, { warn: (_: object, text: string) => logged.push(text) });
  Object.assign(logger, { info: (_: object, text: string) => logged.push(text) });
  const metrics = createMetrics();
  const state = async (): Promise<string | undefined> =>
    /holdfast_breaker_state\{callee="gate"\} (\d)/.exec(await metrics.text())?.[1];
  let probes = 0;
  const breaker = open({
    logger,
    metrics,
    probe: () => {
      probes += 1;
      return probes < 3 ? fails() : works();
    },
  });
  assert.is(await state(), '0');
  breaker.open(away);
  breaker.open(away);
  assert.is(await state(), '2');
  await until(() => breaker.closed);
  assert.is(await state(), '0');
  assert.equal(logged, ['breaker opened', 'breaker closed']);
});

test('closed for good, it calls and probes nothing any more', async () => {
  let probes = 0;
  const probe = async (): Promise<void> => {
    probes += 1;
  };
  const first = open({ probe });
  first.open(away);
  first.close();
  const second = open({ probe: works });
  second.open(away);
  await until(() => second.closed);
  assert.is(probes, 0);
  await rejectionOf(first.watch(works), Fault);
});

test.run();
