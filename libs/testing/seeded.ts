import { randomInt } from 'node:crypto';
import { recorder } from './recorder.js';

export interface SeededRandom {
  readonly seed: number;
  /** At least 0, below 1. */
  next(): number;
  /** A whole number from `low` to `high`, both included. */
  integer(low: number, high: number): number;
  chance(probability: number): boolean;
  pick<T>(items: readonly T[]): T;
  shuffle<T>(items: readonly T[]): T[];
}

/**
 * Random numbers that can be had again: the seed is the given one, else HOLDFAST_SEED, else a new one, and
 * it is printed when a test of the file fails.
 */
export function seeded(seed = Number(process.env.HOLDFAST_SEED ?? randomInt(2 ** 32))): SeededRandom {
  recorder.note(`random numbers came from seed ${seed}: HOLDFAST_SEED=${seed} gives them again`);
  const next = mulberry32(seed);
  const integer = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1));
  return {
    seed,
    next,
    integer,
    chance: (probability) => next() < probability,
    pick: (items) => {
      if (items.length === 0) throw new Error('nothing to pick from');
      return items[integer(0, items.length - 1)] as (typeof items)[number];
    },
    shuffle: (items) =>
      items
        .map((item) => ({ item, place: next() }))
        .sort((a, b) => a.place - b.place)
        .map(({ item }) => item),
  };
}

// Tommy Ettinger's mulberry32: 32 bits of state, good enough for tests and the same everywhere.
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
