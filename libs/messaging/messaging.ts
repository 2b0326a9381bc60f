import { headers, type MsgHdrs, type NatsConnection } from 'nats';
import type { Counter, Gauge, Histogram } from 'prom-client';
import { Fault, faultOf } from '#libs/refusal/fault.js';
import type { Logger } from '#libs/runtime/logger.js';
import type { Metrics } from '#libs/runtime/metrics.js';
import { tracing } from '#libs/tracing/tracing.js';
import { Acknowledgements, type Stored } from './acknowledgements.js';
import { Connection, type ConnectionOptions } from './connection.js';
import { type ConsumeOptions, Consumption } from './consumption.js';
import { ensureStream, messagesIn, oldestStoredAt, type StreamSpec } from './stream.js';

export type { ConsumeOptions, Consumption } from './consumption.js';
export type { Delivery } from './delivery.js';
export type { StreamSpec } from './stream.js';

export interface MessagingOptions extends ConnectionOptions {
  readonly metrics: Metrics;
}

/** Header names and values of a message. */
export type Headers = Readonly<Record<string, string>>;

export interface StoreOptions {
  /** For the stream's word that it has the message. */
  readonly timeoutMs: number;
  /** A second message with this id within the stream's duplicate window is not stored. */
  readonly messageId?: string;
  readonly headers?: Headers;
}

/** Messages between processes: told once to whoever listens, or kept in streams until somebody is done with them. */
export class Messaging {
  readonly #connection: Connection;
  readonly #logger: Logger;
  readonly #storeSeconds: Histogram;
  readonly #stored: Counter;
  readonly #lag: Gauge;
  readonly #acknowledgements: Acknowledgements;

  constructor({ metrics, ...options }: MessagingOptions) {
    this.#logger = options.logger;
    this.#connection = new Connection(options);
    this.#acknowledgements = new Acknowledgements(this.#connection);
    this.#storeSeconds = metrics.histogram('messaging_store_seconds', 'From publishing to the word of the stream');
    this.#stored = metrics.counter('messaging_stored_total', 'Messages that a stream was asked to keep', ['outcome']);
    this.#lag = metrics.gauge('messaging_consumer_lag', 'Messages that a consumer is not done with', [
      'stream',
      'durable',
    ]);
  }

  /** False while no server can be reached. */
  get connected(): boolean {
    return this.#connection.client !== undefined;
  }

  /** Tells whoever listens now; sent and forgotten, dropped while not connected. */
  publish(subject: string, data: Uint8Array): void {
    this.#connection.client?.publish(subject, data);
  }

  /** Hears a subject (`*` and `>` as wildcards) whenever connected. Returns how to stop. */
  subscribe(subject: string, handler: (data: Uint8Array, subject: string) => void): () => void {
    return this.#connection.subscribe(subject, (message) => handler(message.data, message.subject));
  }

  /**
   * Puts a message into the stream that covers its subject, and resolves with the stream's word that it has it.
   *
   * Rejects with Fault UNAVAILABLE when that word did not come: it may be stored all the same. With Fault BUSY when the
   * stream refused it as full: it is not stored.
   */
  async store(subject: string, data: Uint8Array, options: StoreOptions): Promise<Stored> {
    const client = this.#connectedClient();
    const stop = this.#storeSeconds.startTimer();
    const span = tracing?.asks('PRODUCER', `publish ${subject}`, {
      'messaging.system': 'nats',
      'messaging.destination.name': subject,
      'messaging.operation.type': 'send',
      'messaging.operation.name': 'publish',
    });
    try {
      const word = await this.#acknowledgements.of(options.timeoutMs, (reply) =>
        client.publish(subject, data, { reply, headers: toHeaders(options, span?.traceparent) }),
      );
      this.#stored.inc({ outcome: 'stored' });
      return word;
    } catch (thrown) {
      this.#stored.inc({ outcome: faultOf(thrown).reason === 'BUSY' ? 'refused' : 'unknown' });
      span?.fail(thrown);
      throw thrown;
    } finally {
      stop();
      span?.end();
    }
  }

  /** Creates a stream or brings it to its spec; see StreamSpec. Fault UNAVAILABLE while not connected. */
  async ensureStream(spec: StreamSpec): Promise<void> {
    await ensureStream(this.#connectedClient(), spec);
  }

  /**
   * When the stream stored the oldest message that it still has, by its own clock; undefined when it is empty. Rejects
   * while not connected, and when there is no such stream.
   */
  async oldestStoredAt(stream: string): Promise<Date | undefined> {
    return await oldestStoredAt(this.#connectedClient(), stream);
  }

  /** How many messages a stream has. Rejects while not connected, and when there is no such stream. */
  async messagesIn(stream: string): Promise<number> {
    return await messagesIn(this.#connectedClient(), stream);
  }

  /** Begins to consume as soon as there is a connection, and goes on through everything until closed. */
  consume(options: ConsumeOptions): Consumption {
    return new Consumption(this.#connection, options, this.#logger, this.#lag);
  }

  /** Sends what was published so far and disconnects. Consumptions are closed before. */
  async close(): Promise<void> {
    await this.#connection.close();
    this.#acknowledgements.close();
  }

  #connectedClient(): NatsConnection {
    const { client } = this.#connection;
    if (!client) throw new Fault('UNAVAILABLE', 'nats cannot be reached');
    return client;
  }
}

/** Returns at once: it serves while NATS is away, and connects when it can. */
export function connectMessaging(options: MessagingOptions): Messaging {
  return new Messaging(options);
}

function toHeaders({ messageId, headers: given = {} }: StoreOptions, traceparent: string | undefined): MsgHdrs {
  const result = headers();
  if (traceparent !== undefined) result.append('traceparent', traceparent);
  if (messageId !== undefined) result.append('Nats-Msg-Id', messageId);
  for (const name in given) result.append(name, given[name] ?? '');
  return result;
}
