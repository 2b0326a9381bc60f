import type { EntryFacts } from './overtaken.js';

/** One hold, and how it ended. */
export interface HoldFacts {
  orderId: string;
  /** Whether it was offered to somebody on the waitlist. */
  isOffer: boolean;
  /** While it was held. */
  paid: boolean;
  expired: boolean;
  /** For each unit that was given back unpaid, how long it had been held, in milliseconds. */
  vainUnitMs: number;
}

/** What a hold time did to a day. Times in minutes of the day, shares from 0 to 1; null: there was nobody. */
export interface HoldFigures {
  hold_minutes: number;
  holds: number;
  share_paid: number | null;
  share_expired: number | null;
  /** Minutes for which a unit was kept for somebody who did not pay, over all units. */
  unit_minutes_in_vain: number;
  joined: number;
  /** Were offered an order, and paid for it. */
  served_from_waitlist: number;
  offers: number;
  /** From joining to the offer. */
  waited_p50_minutes: number | null;
  waited_p90_minutes: number | null;
}

/** Pure. */
export function holdFigures(
  { holdMinutes, minuteMs }: { holdMinutes: number; minuteMs: number },
  { holds, entries }: { holds: readonly HoldFacts[]; entries: readonly EntryFacts[] },
): HoldFigures {
  const share = (some: (hold: HoldFacts) => boolean): number | null =>
    holds.length === 0 ? null : round(holds.filter(some).length / holds.length, 3);
  const waits = entries
    .flatMap(({ offeredAt, joinedAt }) => (offeredAt ? [(offeredAt.getTime() - joinedAt.getTime()) / minuteMs] : []))
    .sort((a, b) => a - b);
  const waitAt = (part: number): number | null =>
    waits.length === 0 ? null : round(waits[Math.floor(part * (waits.length - 1))] ?? 0, 1);
  return {
    hold_minutes: holdMinutes,
    holds: holds.length,
    share_paid: share(({ paid }) => paid),
    share_expired: share(({ expired }) => expired),
    unit_minutes_in_vain: Math.round(holds.reduce((sum, { vainUnitMs }) => sum + vainUnitMs, 0) / minuteMs),
    joined: entries.length,
    served_from_waitlist: entries.filter(({ state }) => state === 'PROMOTED').length,
    offers: waits.length,
    waited_p50_minutes: waitAt(0.5),
    waited_p90_minutes: waitAt(0.9),
  };
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
