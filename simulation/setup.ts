import type { Random } from './random.js';

/** What a schedule begins with. */
export interface Setup {
  /** Of each sku. */
  readonly capacities: readonly number[];
  /** When each sku opens, from the beginning of the schedule on; undefined: it is open. */
  readonly opensInMs: readonly (number | undefined)[];
  readonly wishes: readonly Wish[];
  readonly redisAheadMs: number;
  readonly streamAheadMs: number;
  /** Of each inventory's idea of the ledger's time. */
  readonly clocksOffMs: readonly number[];
  /** Data may be lost by one of them, not by both. */
  readonly loser: 'REDIS' | 'STREAM';
  /** Few people who want the same, while marks and units come and go. */
  readonly isStorm: boolean;
  /** Whether everybody asks once more in the end, and somebody new. */
  readonly isAskedAgain: boolean;
  /** Whether units are added when all faults heal. */
  readonly isRestocked: boolean;
  /** Calls in 256 that get no reply. */
  readonly roughness: number;
  /** The second gateway begins cut off from a Redis that never heard of it. */
  readonly isSecondNew: boolean;
}

/** What one person asks for: units of each sku, and those of another order under the same request id. */
export interface Wish {
  readonly units: readonly number[];
  readonly otherUnits: readonly number[] | undefined;
}

const STREAM_CLOCK_MS = 1000;
const INVENTORY_CLOCK_MS = 50;

export function drawSetup(random: Random): Setup {
  const isStorm = random.below(3) === 0;
  const people = 2 + random.below(isStorm ? 2 : 5);
  return {
    capacities: [1 + random.below(isStorm ? 2 : 3), 1 + random.below(2)],
    opensInMs: [undefined, random.below(4) === 0 ? 200 + random.below(6000) : undefined],
    wishes: Array.from({ length: people }, () => drawWish(random, isStorm)),
    redisAheadMs: random.below(3) === 0 ? random.below(20_000) - 10_000 : 0,
    streamAheadMs: random.below(2) === 0 ? random.below(2 * STREAM_CLOCK_MS) - STREAM_CLOCK_MS : 0,
    clocksOffMs: [0, random.below(2 * INVENTORY_CLOCK_MS) - INVENTORY_CLOCK_MS],
    loser: isStorm || random.below(3) > 0 ? 'REDIS' : 'STREAM',
    isStorm,
    isAskedAgain: random.below(4) === 0,
    isRestocked: isStorm || random.below(2) === 0,
    roughness: [0, 8, 24, 64][random.below(4)] ?? 0,
    isSecondNew: random.below(8) === 0,
  };
}

function drawWish(random: Random, isStorm: boolean): Wish {
  if (isStorm) return { units: [1, 0], otherUnits: undefined };
  const units = [
    [1, 0],
    [1, 0],
    [1, 0],
    [2, 0],
    [0, 1],
    [1, 1],
  ][random.below(6)] ?? [1, 0];
  return { units, otherUnits: random.below(8) === 0 ? [units[0] === 1 ? 2 : 1, units[1] ?? 0] : undefined };
}
