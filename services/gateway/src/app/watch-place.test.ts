import { Fault } from '#libs/refusal/fault.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import type { Place } from './ports.js';
import { type PlaceAsked, PlaceWatchers } from './watch-place.js';

const test = suite('PlaceWatchers');

const asked: PlaceAsked = { storeId: 'store', shard: 0, skuId: 'sku', userId: 'ana' };
const other: PlaceAsked = { ...asked, userId: 'ben' };
const waiting = (peopleAhead: number): Place => ({ state: 'WAITING', peopleAhead, retryAfterMs: 200 });
const due: Place = { state: 'DUE', peopleAhead: 0, retryAfterMs: 0 };
const gone: Place = { state: 'GONE', peopleAhead: 0, retryAfterMs: 0 };

let places: Map<string, Place>;
let polls: string[];
let isAway: boolean;
let watchers: PlaceWatchers;
let aborts: AbortController;

const place = async ({ userId }: PlaceAsked): Promise<Place> => {
  polls.push(userId);
  if (isAway) throw new Fault('UNAVAILABLE', 'away');
  return places.get(userId) ?? gone;
};

test.before.each(() => {
  places = new Map([['ana', waiting(3)]]);
  polls = [];
  isAway = false;
  aborts = new AbortController();
  watchers = new PlaceWatchers({ requests: { place }, pollMs: 5, watchersMax: 3, watchersOfUserMax: 2 });
});
test.after.each(() => watchers.close());

function watch(what = asked): AsyncGenerator<Place> {
  return watchers.watch(what, aborts.signal);
}

async function next(stream: AsyncGenerator<Place>): Promise<Place | undefined> {
  const { value } = await stream.next();
  return value ?? undefined;
}

test('a place is told at once, then after each change, and the last word is that its turn has come', async () => {
  const stream = watch();
  assert.equal(await next(stream), waiting(3));
  const second = next(stream);
  const before = polls.length;
  await until(() => polls.length > before + 2);
  places.set('ana', waiting(2));
  assert.equal(await second, waiting(2));
  places.set('ana', due);
  assert.equal(await next(stream), due);
  assert.is(await next(stream), undefined);
  assert.is(watchers.count, 0);
});

test('what is no place, or none any more, is GONE and that is all', async () => {
  const told: Place[] = [];
  for await (const news of watch(other)) told.push(news);
  assert.equal(told, [gone]);
});

test('many who watch one place are asked about once', async () => {
  const streams = [watch(), watch()];
  await Promise.all(streams.map(next));
  polls = [];
  const told = Promise.all(streams.map(next));
  await until(() => polls.length >= 3);
  places.set('ana', waiting(1));
  assert.equal(await told, [waiting(1), waiting(1)]);
  places.set('ana', due);
  await Promise.all(streams.map(next));
});

test('a slow reader holds nobody up, and reads what is true when it reads', async () => {
  places.set('ben', waiting(9));
  const slow = watch();
  const quick = watch(other);
  await Promise.all([next(slow), next(quick)]);
  for (const ahead of [8, 7, 6]) {
    places.set('ana', waiting(ahead));
    places.set('ben', waiting(ahead));
    assert.equal(await next(quick), waiting(ahead));
  }
  places.set('ana', due);
  places.set('ben', due);
  await next(quick);
  assert.equal(await next(slow), due);
});

test('while places cannot be asked about the watcher is told so, with a time to come again', async () => {
  const stream = watch();
  await next(stream);
  isAway = true;
  const fault = await rejectionOf(stream.next(), Fault);
  assert.is(fault.reason, 'UNAVAILABLE');
  assert.type(fault.retryAfterMs, 'number');
  assert.is(watchers.count, 0);
});

test('there are so many watchers and no more, and so many of one user', async () => {
  const [first, second] = [watch(), watch()];
  await Promise.all([next(first), next(second)]);
  assert.is((await rejectionOf(watch().next(), Fault)).reason, 'BUSY');
  const third = watch(other);
  await next(third);
  assert.is((await rejectionOf(watch({ ...asked, userId: 'carl' }).next(), Fault)).reason, 'BUSY');
  await first.return(undefined);
  await next(watch({ ...asked, userId: 'carl' }));
  assert.is(watchers.count, 3);
});

test('whoever goes away is not watched for any more', async () => {
  const stream = watch();
  await next(stream);
  const last = rejectionOf(stream.next(), Fault);
  aborts.abort(new Fault('CANCELLED', 'gone'));
  assert.is((await last).reason, 'CANCELLED');
  assert.is(watchers.count, 0);
  assert.is((await rejectionOf(watch().next(), Fault)).reason, 'CANCELLED');
  places.set('ben', waiting(1));
  const stays = watchers.watch(other, new AbortController().signal);
  await next(stays);
  polls = [];
  await until(() => polls.length >= 3);
  assert.ok(polls.every((userId) => userId === 'ben'));
  await stays.return(undefined);
});

test('without Redis there is no line', async () => {
  const none = new PlaceWatchers({ requests: undefined });
  assert.equal(await next(none.watch(asked, aborts.signal)), gone);
  none.close();
});

test.run();
