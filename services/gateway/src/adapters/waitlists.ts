import { WaitlistServiceDefinition } from '#libs/contracts/gen/holdfast/waitlist/v1/waitlist_service.js';
import { actorMetadata } from '#libs/rpc/actor.js';
import { type CallOptions, connect } from '#libs/rpc/client.js';
import type { Target } from '#libs/rpc/target.js';
import type { Caller, Waitlists } from '../app/ports.js';
import { defaultDeadlineMs, whileWatched, within } from './inner-calls.js';

/** Those who wait, with the order service. */
export function connectWaitlists(target: Target): Waitlists & { close(): void } {
  const client = connect(WaitlistServiceDefinition, target, { defaultDeadlineMs });
  return {
    async find({ entryId, userId }, caller) {
      const { entry } = await client.getWaitlistEntry({ entryId, skuId: '' }, askedBy(userId, within(caller)));
      return entry;
    },
    async findBySku({ skuId, userId }, caller) {
      const { entry } = await client.getWaitlistEntry({ entryId: '', skuId }, askedBy(userId, within(caller)));
      return entry;
    },
    leave: ({ orderId: entryId, requestId, reason, userId }, caller) =>
      client.leaveWaitlist({ entryId, requestId, reason }, askedBy(userId, within(caller))),
    accept: ({ orderId: entryId, requestId, userId }, caller) =>
      client.acceptOffer({ entryId, requestId }, askedBy(userId, within(caller))),
    watch: ({ entryId, userId }, caller: Caller) =>
      client.watchWaitlist({ entryId }, askedBy(userId, whileWatched(caller))),
    close: () => client.close(),
  };
}

function askedBy(userId: string, options: CallOptions): CallOptions {
  return { ...options, metadata: actorMetadata({ userId, role: 'USER', stores: [] }) };
}
