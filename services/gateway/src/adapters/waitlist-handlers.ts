import { WaitlistServiceDefinition } from '#libs/contracts/gen/holdfast/waitlist/v1/waitlist_service.js';
import type { Client } from '#libs/rpc/client.js';
import type { Handlers } from '#libs/rpc/service.js';
import type { Changes } from '../app/changes.js';
import type { Waitlists } from '../app/ports.js';
import { refuseIfAny } from '../domain/fields.js';
import { validateCancel, validateOrderId } from '../domain/validate-requests.js';
import { forwardTo } from './forward.js';
import { userOf } from './identity.js';

export interface WaitlistParts {
  waitlists: Waitlists;
  changes: Pick<Changes, 'leaveWaitlist' | 'acceptOffer'>;
  /** For what only operators may ask and do. */
  client: Client<WaitlistServiceDefinition>;
}

/** A user's own entries; lists, pauses and jobs for operators. */
export function waitlistHandlers({ waitlists, changes, client }: WaitlistParts): Handlers<WaitlistServiceDefinition> {
  return {
    ...forwardTo(WaitlistServiceDefinition, client),
    async leaveWaitlist({ entryId, requestId, reason }, call) {
      const change = { orderId: entryId, requestId, reason, userId: userOf(call) };
      refuseIfAny(validateCancel(change));
      return changes.leaveWaitlist(change, call);
    },
    async acceptOffer({ entryId, requestId }, call) {
      const change = { orderId: entryId, requestId, reason: '', userId: userOf(call) };
      refuseIfAny(validateCancel(change));
      return changes.acceptOffer(change, call);
    },
    async getWaitlistEntry({ entryId, skuId }, call) {
      const userId = userOf(call);
      if (entryId === '') return { entry: await waitlists.findBySku({ skuId, userId }, call) };
      refuseIfAny(validateOrderId({ orderId: entryId }));
      return { entry: await waitlists.find({ entryId, userId }, call) };
    },
    async *watchWaitlist({ entryId }, call) {
      const userId = userOf(call);
      refuseIfAny(validateOrderId({ orderId: entryId }));
      yield* waitlists.watch({ entryId, userId }, call);
    },
  };
}
