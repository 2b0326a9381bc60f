import { seeded } from '#libs/testing/seeded.js';

/** So many draws of numbers below `of`, the n-th of which is 1/n as likely as the first. The same seed gives the same. */
export function zipf(of: number, draws: number, seed: number): number[] {
  const random = seeded(seed);
  const upTo = new Float64Array(of);
  let sum = 0;
  for (let n = 0; n < of; n += 1) {
    sum += 1 / (n + 1);
    upTo[n] = sum;
  }
  return Array.from({ length: draws }, () => firstAbove(upTo, random.next() * sum));
}

function firstAbove(upTo: Float64Array, value: number): number {
  let [low, high] = [0, upTo.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((upTo[middle] ?? 0) > value) high = middle;
    else low = middle + 1;
  }
  return low;
}
