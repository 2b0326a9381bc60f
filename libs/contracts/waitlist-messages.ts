import { OnSoldOut as OnSoldOutMessage } from '#libs/contracts/gen/holdfast/inventory/v1/sku.js';
import {
  type WaitlistEntry as EntryMessage,
  WaitlistState,
} from '#libs/contracts/gen/holdfast/waitlist/v1/waitlist.js';
import type { EntryState, EntryWord, WaitlistEntry } from '#libs/ledger/waitlist-rows.js';
import type { OnSoldOut } from '#libs/ledger/waitlist-terms.js';

/** What a claim is told of an entry, as the contracts carry it. */
export function toEntryWordMessage(entry: EntryWord): EntryMessage {
  return {
    entryId: entry.entryId,
    storeId: '',
    skuId: entry.skuId,
    userId: '',
    quantity: 0,
    state: WaitlistState[`WAITLIST_STATE_${entry.state}`],
    peopleAhead: entry.peopleAhead ?? 0,
    orderId: entry.orderId ?? '',
    joinedAt: undefined,
    offerExpiresAt: undefined,
    barredReason: '',
    estimatedSeconds: undefined,
    version: 0,
  };
}

/** The ledger's entry as the contracts carry it. */
export function toEntryMessage(entry: WaitlistEntry): EntryMessage {
  return {
    ...toEntryWordMessage(entry),
    storeId: entry.storeId,
    userId: entry.userId,
    quantity: entry.quantity,
    joinedAt: entry.joinedAt,
    offerExpiresAt: entry.offerExpiresAt,
    barredReason: entry.barredReason ?? '',
    estimatedSeconds: entry.estimatedSeconds,
    version: entry.version,
  };
}

/** What a claim is told; undefined when its state is one that this version does not know. */
export function fromEntryWordMessage(message: EntryMessage): EntryWord | undefined {
  const state = STATES[message.state];
  if (!state) return undefined;
  return {
    entryId: message.entryId,
    skuId: message.skuId,
    state,
    ...(state === 'WAITING' && { peopleAhead: message.peopleAhead }),
    ...(message.orderId !== '' && { orderId: message.orderId }),
  };
}

/** What a claim wants when too few units are free; undefined: what the sku says. */
export function fromOnSoldOutMessage(message: OnSoldOutMessage | undefined): OnSoldOut | undefined {
  if (message === OnSoldOutMessage.ON_SOLD_OUT_JOIN_WAITLIST) return 'JOIN_WAITLIST';
  return message === OnSoldOutMessage.ON_SOLD_OUT_REFUSE ? 'REFUSE' : undefined;
}

export function toOnSoldOutMessage(onSoldOut: OnSoldOut): OnSoldOutMessage {
  return OnSoldOutMessage[`ON_SOLD_OUT_${onSoldOut}`];
}

const STATES: Readonly<Partial<Record<WaitlistState, EntryState>>> = {
  [WaitlistState.WAITLIST_STATE_WAITING]: 'WAITING',
  [WaitlistState.WAITLIST_STATE_OFFERED]: 'OFFERED',
  [WaitlistState.WAITLIST_STATE_PROMOTED]: 'PROMOTED',
  [WaitlistState.WAITLIST_STATE_EXPIRED]: 'EXPIRED',
  [WaitlistState.WAITLIST_STATE_DECLINED]: 'DECLINED',
  [WaitlistState.WAITLIST_STATE_LEFT]: 'LEFT',
  [WaitlistState.WAITLIST_STATE_ENDED]: 'ENDED',
};
