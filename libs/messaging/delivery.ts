import { performance } from 'node:perf_hooks';
import type { Msg } from 'nats';
import { tracing } from '#libs/tracing/tracing.js';

/** Where a delivery's answers go, and whether they still mean anything. */
export interface DeliverySource {
  /** False once the stream was made anew: its sequence numbers name other messages now, and an answer would hit one. */
  readonly valid: boolean;
  reply(subject: string, text: string): void;
  terminated(delivery: Delivery, reason: string): void;
}

/**
 * One message in the hands of one consumer. Whoever gets it settles it once: `ack`, `nak` or `term`; later answers do
 * nothing. Answers are sent and forgotten: a lost one means that the message comes again.
 */
export class Delivery {
  readonly data: Uint8Array;
  readonly subject: string;
  /** When the stream stored it, by the stream's clock. */
  readonly storedAt: Date;
  /** Its place in the stream. */
  readonly sequence: number;
  /** 1 for the first time it is handed out. */
  readonly deliveries: number;
  readonly #message: Msg;
  readonly #reply: string;
  readonly #source: DeliverySource;
  readonly #arrivedAt = performance.now();
  #extendedAt = this.#arrivedAt;
  #settled = false;

  constructor(message: Msg, source: DeliverySource) {
    const info = parseReply(message.reply ?? '');
    this.data = message.data;
    this.subject = message.subject;
    this.storedAt = new Date(info.storedAtMs);
    this.sequence = info.sequence;
    this.deliveries = info.deliveries;
    this.#message = message;
    this.#reply = message.reply ?? '';
    this.#source = source;
  }

  /** A header of the message; undefined when it has none of that name. */
  header(name: string): string | undefined {
    return this.#message.headers?.get(name) || undefined;
  }

  /** Does the work on it, as a part of the trace in which it was sent. */
  async process(work: () => Promise<void>): Promise<void> {
    const traceparent = tracing && this.header('traceparent');
    if (tracing === undefined || traceparent === undefined) return work();
    const attributes = {
      'messaging.system': 'nats',
      'messaging.destination.name': this.subject,
      'messaging.operation.type': 'process',
      'messaging.operation.name': 'process',
    };
    const span = tracing.arrived('CONSUMER', `process ${this.subject}`, attributes, traceparent);
    await span.within(work).finally(() => span.end());
  }

  /** Milliseconds since it arrived in this process. */
  ageMs(): number {
    return performance.now() - this.#arrivedAt;
  }

  /** Milliseconds since the server began to wait for its answer. */
  unansweredMs(): number {
    return performance.now() - this.#extendedAt;
  }

  /** Done: it does not come again. */
  ack(): void {
    this.#settle('+ACK');
  }

  /** Not done: it comes again, to anyone, after `delayMs`. Never at once: that would burn through every try. */
  nak(delayMs: number): void {
    this.#settle(`-NAK {"delay":${Math.max(1, Math.round(delayMs)) * 1_000_000}}`);
  }

  /** Cannot be done by anyone: it does not come again. The reason goes to the log. */
  term(reason: string): void {
    if (this.#settled) return;
    this.#settle('+TERM');
    this.#source.terminated(this, reason);
  }

  /** Still at it: the server waits another ack-wait from now. */
  working(): void {
    if (this.#settled || !this.#source.valid) return;
    this.#extendedAt = performance.now();
    this.#source.reply(this.#reply, '+WPI');
  }

  #settle(answer: string): void {
    if (this.#settled) return;
    this.#settled = true;
    if (this.#source.valid) this.#source.reply(this.#reply, answer);
  }
}

/**
 * `$JS.ACK.<stream>.<consumer>.<deliveries>.<stream sequence>.<consumer sequence>.<nanoseconds>.<pending>`, and in
 * newer servers `$JS.ACK.<domain>.<account>.` before the stream and a token at the end.
 */
function parseReply(reply: string): { deliveries: number; sequence: number; storedAtMs: number } {
  const tokens = reply.split('.');
  const first = tokens.length === 9 ? 4 : 6;
  return {
    deliveries: Number(tokens[first]),
    sequence: Number(tokens[first + 1]),
    // Nanoseconds are beyond what a number holds exactly.
    storedAtMs: Number((tokens[first + 3] ?? '').slice(0, -6)),
  };
}
