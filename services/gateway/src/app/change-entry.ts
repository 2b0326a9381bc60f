import {
  AcceptOfferResponse,
  LeaveWaitlistResponse,
} from '#libs/contracts/gen/holdfast/waitlist/v1/waitlist_service.js';
import type { OrderChange } from './change-order.js';
import type { EntryChange, Peers } from './ports.js';

/** Ends the user's wait, or declines the offer. */
export function leaveWaitlist({ waitlists }: Peers): OrderChange<EntryChange, LeaveWaitlistResponse> {
  return {
    ...common,
    method: 'LeaveWaitlist',
    responseType: LeaveWaitlistResponse,
    carryOut: (change, caller) => waitlists.leave(change, caller),
  };
}

/** Takes the user's offer. */
export function acceptOffer({ waitlists }: Peers): OrderChange<EntryChange, AcceptOfferResponse> {
  return {
    ...common,
    method: 'AcceptOffer',
    responseType: AcceptOfferResponse,
    carryOut: (change, caller) => waitlists.accept(change, caller),
  };
}

const common: Pick<OrderChange<EntryChange, unknown>, 'userOf' | 'isPaidByUser' | 'meaningOf'> = {
  userOf: ({ userId }) => userId,
  isPaidByUser: true,
  meaningOf: ({ orderId, reason }) => [orderId, reason],
};
