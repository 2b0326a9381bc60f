import { randomUUID } from 'node:crypto';
import { WaitlistServiceDefinition } from '#libs/contracts/gen/holdfast/waitlist/v1/waitlist_service.js';
import type { Waitlists } from '../../app/ports.js';
import type { Wire } from '../wire.js';

/** Those who wait, as the gateway tells them. */
export function waitlistCalls({ connect, options }: Wire): Waitlists {
  const waitlist = connect(WaitlistServiceDefinition);
  return {
    async listWaiters(named, pageSize, pageToken) {
      const { entries, ...page } = await waitlist.listWaitlist({ ...named, pageSize, pageToken }, options);
      const items = entries.map(({ entryId, userId, quantity, peopleAhead, joinedAt, barredReason }) => ({
        ...{ entryId, userId, quantity, peopleAhead, joinedAt, barredReason },
      }));
      return { ...page, items };
    },
    async pauseWaitlist(named, reason) {
      await waitlist.pauseWaitlist({ ...named, reason, requestId: randomUUID() }, options);
    },
    async resumeWaitlist(named, reason) {
      return (await waitlist.resumeWaitlist({ ...named, reason, requestId: randomUUID() }, options)).promoted;
    },
  };
}
