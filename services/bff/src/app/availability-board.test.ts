import { Fault } from '#libs/refusal/fault.js';
import { gate } from '#libs/testing/gate.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { AvailabilityBoard } from './availability-board.js';
import type { Told } from './feed.js';

const test = suite('availability board');
const boards: AvailabilityBoard[] = [];

test.after.each(() => {
  for (const board of boards.splice(0)) board.close();
});

/** A board over skus whose state a test sets: all that begin with `sku`, but those that it says are none. */
function boardOver(options: { everyMs?: number; awayMaxMs?: number } = {}) {
  const reads: string[][] = [];
  const scene = { state: '1', isAway: false, reads, before: Promise.resolve() };
  const board = new AvailabilityBoard({
    everyMs: 1,
    ...options,
    async read(skuIds) {
      reads.push(skuIds);
      await scene.before;
      if (scene.isAway) throw new Fault('UNAVAILABLE', 'away');
      const known = skuIds.filter((skuId) => skuId.startsWith('sku'));
      return new Map(known.map((skuId) => [skuId, told(`${skuId}=${scene.state}`, scene.state === 'last')]));
    },
  });
  boards.push(board);
  return { board, scene };
}

const told = (id: string, isLast: boolean): Told => ({ id, frame: Buffer.from(id), isLast });

function listen(board: AvailabilityBoard, skuId: string) {
  const heard = { ids: [] as string[], end: undefined as string | undefined, leave: () => undefined as unknown };
  heard.leave = board.of(skuId)({
    heard: ({ id }) => void heard.ids.push(id),
    ended: (fault) => {
      heard.end = fault?.reason ?? 'last';
    },
  });
  return heard;
}

test('a thousand listeners of a sku cost one read, and hear changes only', async () => {
  const { board, scene } = boardOver();
  const listeners = Array.from({ length: 1_000 }, () => listen(board, 'sku'));
  await until(() => scene.reads.length > 5);
  assert.ok(scene.reads.every((skuIds) => skuIds.join() === 'sku'));
  scene.state = '2';
  await until(() => listeners.every(({ ids }) => ids.join() === 'sku=1,sku=2'));
});

test('a read names at most a hundred skus, and every one that somebody listens to', async () => {
  const { board, scene } = boardOver();
  const listeners = Array.from({ length: 250 }, (_, n) => listen(board, `sku-${n}`));
  await until(() => listeners.every(({ ids }) => ids.length === 1));
  assert.equal(
    scene.reads.slice(0, 3).map(({ length }) => length),
    [100, 100, 50],
  );
  scene.state = '2';
  await until(() => listeners.every(({ ids }) => ids.length === 2));
  assert.ok(scene.reads.every(({ length }) => length <= 100));
});

test('those who come during a read are read together after it', async () => {
  const { board, scene } = boardOver({ everyMs: 1_000_000 });
  const { passed, open } = gate();
  scene.before = passed;
  const first = listen(board, 'sku-0');
  await until(() => scene.reads.length === 1);
  const late = Array.from({ length: 50 }, (_, n) => listen(board, `sku-${n}`));
  open();
  await until(() => [first, ...late].every(({ ids }) => ids.length === 1));
  assert.equal(
    scene.reads.map(({ length }) => length),
    [1, 49],
  );
});

test('while nobody listens nothing is read', async () => {
  const { board, scene } = boardOver();
  const { leave } = listen(board, 'sku-1');
  const other = listen(board, 'sku-2');
  await until(() => scene.reads.length > 3);
  leave();
  await until(() => scene.reads.at(-1)?.join() === 'sku-2');
  other.leave();
  assert.is(board.size, 0);
  const witness = boardOver();
  const before = scene.reads.length;
  listen(witness.board, 'sku');
  await until(() => witness.scene.reads.length > 5);
  assert.ok(scene.reads.length <= before + 1);
  const again = listen(board, 'sku-1');
  await until(() => again.ids.length === 1);
  scene.state = '2';
  await until(() => again.ids.length === 2);
});

test('a sku that does not exist ends, and the others of its read do not', async () => {
  const { board } = boardOver();
  const none = listen(board, 'none');
  const one = listen(board, 'sku');
  await until(() => none.end === 'SKU_NOT_FOUND');
  await until(() => one.ids.length === 1);
  assert.is(one.end, undefined);
});

test('reads that fail are made up for; when they go on failing, everybody is sent away', async () => {
  const { board, scene } = boardOver({ awayMaxMs: 50 });
  const heard = listen(board, 'sku');
  await until(() => heard.ids.length === 1);
  scene.isAway = true;
  await until(() => heard.end === 'UNAVAILABLE');
  assert.is(listen(board, 'sku').end, undefined);
  const fresh = listen(board, 'sku-2');
  await until(() => fresh.end === 'UNAVAILABLE');
  scene.isAway = false;
  const again = listen(board, 'sku');
  await until(() => again.ids.join() === 'sku=1');
});

test('after the last word it is over', async () => {
  const { board, scene } = boardOver();
  const heard = listen(board, 'sku');
  await until(() => heard.ids.length === 1);
  scene.state = 'last';
  await until(() => heard.end === 'last');
  assert.equal([heard.ids, board.size], [['sku=1', 'sku=last'], 0]);
});

test.run();
