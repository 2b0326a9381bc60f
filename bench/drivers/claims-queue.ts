import { setTimeout as pause } from 'node:timers/promises';
import {
  connect,
  DiscardPolicy,
  type JetStreamClient,
  type JetStreamManager,
  type NatsConnection,
  RetentionPolicy,
  StorageType,
} from 'nats';

const lookEveryMs = 20;
const publishesInFlight = 256;

/** The bench's own connection to a work queue of claims: fills it and sees it run dry. */
export class ClaimsQueue {
  private constructor(
    private readonly connection: NatsConnection,
    private readonly jetStream: JetStreamClient,
    private readonly manager: JetStreamManager,
    readonly stream: string,
    readonly subject: string,
  ) {}

  static async open(natsUrl: string, stream: string, subject: string): Promise<ClaimsQueue> {
    const connection = await connect({ servers: natsUrl });
    const manager = await connection.jetstreamManager();
    return new ClaimsQueue(connection, connection.jetstream(), manager, stream, subject);
  }

  /** Makes the stream as the order service makes its own: a work queue on disk that refuses what it has no room for. */
  async create(): Promise<void> {
    await this.manager.streams.add({
      name: this.stream,
      subjects: [this.subject],
      retention: RetentionPolicy.Workqueue,
      storage: StorageType.File,
      discard: DiscardPolicy.New,
    });
  }

  /** Resolves when the stream has them all, in this order. */
  async store(messages: Uint8Array[]): Promise<void> {
    for (let from = 0; from < messages.length; from += publishesInFlight) {
      const some = messages.slice(from, from + publishesInFlight);
      await Promise.all(some.map((message) => this.jetStream.publish(this.subject, message)));
    }
  }

  /** Resolves when every message has been acked, and with that is gone; rejects when that takes too long. */
  async drained(timeoutMs: number): Promise<void> {
    const deadline = Date.now() + timeoutMs;
    for (;;) {
      const { messages } = (await this.manager.streams.info(this.stream)).state;
      if (messages === 0) return;
      if (Date.now() > deadline)
        throw new Error(`${messages} messages of ${this.stream} are left after ${timeoutMs} ms`);
      await pause(lookEveryMs);
    }
  }

  /** Reads all messages that it has; they stay. */
  async read(): Promise<Uint8Array[]> {
    const { first_seq: first, last_seq: last } = (await this.manager.streams.info(this.stream)).state;
    const found: Uint8Array[] = [];
    for (let from = first; from <= last; from += publishesInFlight) {
      const count = Math.min(publishesInFlight, last - from + 1);
      const some = Array.from({ length: count }, (_, n) =>
        this.manager.streams.getMessage(this.stream, { seq: from + n }),
      );
      found.push(...(await Promise.all(some)).map(({ data }) => data));
    }
    return found;
  }

  /** Puts one message into the stream, and resolves when it has it. */
  async publish(message: Uint8Array): Promise<void> {
    await this.jetStream.publish(this.subject, message);
  }

  /** Forgets all messages. */
  async purge(): Promise<void> {
    await this.manager.streams.purge(this.stream);
  }

  async close(): Promise<void> {
    await this.connection.close();
  }
}
