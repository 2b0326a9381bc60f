import { WaitlistServiceDefinition } from '#libs/contracts/gen/holdfast/waitlist/v1/waitlist_service.js';
import { toEntryMessage } from '#libs/contracts/waitlist-messages.js';
import { changeViolations } from '#libs/ledger/control-violations.js';
import type { Ledger } from '#libs/ledger/ledger.js';
import type { WaitlistEntry } from '#libs/ledger/waitlist-rows.js';
import { actorNameOf, actorOf } from '#libs/rpc/actor.js';
import type { CallContext } from '#libs/rpc/call-context.js';
import { type Handlers, implement, type ServiceImplementation } from '#libs/rpc/service.js';
import type { Watch } from '../app/watch.js';
import { RequestCheck } from './requests.js';

const skusAtOnce = 100;
const entriesAtOnce = 1_000;
const entryId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

type Desk = Pick<
  Handlers<WaitlistServiceDefinition>,
  'listWaitlist' | 'pauseWaitlist' | 'resumeWaitlist' | 'promoteWaiters' | 'endWaitlists'
>;

export interface WaitlistVerbs {
  readonly ledger: Ledger;
  readonly watch: Watch<WaitlistEntry>;
  /** Hears that orders and entries were changed, these orders among them. */
  readonly changed: (orderIds: readonly string[]) => void;
}

/** The WaitlistService on the wire. A user is shown and changes their own entries, an operator all. */
export function waitlistService({ ledger, watch, changed }: WaitlistVerbs): ServiceImplementation {
  function told({ entry, changed: isChanged }: { entry: WaitlistEntry; changed: boolean }) {
    if (isChanged) changed(entry.orderId ? [entry.orderId] : []);
    return ledger.waitlistEntryGet({ entryId: entry.entryId }).then((now) => ({ entry: toEntryMessage(now) }));
  }

  return implement(WaitlistServiceDefinition, {
    async leaveWaitlist({ entryId: id, requestId, reason }, call) {
      checkChange(id, requestId).field('reason', reason, 'freeText').done();
      return told(await ledger.waitlistLeave({ entryId: id, ...asked(call), reason }));
    },

    async acceptOffer({ entryId: id, requestId }, call) {
      checkChange(id, requestId).done();
      return told(await ledger.offerAccept({ entryId: id, ...asked(call) }));
    },

    async getWaitlistEntry({ entryId: id, skuId }, call) {
      const { userId } = asked(call);
      new RequestCheck()
        .that((id === '') !== (skuId === ''), 'entry_id', 'must be given, or sku_id in its place, not both')
        .that(id === '' || entryId.test(id), 'entry_id', 'must be a UUID in lower case')
        .that(id !== '' || userId !== undefined, 'sku_id', 'names the entry of a user only')
        .done();
      const query = id === '' ? { userId: userId ?? '', skuId } : { entryId: id, ...asked(call) };
      return { entry: toEntryMessage(await ledger.waitlistEntryGet(query)) };
    },

    async *watchWaitlist({ entryId: id }, call) {
      new RequestCheck().that(entryId.test(id), 'entry_id', 'must be a UUID in lower case').done();
      for await (const entry of watch.follow(id, asked(call).userId, call.signal)) {
        yield { entry: toEntryMessage(entry) };
      }
    },
    ...forOperators(ledger, changed),
  });
}

/** What operators and jobs ask for. */
function forOperators(ledger: Ledger, changed: WaitlistVerbs['changed']): Desk {
  return {
    async listWaitlist({ storeId, skuId, pageSize, pageToken }) {
      new RequestCheck().field('store_id', storeId, 'id').field('sku_id', skuId, 'id').done();
      const { entries, ...list } = await ledger.waitlistList({ storeId, skuId }, { pageSize, pageToken });
      return { ...list, entries: entries.map(toEntryMessage) };
    },

    pauseWaitlist: (request, call) => setPaused(request, true, call),
    resumeWaitlist: (request, call) => setPaused(request, false, call),

    async promoteWaiters() {
      const { promoted } = await ledger.waitlistPromote(skusAtOnce);
      if (promoted > 0) changed([]);
      return { promoted };
    },

    async endWaitlists() {
      const ended = await ledger.waitlistEnd(entriesAtOnce);
      if (ended > 0) changed([]);
      return { ended };
    },
  };

  async function setPaused(
    { storeId, skuId, reason, requestId }: { storeId: string; skuId: string; reason: string; requestId: string },
    paused: boolean,
    call: CallContext,
  ) {
    const operator = actorNameOf(call);
    new RequestCheck()
      .field('store_id', storeId, 'id')
      .field('sku_id', skuId, 'id')
      .also(changeViolations({ reason, requestId }))
      .done();
    const set = await ledger.waitlistSetPaused({ storeId, skuId, paused, reason, operator, requestId });
    changed([]);
    return set;
  }
}

/** Whose entry it must be: an operator's may be anybody's. */
function asked(call: CallContext): { userId?: string } {
  return actorOf(call)?.role === 'OPERATOR' ? {} : { userId: actorNameOf(call) };
}

function checkChange(id: string, requestId: string): RequestCheck {
  return new RequestCheck()
    .that(entryId.test(id), 'entry_id', 'must be a UUID in lower case')
    .field('request_id', requestId, 'longId');
}
