import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import {
  AckPolicy,
  type ConsumerInfo,
  createInbox,
  DeliverPolicy,
  type Msg,
  type NatsConnection,
  nanos,
  ReplayPolicy,
} from 'nats';
import type { Gauge } from 'prom-client';
import type { Logger } from '#libs/runtime/logger.js';
import type { Connection } from './connection.js';
import { Delivery, type DeliverySource } from './delivery.js';
import { Progress } from './progress.js';
import { dropAcknowledged, ensureStream, manager, type StreamSpec } from './stream.js';

export interface ConsumeOptions {
  /** Created when it is missing, at the beginning and whenever it vanished. */
  readonly stream: StreamSpec;
  /** The consumer's name. All processes that use it share the messages. */
  readonly durable: string;
  readonly filterSubject?: string;
  /** After this without an answer the server hands a message to another. */
  readonly ackWaitMs: number;
  /** Messages in this process at most, waiting and in hand. */
  readonly maxMessages: number;
  /** Messages without an answer at most, in all processes. */
  readonly maxAckPending: number;
  /**
   * Handles all that arrived while the last batch was handled, in order. It settles each delivery; when it rejects,
   * those it did not settle come again after a second.
   */
  readonly onBatch: (deliveries: Delivery[]) => Promise<void>;
  /** With messages pending and none delivered for this long, the consumer is looked at and asked anew. */
  readonly stalledAfterMs: number;
  /** Hears when the consumer is another one than before: it, or its stream, had vanished and was made again. */
  readonly onRemade?: () => void;
}

/** As the server last said: not yet delivered, delivered but not answered, and delivered more than once. */
export interface ConsumptionStats {
  readonly pending: number;
  readonly ackPending: number;
  readonly redelivered: number;
  /** For how long messages wait and none is delivered or answered, by anybody, in ms; undefined when that is not known now. */
  readonly stillMs: number | undefined;
}

const REPAIR_WAIT_MS = 200;
/** For so many ack-waits after a repair acknowledgements from before it may still arrive. */
const TIDY_ACK_WAITS = 3;
const FAILED_BATCH_DELAY_MS = 1_000;
/** Codes of what the server says about a pull. */
const HEARTBEAT = 100;
const PULL_ENDED = 408;

/**
 * A durable pull consumer with a bounded prefetch.
 *
 * 1. repair: stream and consumer are made or checked; this begins it all, and follows on every sign of trouble: a new
 *    connection, a status that is not about one pull, missed heartbeats, a stall, a consumer that is not found.
 * 2. pull: one request at a time asks for as many messages as there is room for.
 * 3. hand over: what has arrived goes to `onBatch`, one batch at a time; messages whose ack-wait ran out meanwhile do
 *    not, another has them by now.
 * 4. close: nothing more is pulled, the batch in hand ends, what waits is given back.
 */
export class Consumption {
  readonly #connection: Connection;
  readonly #options: ConsumeOptions;
  readonly #logger: Logger;
  readonly #lag: Gauge.Internal<string>;
  readonly #inbox = createInbox();
  readonly #heartbeatMs: number;
  /** How long a pull stays open: as long as one of a frozen process takes messages away from the others. */
  readonly #pullMs: number;
  readonly #stops: (() => void)[] = [];
  readonly #closing = new AbortController();
  readonly #progress: Progress;

  #source: StreamSource;
  #queue: Delivery[] = [];
  #inHand = 0;
  #handling: Promise<void> | undefined;
  /** Messages the open pull may still bring; 0 when none is open. */
  #requested = 0;
  #pullNumber = 0;
  #pulledAt = 0;
  #heardAt = 0;
  #deliveredAt = 0;
  #tidyUntil = 0;
  #repairing = false;
  #stats = { pending: 0, ackPending: 0, redelivered: 0 };

  constructor(connection: Connection, options: ConsumeOptions, logger: Logger, lag: Gauge) {
    this.#connection = connection;
    this.#options = options;
    this.#logger = logger.child({ stream: options.stream.name, durable: options.durable });
    this.#lag = lag.labels({ stream: options.stream.name, durable: options.durable });
    this.#heartbeatMs = Math.ceil(options.stalledAfterMs / 3);
    this.#pullMs = options.stalledAfterMs;
    this.#progress = new Progress(3 * this.#heartbeatMs);
    this.#source = new StreamSource(connection, this.#logger, '');
    this.#stops.push(connection.subscribe(`${this.#inbox}.*`, (message) => this.#onMessage(message)));
    this.#stops.push(connection.onConnected(() => void this.#repair('connected', 0)));
    const watching = setInterval(() => void this.#watch(), this.#heartbeatMs);
    this.#stops.push(() => clearInterval(watching));
  }

  stats(): ConsumptionStats {
    return { ...this.#stats, stillMs: this.#progress.stillMs(performance.now()) };
  }

  /** Whether messages can come: there is a connection, and stream and consumer are as they must be. */
  get running(): boolean {
    return this.#connection.client !== undefined && !this.#repairing;
  }

  /** Stops pulling, waits for the batch in hand, and gives back what is still waiting. */
  async close(): Promise<void> {
    this.#closing.abort();
    for (const stop of this.#stops) stop();
    await this.#handling;
    for (const delivery of this.#queue.splice(0)) delivery.nak(1);
  }

  /** `pauseMs` first: a server that is still deleting a stream takes files of a new one of the same name along. */
  async #repair(reason: string, pauseMs = REPAIR_WAIT_MS): Promise<void> {
    if (this.#repairing || this.#closing.signal.aborted) return;
    this.#repairing = true;
    this.#requested = 0;
    this.#logger.debug({ reason }, 'checking stream and consumer');
    await this.#pause(pauseMs);
    // Without a connection it is over: the next one begins another repair.
    for (let client = this.#connection.client; client; client = this.#connection.client) {
      if (this.#closing.signal.aborted) break;
      try {
        await this.#ensure(client);
        break;
      } catch (error) {
        this.#logger.warn({ err: error, reason }, 'stream or consumer cannot be used');
        await this.#pause(REPAIR_WAIT_MS);
      }
    }
    this.#repairing = false;
    this.#deliveredAt = performance.now();
    this.#tidyUntil = this.#deliveredAt + TIDY_ACK_WAITS * this.#options.ackWaitMs;
    this.#pull();
  }

  /** Waits, or until closing. */
  async #pause(pauseMs: number): Promise<void> {
    await delay(pauseMs, undefined, { signal: this.#closing.signal }).catch(() => undefined);
  }

  async #ensure(client: NatsConnection): Promise<void> {
    const { stream, durable, filterSubject, ackWaitMs, maxAckPending } = this.#options;
    const { created } = await ensureStream(client, stream);
    if (created !== this.#source.created) {
      this.#source.valid = false;
      this.#queue = [];
      this.#source = new StreamSource(this.#connection, this.#logger, created);
    }
    const { consumers } = await manager(client);
    // Makes it, leaves it, or changes what may be changed; a difference that may not is an error.
    const info = await consumers.add(stream.name, {
      durable_name: durable,
      ...(filterSubject !== undefined && { filter_subject: filterSubject }),
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanos(ackWaitMs),
      max_ack_pending: maxAckPending,
      max_deliver: -1,
      deliver_policy: DeliverPolicy.All,
      replay_policy: ReplayPolicy.Instant,
    });
    this.#saw(info);
  }

  #saw(info: ConsumerInfo): void {
    if (this.#progress.saw(info, performance.now())) this.#options.onRemade?.();
  }

  #pull(): void {
    const client = this.#connection.client;
    const room = this.#options.maxMessages - this.#queue.length - this.#inHand;
    if (!client || this.#repairing || this.#closing.signal.aborted || this.#requested > 0 || room <= 0) return;
    this.#requested = room;
    this.#pullNumber += 1;
    this.#pulledAt = performance.now();
    this.#heardAt = this.#pulledAt;
    const request = { batch: room, expires: nanos(this.#pullMs), idle_heartbeat: nanos(this.#heartbeatMs) };
    client.publish(
      `$JS.API.CONSUMER.MSG.NEXT.${this.#options.stream.name}.${this.#options.durable}`,
      JSON.stringify(request),
      { reply: `${this.#inbox}.${this.#pullNumber}` },
    );
  }

  #onMessage(message: Msg): void {
    this.#heardAt = performance.now();
    if (message.subject.startsWith(this.#inbox)) {
      this.#onStatus(message);
      return;
    }
    this.#deliveredAt = this.#heardAt;
    this.#requested = Math.max(0, this.#requested - 1);
    this.#queue.push(new Delivery(message, this.#source));
    this.#handOver();
    this.#pull();
  }

  #onStatus(message: Msg): void {
    const code = message.headers?.code;
    const isOfOpenPull = message.subject === `${this.#inbox}.${this.#pullNumber}`;
    if (code === HEARTBEAT || !isOfOpenPull) return;
    this.#requested = 0;
    if (code === PULL_ENDED) this.#pull();
    else void this.#repair(`${code} ${message.headers?.description}`);
  }

  #handOver(): void {
    this.#handling ??= this.#handleAll().finally(() => {
      this.#handling = undefined;
    });
  }

  async #handleAll(): Promise<void> {
    while (this.#queue.length > 0 && !this.#closing.signal.aborted) {
      // Lets everything that arrived with the first message join it.
      await new Promise(setImmediate);
      const batch = this.#queue.splice(0).filter((delivery) => delivery.unansweredMs() < this.#options.ackWaitMs);
      this.#inHand = batch.length;
      if (batch.length > 0) await this.#handle(batch);
      this.#inHand = 0;
      this.#pull();
    }
  }

  async #handle(batch: Delivery[]): Promise<void> {
    try {
      await this.#options.onBatch(batch);
    } catch (error) {
      this.#logger.error({ err: error, messages: batch.length }, 'a batch failed; what it left comes again');
      for (const delivery of batch) delivery.nak(FAILED_BATCH_DELAY_MS);
    }
  }

  /** Once per heartbeat: asks the server how things stand, and sees what goes wrong without anybody saying so. */
  async #watch(): Promise<void> {
    const client = this.#connection.client;
    if (!client || this.#repairing) return;
    try {
      const { consumers } = await manager(client);
      const info = await consumers.info(this.#options.stream.name, this.#options.durable);
      this.#stats = {
        pending: info.num_pending,
        ackPending: info.num_ack_pending,
        redelivered: info.num_redelivered,
      };
      this.#lag.set(info.num_pending + info.num_ack_pending);
      this.#saw(info);
      if (performance.now() < this.#tidyUntil) await this.#tidy(client, info);
    } catch (error) {
      await this.#repair(`cannot be asked: ${error instanceof Error ? error.message : error}`);
      return;
    }
    const trouble = this.#trouble(performance.now());
    if (trouble) await this.#repair(trouble);
  }

  /** Of a stream that several consumers share each knows only its own part. */
  async #tidy(client: NatsConnection, info: ConsumerInfo): Promise<void> {
    if (this.#options.filterSubject === undefined) await dropAcknowledged(client, this.#options.stream, info);
  }

  #trouble(now: number): string | undefined {
    if (this.#requested === 0) return undefined;
    if (now - this.#heardAt > 3 * this.#heartbeatMs) return 'heartbeats missed';
    if (now - this.#pulledAt > 2 * this.#pullMs) return 'a pull without an end';
    const stalled = now - this.#deliveredAt > this.#options.stalledAfterMs;
    return stalled && this.#stats.pending > 0 ? 'messages pending, none delivered' : undefined;
  }
}

/** The stream as it was made at one time. */
class StreamSource implements DeliverySource {
  valid = true;

  constructor(
    private readonly connection: Connection,
    private readonly logger: Logger,
    /** When the stream was made; empty before it is known. */
    readonly created: string,
  ) {}

  reply(subject: string, text: string): void {
    this.connection.client?.publish(subject, text);
  }

  terminated({ subject, sequence }: Delivery, reason: string): void {
    this.logger.warn({ subject, sequence, reason }, 'message terminated');
  }
}
