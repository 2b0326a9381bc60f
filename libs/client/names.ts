import {
  type OrderState,
  OrderState as orderStates,
  RefusalReason,
} from '#libs/contracts/gen/holdfast/order/v1/order.js';
import {
  type WaitlistState,
  WaitlistState as waitlistStates,
} from '#libs/contracts/gen/holdfast/waitlist/v1/waitlist.js';

type Without<Prefix extends string, Name> = Name extends `${Prefix}${infer Rest}`
  ? Exclude<Rest, 'UNSPECIFIED'>
  : never;

/** Why something was refused, without the prefix of the contract: `SOLD_OUT`. */
export type RefusalName = Without<'REFUSAL_REASON_', keyof typeof RefusalReason>;

/** Where an order is in its life: `HELD`. */
export type OrderStateName = Without<'ORDER_STATE_', keyof typeof orderStates>;

/** Where a place in a waitlist is: `WAITING`. */
export type WaitlistStateName = Without<'WAITLIST_STATE_', keyof typeof waitlistStates>;

/** `UNKNOWN` is one that only newer gateways know. */
export function refusalName(reason: RefusalReason): RefusalName | 'UNKNOWN' {
  return known(RefusalReason[reason], 'REFUSAL_REASON_') as RefusalName | 'UNKNOWN';
}

/** `UNKNOWN` is one that only newer gateways know. */
export function orderStateName(state: OrderState): OrderStateName | 'UNKNOWN' {
  return known(orderStates[state], 'ORDER_STATE_') as OrderStateName | 'UNKNOWN';
}

/** `UNKNOWN` is one that only newer gateways know. */
export function waitlistStateName(state: WaitlistState): WaitlistStateName | 'UNKNOWN' {
  return known(waitlistStates[state], 'WAITLIST_STATE_') as WaitlistStateName | 'UNKNOWN';
}

function known(name: string | undefined, prefix: string): string {
  return name?.startsWith(prefix) && !name.endsWith('_UNSPECIFIED') ? name.slice(prefix.length) : 'UNKNOWN';
}
