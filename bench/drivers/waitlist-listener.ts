import { setTimeout as pause } from 'node:timers/promises';
import { AckPolicy, type ConsumerMessages, connect, DeliverPolicy, type NatsConnection } from 'nats';
import { WaitlistChanged } from '#libs/contracts/gen/holdfast/event/v1/waitlist_event.js';
import { WaitlistState } from '#libs/contracts/gen/holdfast/waitlist/v1/waitlist.js';
import { orderEventsStream } from '#libs/contracts/subjects.js';

const lookEveryMs = 20;

/** Somebody who tells users of their places in line: reads the events of all waitlists as they come. */
export class WaitlistListener {
  /** Entries that joined. */
  joined = 0;
  /** From each promotion until it was heard of, in milliseconds, in the order in which they were. */
  readonly offerMs: number[] = [];

  #messages: ConsumerMessages | undefined;

  private constructor(private readonly connection: NatsConnection) {}

  /** Hears of everything that the stream has and will have. */
  static async open(natsUrl: string): Promise<WaitlistListener> {
    const connection = await connect({ servers: natsUrl });
    const listener = new WaitlistListener(connection);
    const manager = await connection.jetstreamManager();
    const { name } = await manager.consumers.add(orderEventsStream, {
      filter_subject: 'waitlist.v1.>',
      ack_policy: AckPolicy.None,
      deliver_policy: DeliverPolicy.All,
    });
    const consumer = await connection.jetstream().consumers.get(orderEventsStream, name);
    listener.#messages = await consumer.consume({
      callback: ({ data }) => listener.#hear(WaitlistChanged.decode(data)),
    });
    return listener;
  }

  /** Resolves when it has heard of so many; rejects when that takes too long. */
  async heard(what: { joined: number; offers: number }, withinMs: number): Promise<void> {
    const until = performance.now() + withinMs;
    while (this.joined < what.joined || this.offerMs.length < what.offers) {
      if (performance.now() > until) {
        throw new Error(
          `after ${withinMs} ms it has heard of ${this.joined} entries and ${this.offerMs.length} offers`,
        );
      }
      await pause(lookEveryMs);
    }
  }

  async close(): Promise<void> {
    await this.#messages?.close();
    await this.connection.close();
  }

  /** The event says when the ledger changed the entry, just before the commit; both clocks are this machine's. */
  #hear({ state, changedAt }: WaitlistChanged): void {
    if (state === WaitlistState.WAITLIST_STATE_WAITING) this.joined += 1;
    if (state === WaitlistState.WAITLIST_STATE_OFFERED)
      this.offerMs.push(Date.now() - (changedAt?.getTime() ?? Number.NaN));
  }
}
