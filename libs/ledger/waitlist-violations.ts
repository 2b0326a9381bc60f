import type { Violation } from '#libs/refusal/fault.js';
import type { SkuToPut } from './sku-violations.js';

const ranges = [
  ['max', 'waitlist_max', 0, 1_000_000],
  ['skips', 'waitlist_skips', 0, 1_000],
  ['offerTtlSeconds', 'offer_ttl_seconds', 1, 2_678_400],
] as const;

/** What is wrong with how a sku shall treat those who come when it is sold out. */
export function waitlistViolations({ onSoldOut, waitlist = {} }: SkuToPut): Violation[] {
  const words = [
    ['on_sold_out', onSoldOut, ['REFUSE', 'JOIN_WAITLIST']],
    ['waitlist_order', waitlist.order, ['STRICT', 'FIRST_FIT']],
    ['waitlist_accept', waitlist.accept, ['AUTO', 'OFFER']],
  ] as const;
  return [
    ...words
      .filter(([, word, known]) => word !== undefined && !known.some((other) => other === word))
      .map(([field, , known]) => ({ field, description: `must be ${known.join(' or ')}` })),
    ...ranges
      .filter(([name, , low, high]) => !isWithin(waitlist[name] ?? low, low, high))
      .map(([, field, low, high]) => ({ field, description: `must be a whole number, ${low} to ${high}` })),
  ];
}

function isWithin(value: number, low: number, high: number): boolean {
  return Number.isInteger(value) && value >= low && value <= high;
}
