import { type Order, OrderState } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import {
  PlaceState,
  type WatchPlaceResponse,
} from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import { type WaitlistEntry, WaitlistState } from '#libs/contracts/gen/holdfast/waitlist/v1/waitlist.js';
import { WaitlistServiceDefinition } from '#libs/contracts/gen/holdfast/waitlist/v1/waitlist_service.js';
import { Fault } from '#libs/refusal/fault.js';
import type { CallContext } from '#libs/rpc/call-context.js';
import { implement, type ServiceImplementation } from '#libs/rpc/service.js';

/** Something that is watched through the fake: what a test says, all who watch it now hear. */
export class FakeWatch<Item> {
  readonly #open = new Set<(word: Item | Fault) => void>();
  /** What a watcher hears first: it as it is now, or why it may not. */
  now: Item | Fault;
  /** Watchers hear nothing before something is said. */
  isSilent = false;
  /** Who began to watch, by what was named. */
  readonly asked: string[] = [];

  constructor(
    readonly isLast: (item: Item) => boolean,
    now?: Item,
  ) {
    this.now = now ?? new Fault('ORDER_NOT_FOUND', 'There is no such order');
  }

  /** How many watch. */
  get watching(): number {
    return this.#open.size;
  }

  say(word: Item): void {
    this.now = word;
    for (const hear of [...this.#open]) hear(word);
  }

  /** All watches end so; whoever watches anew hears what is true then. */
  breakOff(fault: Fault): void {
    for (const hear of [...this.#open]) hear(fault);
  }

  async *watch(name: string, { signal }: CallContext): AsyncGenerator<Item> {
    this.asked.push(name);
    const words: (Item | Fault)[] = this.isSilent ? [] : [this.now];
    let wake = (): void => undefined;
    const hear = (word: Item | Fault): void => {
      words.push(word);
      wake();
    };
    signal.addEventListener('abort', () => wake());
    this.#open.add(hear);
    try {
      while (!signal.aborted) {
        const word = words.shift();
        if (word instanceof Fault) throw word;
        if (word !== undefined) yield word;
        if (word !== undefined && this.isLast(word)) return;
        if (words.length === 0 && !signal.aborted) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
    } finally {
      this.#open.delete(hear);
    }
  }
}

/** What can be watched. */
export interface FakeWatches {
  orders: FakeWatch<Order>;
  entries: FakeWatch<WaitlistEntry>;
  places: FakeWatch<WatchPlaceResponse>;
}

export function fakeWatches(): FakeWatches {
  const place = { state: PlaceState.PLACE_STATE_WAITING, peopleAhead: 7, retryAfterMs: 1_200 };
  return {
    orders: new FakeWatch(({ state }) => state >= OrderState.ORDER_STATE_FULFILLED),
    entries: new FakeWatch(({ state }) => state > WaitlistState.WAITLIST_STATE_OFFERED),
    places: new FakeWatch(({ state }) => state !== PlaceState.PLACE_STATE_WAITING, place),
  };
}

/** Each item as the member of a response that carries it. */
export async function* watched<Name extends string, Item>(items: AsyncIterable<Item>, name: Name) {
  for await (const item of items) yield { [name]: item } as Record<Name, Item>;
}

async function absent(): Promise<never> {
  throw new Fault('INTERNAL', 'not part of this test');
}

type WaitlistVerbs = Parameters<typeof implement<WaitlistServiceDefinition>>[1];

/** Waitlists of which only what apps use is there. */
export function fakeWaitlists(
  verbs: Pick<WaitlistVerbs, 'watchWaitlist' | 'leaveWaitlist' | 'getWaitlistEntry' | 'acceptOffer'>,
): ServiceImplementation {
  return implement(WaitlistServiceDefinition, {
    ...verbs,
    ...{ listWaitlist: absent, pauseWaitlist: absent, resumeWaitlist: absent },
    ...{ promoteWaiters: absent, endWaitlists: absent },
  });
}
