import { AckPolicy, type ConsumerMessages, type JetStreamManager } from 'nats';
import { WaitlistChanged } from '#libs/contracts/gen/holdfast/event/v1/waitlist_event.js';
import { WaitlistState } from '#libs/contracts/gen/holdfast/waitlist/v1/waitlist.js';
import { orderEventsStream } from '#libs/contracts/subjects.js';

/** What ended somebody's wait; `orderId` where it was an offer. */
export interface Word {
  state: 'OFFERED' | 'LEFT' | 'ENDED';
  orderId: string;
}

const WORDS = new Map<WaitlistState, Word['state']>([
  [WaitlistState.WAITLIST_STATE_OFFERED, 'OFFERED'],
  [WaitlistState.WAITLIST_STATE_LEFT, 'LEFT'],
  [WaitlistState.WAITLIST_STATE_ENDED, 'ENDED'],
]);

/** Hears on the bus what a sender of messages to phones would hear, and tells everybody who waits. */
export class Offers {
  readonly #words = new Map<string, Word>();
  readonly #listeners = new Map<string, (word: Word) => void>();

  private constructor(private readonly messages: ConsumerMessages) {
    void this.#hear();
  }

  static async open(streams: JetStreamManager): Promise<Offers> {
    const config = { ack_policy: AckPolicy.None, filter_subject: 'waitlist.v1.>', inactive_threshold: 60e9 };
    const { name } = await streams.consumers.add(orderEventsStream, config);
    const consumer = await streams.jetstream().consumers.get(orderEventsStream, name);
    return new Offers(await consumer.consume());
  }

  /** What ended the wait of an entry, as soon as it is told. */
  word(entryId: string): Promise<Word> {
    const known = this.#words.get(entryId);
    if (known) return Promise.resolve(known);
    return new Promise((resolve) => this.#listeners.set(entryId, resolve));
  }

  close(): void {
    this.messages.stop();
  }

  async #hear(): Promise<void> {
    for await (const { data } of this.messages) {
      const { entryId, state, orderId } = WaitlistChanged.decode(data);
      const told = WORDS.get(state);
      if (told === undefined || this.#words.has(entryId)) continue;
      const word = { state: told, orderId };
      this.#words.set(entryId, word);
      this.#listeners.get(entryId)?.(word);
    }
  }
}
