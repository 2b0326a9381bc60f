import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import type { Placement } from './placement.js';
import { ShortLine, type Turn } from './short-line.js';

const test = suite('short line');

const someone = (): Placement => ({ answered: false }) as Placement;
const nobody: Turn = { left: [], open: false };

test('who has to wait for another turn stays before those who came meanwhile', async () => {
  const [first, second, third] = [someone(), someone(), someone()];
  const turns: Placement[][] = [];
  const line = new ShortLine(
    async (placements) => {
      turns.push(placements);
      if (turns.length === 1) line.push(third);
      return turns.length === 1 ? { left: [second], open: false } : { left: [], open: true };
    },
    () => undefined,
  );
  line.push(first);
  line.push(second);
  await line.serve();
  assert.equal(turns, [
    [first, second],
    [second, third],
  ]);
});

test('whoever was answered meanwhile has no turn', async () => {
  const gone = Object.assign(someone(), { answered: true });
  const here = someone();
  let taken: Placement[] = [];
  const line = new ShortLine(
    async (placements) => {
      taken = placements;
      return { left: [], open: true };
    },
    () => undefined,
  );
  line.push(gone);
  line.push(here);
  await line.serve();
  assert.equal(taken, [here]);
});

test('a crowd that is told no shares its turns', async () => {
  let turns = 0;
  let told = 0;
  const line = new ShortLine(
    async (placements) => {
      turns += 1;
      told += placements.length;
      return nobody;
    },
    () => undefined,
  );
  void line.serve();
  const coming = setInterval(() => line.push(someone()), 1);
  await until(() => told >= 50);
  clearInterval(coming);
  assert.ok(turns <= told / 2, `${turns} turns for ${told}`);
});

test('the end of the line is known in the tick in which it is decided', async () => {
  let ended = false;
  const line = new ShortLine(
    async () => ({ left: [], open: true }),
    () => {
      ended = true;
    },
  );
  line.push(someone());
  await line.serve();
  assert.ok(ended);
  assert.is(line.length, 0);
});

test.run();
