import type { Fault } from '#libs/refusal/fault.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { WorkRoom } from './work-room.js';

const test = suite('WorkRoom');

let now = 0;
test.before.each(() => {
  now = 0;
});

function roomFor(maxInFlight: number, maxWaiting?: number): WorkRoom {
  const bound = maxWaiting === undefined ? {} : { maxWaiting };
  return new WorkRoom({ maxInFlight, shedAfterMs: 250, now: () => now, ...bound });
}

/** Notes who begins and who is refused, in that order. */
function visitors(room: WorkRoom) {
  const began: string[] = [];
  const refused: string[] = [];
  const enter = (who: string, giveUpAt?: number): void => {
    const entered = room.enter(who.split('-')[0] ?? who, giveUpAt);
    if (entered === undefined) began.push(who);
    else void entered.then((fault) => void (fault ? refused : began).push(who));
  };
  return { began, refused, enter };
}

/** What was resolved has been heard. */
async function heard(): Promise<void> {
  for (let i = 0; i < 4; i += 1) await undefined;
}

test('while there is room one begins at once, without a promise', () => {
  const room = roomFor(2);
  assert.is(room.enter('a'), undefined);
  assert.is(room.enter('a'), undefined);
  assert.instance(room.enter('a'), Promise);
  assert.is(room.inFlight, 2);
});

test('who waits begins when somebody leaves, in the order of arrival', async () => {
  const room = roomFor(1);
  const { began, enter } = visitors(room);
  for (const who of ['a-1', 'a-2', 'a-3']) enter(who);
  room.leave();
  await heard();
  assert.equal(began, ['a-1', 'a-2']);
  room.leave();
  room.leave();
  await heard();
  assert.equal(began, ['a-1', 'a-2', 'a-3']);
  assert.is(room.inFlight, 0);
  assert.is(room.enter('a'), undefined);
});

test('stores take turns, whoever came first', async () => {
  const room = roomFor(1);
  const { began, enter } = visitors(room);
  for (const who of ['a-0', 'a-1', 'a-2', 'a-3', 'b-1', 'c-1', 'b-2']) enter(who);
  for (let i = 0; i < 6; i += 1) room.leave();
  await heard();
  assert.equal(began, ['a-0', 'a-1', 'b-1', 'c-1', 'a-2', 'b-2', 'a-3']);
});

test('when the oldest of a store has waited too long its newcomers are refused, and those who wait are not', async () => {
  const room = roomFor(1);
  const { began, refused, enter } = visitors(room);
  for (const who of ['a-0', 'a-1', 'a-2']) enter(who);
  now = 250;
  enter('a-3');
  now = 251;
  enter('a-4');
  enter('b-1');
  await heard();
  assert.equal(refused, ['a-4']);
  for (let i = 0; i < 4; i += 1) room.leave();
  await heard();
  assert.equal(began, ['a-0', 'a-1', 'b-1', 'a-2', 'a-3']);
});

test('whoever is refused is told which limit it was and when to come again', async () => {
  const room = roomFor(1, 0);
  void room.enter('a');
  assert.is(await room.enter('a'), room.full);
  assert.is(room.full.reason, 'RATE_LIMITED');
  assert.equal(room.full.metadata, { limit: 'IN_FLIGHT', remaining: '0', reset_ms: '250' });
  assert.is(room.full.retryAfterMs, 250);
});

test('a hot store leaves places to wait for others', async () => {
  const room = roomFor(1, 90);
  const { refused, enter } = visitors(room);
  for (let i = 0; i < 200; i += 1) enter(`hot-${i}`);
  assert.is(room.waiting, 45);
  for (let i = 0; i < 200; i += 1) enter(`warm-${i}`);
  assert.is(room.waiting, 68);
  for (let i = 0; i < 5; i += 1) enter(`store${i}-1`);
  await heard();
  assert.equal(
    refused.filter((who) => who.startsWith('store')),
    [],
  );
  for (let i = 0; i < 1_000; i += 1) enter(`many${i}-1`);
  assert.is(room.waiting, 90);
});

test('who cannot wait any longer leaves, and takes nobody’s turn', async () => {
  const room = roomFor(1);
  const { began, refused, enter } = visitors(room);
  enter('a-0');
  enter('a-1', 100);
  enter('a-2', 1_000);
  enter('a-3', 0);
  await heard();
  assert.equal(refused, ['a-3']);
  now = 100;
  room.leave();
  await heard();
  assert.equal(refused, ['a-3', 'a-1']);
  assert.equal(began, ['a-0', 'a-2']);
  room.leave();
  assert.is(room.inFlight, 0);
});

test('an oldest waiter whose time is over keeps no newcomer out', () => {
  const room = roomFor(1);
  const { enter } = visitors(room);
  enter('a-0');
  enter('a-1', 100);
  now = 300;
  enter('a-2');
  assert.is(room.waiting, 1);
});

test('who waits leaves in time even when nobody else does', async () => {
  const room = roomFor(1);
  const { refused, enter } = visitors(room);
  enter('a-0');
  enter('a-1', 100);
  enter('a-2', 50);
  enter('b-1', 200);
  now = 100;
  await until(() => refused.length === 2);
  assert.equal(refused, ['a-1', 'a-2']);
  assert.is(room.waiting, 1);
});

test('C09: beside a store at fifty times what the room does, every visitor of a cold one begins', async () => {
  const room = roomFor(10);
  let coldAsked = 0;
  let coldBegan = 0;
  let hotBegan = 0;
  let hotRefused = 0;
  let longestMs = 0;
  const cold = (): void => {
    const since = now;
    coldAsked += 1;
    const began = (fault: Fault | undefined): void => {
      coldBegan += fault === undefined ? 1 : 0;
      longestMs = Math.max(longestMs, now - since);
    };
    const entered = room.enter('cold', now + 3_000);
    if (entered === undefined) began(entered);
    else void entered.then(began);
  };
  const hot = (fault: Fault | undefined): void => {
    if (fault === undefined) hotBegan += 1;
    else hotRefused += 1;
  };
  // A reservation takes 10 ms: the room does 1,000 a second, and the hot store wants 50,000.
  for (now = 0; now < 30_000; now += 10) {
    for (let left = room.inFlight; left > 0; left -= 1) room.leave();
    if (now % 1_000 === 500) cold();
    for (let i = 0; i < 500; i += 1) {
      const entered = room.enter('hot', now + 3_000);
      if (entered === undefined) hot(entered);
      else void entered.then(hot);
    }
    assert.ok(room.inFlight <= 10 && room.waiting <= 1_000);
    await heard();
  }
  assert.is(coldAsked, 30);
  assert.is(coldBegan, 30);
  assert.ok(longestMs <= 20, `${longestMs}`);
  assert.ok(hotBegan > 29_000 && hotRefused > 1_000_000, `${hotBegan} ${hotRefused}`);
});

test.run();
