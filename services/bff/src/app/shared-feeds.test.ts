import { Fault, type FaultReason } from '#libs/refusal/fault.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import type { Listener, Told } from './feed.js';
import { SharedFeeds, type Source } from './shared-feeds.js';

const test = suite('shared feeds');

const told = (id: string, isLast = false): Told => ({ id, frame: Buffer.from(id), isLast });

class Heard implements Listener {
  readonly ids: string[] = [];
  /** Why it ended; `last` after the last word. */
  end: FaultReason | 'last' | undefined;

  heard({ id }: Told): void {
    this.ids.push(id);
  }

  ended(fault: Fault | undefined): void {
    this.end = fault?.reason ?? 'last';
  }
}

/** Says these words each time it is opened, and then ends with the fault, or stays silent. */
function says(words: Told[], fault?: FaultReason): { source: Source; opened: () => number } {
  let opened = 0;
  return {
    opened: () => opened,
    source: async function* (left) {
      opened += 1;
      yield* words;
      if (fault !== undefined) throw new Fault(fault, 'a test');
      await new Promise((resolve) => left.addEventListener('abort', resolve));
    },
  };
}

test('those who listen to one key share its source; the last who leaves closes it', async () => {
  const feeds = new SharedFeeds();
  const { source, opened } = says([told('1')]);
  const listeners = Array.from({ length: 1_000 }, () => new Heard());
  const leave = listeners.map((listener) => feeds.of('key', source)(listener));
  await until(() => listeners.every(({ ids }) => ids.join() === '1'));
  assert.equal([opened(), feeds.size], [1, 1]);
  const late = new Heard();
  leave.push(feeds.of('key', source)(late));
  assert.equal(late.ids, ['1'], 'who comes late hears at once what was told last');
  for (const go of leave.slice(1)) go();
  assert.is(feeds.size, 1);
  leave[0]?.();
  leave[0]?.();
  assert.is(feeds.size, 0);
});

test('after the last word everybody is told that it is over, and the next one opens anew', async () => {
  const feeds = new SharedFeeds();
  const { source, opened } = says([told('1'), told('2', true)]);
  for (const times of [1, 2]) {
    const heard = new Heard();
    feeds.of('key', source)(heard);
    await until(() => heard.end);
    assert.equal([heard.ids, heard.end, opened(), feeds.size], [['1', '2'], 'last', times, 0]);
  }
});

test('a source that breaks off is opened again until it was away for too long', async () => {
  const feeds = new SharedFeeds({ awayMaxMs: 60, pauseMs: 1 });
  let isAway = false;
  let opened = 0;
  const heard = new Heard();
  feeds.of('key', async function* () {
    opened += 1;
    if (!isAway) yield told('1');
    throw new Fault('UNAVAILABLE', 'the process is going');
  })(heard);
  await until(() => opened >= 5);
  assert.equal([heard.ids, heard.end], [['1'], undefined]);
  isAway = true;
  await until(() => heard.end);
  assert.equal([heard.ids, heard.end, feeds.size], [['1'], 'UNAVAILABLE', 0]);
});

test('before the first word only an absence is waited out, and not for long', async () => {
  const feeds = new SharedFeeds({ firstMaxMs: 20, awayMaxMs: 1_000_000, pauseMs: 1 });
  for (const reason of ['UNAVAILABLE', 'BUSY', 'RATE_LIMITED', 'ORDER_NOT_FOUND', 'INTERNAL'] as const) {
    const { source, opened } = says([], reason);
    const heard = new Heard();
    feeds.of(reason, source)(heard);
    await until(() => heard.end);
    assert.is(heard.end, reason);
    assert.is(opened() > 1, reason === 'UNAVAILABLE', `${reason} ${opened()}`);
  }
});

test('a no ends it, however well it went before', async () => {
  const feeds = new SharedFeeds({ pauseMs: 1 });
  const heard = new Heard();
  feeds.of('key', says([told('1')], 'ORDER_NOT_FOUND').source)(heard);
  await until(() => heard.end);
  assert.equal([heard.ids, heard.end], [['1'], 'ORDER_NOT_FOUND']);
});

test('while nobody listens nothing is opened again', async () => {
  const feeds = new SharedFeeds({ pauseMs: 1 });
  const { source, opened } = says([told('1')], 'UNAVAILABLE');
  const heard = new Heard();
  const leave = feeds.of('key', source)(heard);
  await until(() => opened() >= 2);
  leave();
  const then = opened();
  const witness = says([told('1')], 'UNAVAILABLE');
  const leaveWitness = feeds.of('another', witness.source)(new Heard());
  await until(() => witness.opened() >= 5);
  leaveWitness();
  assert.equal([opened(), feeds.size], [then, 0]);
});

test.run();
