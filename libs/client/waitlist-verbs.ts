import { randomUUID } from 'node:crypto';
import { type WaitlistEntry, WaitlistState } from '#libs/contracts/gen/holdfast/waitlist/v1/waitlist.js';
import { WaitlistServiceDefinition } from '#libs/contracts/gen/holdfast/waitlist/v1/waitlist_service.js';
import type { Client } from '#libs/rpc/client.js';
import { follow, type Watching } from './follow.js';
import type { Patience } from './insist.js';
import { type Change, given } from './order-verbs.js';
import type { Voice } from './voice.js';

/** Places in waitlists, which reserve gives. */
export interface WaitlistVerbs {
  /** The entry as it is now. Fault WAITLIST_ENTRY_NOT_FOUND also for another user's. */
  getWaitlistEntry(entryId: string, patience?: Patience): Promise<WaitlistEntry>;
  /** The entry now and after each change of its state or place, until its state is final. As watchOrder. */
  watchWaitlist(entryId: string, watching?: Watching): AsyncIterable<WaitlistEntry>;
  /** Ends the wait, or declines the offer that it led to. */
  leaveWaitlist(entryId: string, change?: Change & { reason?: string }): Promise<WaitlistEntry>;
  /** Takes an offer for which nothing is to be paid; else paying for its order takes it. */
  acceptOffer(entryId: string, change?: Change): Promise<WaitlistEntry>;
}

const methods = WaitlistServiceDefinition.methods;

/** The verbs in one voice. */
export function waitlistVerbs(waitlist: Client<typeof WaitlistServiceDefinition>, voice: Voice): WaitlistVerbs {
  return {
    async getWaitlistEntry(entryId, patience) {
      const request = { entryId, skuId: '' };
      const send = voice.ask(methods.getWaitlistEntry, (one) => waitlist.getWaitlistEntry(request, one), patience);
      return given((await send).entry);
    },
    watchWaitlist(entryId, watching = {}) {
      const open = (options: object) => entriesOf(waitlist.watchWaitlist({ entryId }, options));
      return follow(voice, { open, isNews, isFinal }, watching);
    },
    async leaveWaitlist(entryId, { requestId = randomUUID(), reason = '', ...patience } = {}) {
      const request = { entryId, requestId, reason };
      const send = voice.ask(methods.leaveWaitlist, (one) => waitlist.leaveWaitlist(request, one), patience);
      return given((await send).entry);
    },
    async acceptOffer(entryId, { requestId = randomUUID(), ...patience } = {}) {
      const request = { entryId, requestId };
      const send = voice.ask(methods.acceptOffer, (one) => waitlist.acceptOffer(request, one), patience);
      return given((await send).entry);
    },
  };
}

/** A place that moved on is news, too. */
function isNews(now: WaitlistEntry, told: WaitlistEntry): boolean {
  return now.version > told.version || (now.version === told.version && now.peopleAhead !== told.peopleAhead);
}

function isFinal({ state }: WaitlistEntry): boolean {
  return state !== WaitlistState.WAITLIST_STATE_WAITING && state !== WaitlistState.WAITLIST_STATE_OFFERED;
}

async function* entriesOf(stream: AsyncIterable<{ entry: WaitlistEntry | undefined }>): AsyncGenerator<WaitlistEntry> {
  for await (const { entry } of stream) if (entry) yield entry;
}
