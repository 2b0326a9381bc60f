import {
  OnSoldOut,
  type Sku as SkuMessage,
  WaitlistAccept,
  WaitlistOrder,
} from '#libs/contracts/gen/holdfast/inventory/v1/sku.js';
import { toOnSoldOutMessage } from '#libs/contracts/waitlist-messages.js';
import type { Sku } from '#libs/ledger/rows.js';
import type { SkuToPut } from '#libs/ledger/sku-violations.js';
import { enumWord } from './enum-word.js';

/** Unspecified is the default; a word that nobody knows stays one, for the ledger to refuse. */
export function fromWaitlistTerms({ onSoldOut, waitlist }: SkuMessage): Pick<SkuToPut, 'onSoldOut' | 'waitlist'> {
  const { maxEntries, order, maxSkips, accept, offerTtlSeconds } = waitlist ?? {};
  return {
    ...(onSoldOut && { onSoldOut: enumWord(OnSoldOut, onSoldOut, 'ON_SOLD_OUT_') }),
    waitlist: {
      ...(maxEntries !== undefined && { max: maxEntries }),
      ...(order && { order: enumWord(WaitlistOrder, order, 'WAITLIST_ORDER_') }),
      ...(maxSkips !== undefined && { skips: maxSkips }),
      ...(accept && { accept: enumWord(WaitlistAccept, accept, 'WAITLIST_ACCEPT_') }),
      ...(offerTtlSeconds && { offerTtlSeconds }),
    },
  };
}

export function toWaitlistTerms({
  onSoldOut,
  waitlist,
  waitlistPaused,
}: Sku): Pick<SkuMessage, 'onSoldOut' | 'waitlist' | 'waitlistPaused'> {
  return {
    onSoldOut: toOnSoldOutMessage(onSoldOut),
    waitlist: {
      maxEntries: waitlist.max,
      order: WaitlistOrder[`WAITLIST_ORDER_${waitlist.order}`],
      maxSkips: waitlist.skips,
      accept: WaitlistAccept[`WAITLIST_ACCEPT_${waitlist.accept}`],
      offerTtlSeconds: waitlist.offerTtlSeconds ?? 0,
    },
    waitlistPaused,
  };
}
