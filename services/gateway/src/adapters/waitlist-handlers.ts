import { WaitlistServiceDefinition } from '#libs/contracts/gen/holdfast/waitlist/v1/waitlist_service.js';
import { Fault } from '#libs/refusal/fault.js';
import type { Client } from '#libs/rpc/client.js';
import type { Handlers } from '#libs/rpc/service.js';
import type { Changes } from '../app/changes.js';
import type { Waitlists } from '../app/ports.js';
import { isEntryId, refuseIfAny } from '../domain/fields.js';
import { validateEntryChange, validateEntryId } from '../domain/validate-requests.js';
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
      refuseIfAny(validateEntryChange({ entryId, ...change }));
      refuseIfNone(entryId);
      return changes.leaveWaitlist(change, call);
    },
    async acceptOffer({ entryId, requestId }, call) {
      const change = { orderId: entryId, requestId, reason: '', userId: userOf(call) };
      refuseIfAny(validateEntryChange({ entryId, ...change }));
      refuseIfNone(entryId);
      return changes.acceptOffer(change, call);
    },
    async getWaitlistEntry({ entryId, skuId }, call) {
      const userId = userOf(call);
      if (entryId === '') return { entry: await waitlists.findBySku({ skuId, userId }, call) };
      refuseIfAny(validateEntryId({ entryId }));
      refuseIfNone(entryId);
      return { entry: await waitlists.find({ entryId, userId }, call) };
    },
    async *watchWaitlist({ entryId }, call) {
      const userId = userOf(call);
      refuseIfAny(validateEntryId({ entryId }));
      refuseIfNone(entryId);
      yield* waitlists.watch({ entryId, userId }, call);
    },
  };
}

/** An id that no entry can have names none: as with orders, that is no violation. */
function refuseIfNone(entryId: string): void {
  if (isEntryId(entryId)) return;
  throw new Fault('WAITLIST_ENTRY_NOT_FOUND', 'there is no such entry of a waitlist', {
    metadata: { entry_id: entryId },
  });
}
