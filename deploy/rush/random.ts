/** Numbers that look random and are the same for the same seed. */
export interface Random {
  /** 0 <= n < 1. */
  next(): number;
  /** An integer, both ends included. */
  integer(min: number, max: number): number;
  /** The same items in another order. */
  shuffled<T>(items: readonly T[]): T[];
}

/** Mulberry32: 32 bits of state are plenty for arrivals and wishes, and it is the same on every machine. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1));
  const shuffled = <T>(items: readonly T[]): T[] =>
    items
      .map((item) => ({ item, rank: next() }))
      .sort((a, b) => a.rank - b.rank)
      .map(({ item }) => item);
  return { next, integer, shuffled };
}
