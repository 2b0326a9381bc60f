import type { DeadLetter } from '#libs/ledger/dead-letters.js';
import type { Delivery } from '#libs/messaging/messaging.js';
import { faultOf } from '#libs/refusal/fault.js';
import type { Pace } from '../domain/pace.js';
import { redeliveryDelayMs } from '../domain/redelivery.js';
import type { Admission } from './admission.js';
import type { ClaimInHand } from './admit-claims.js';

/** Claims whose turn has not come are not taken for ones that nobody sees to. */
const ALIVE_EVERY_MS = 200;

/** A message as it was read: what can be decided, and what can only be kept for an operator. */
export interface ClaimsMessage {
  readonly claims: readonly ClaimInHand[];
  readonly unreadable: readonly Omit<DeadLetter, 'subject'>[];
}

/** As much of a delivery as is needed here. */
export type ClaimsDelivery = Pick<
  Delivery,
  'data' | 'subject' | 'storedAt' | 'deliveries' | 'unansweredMs' | 'process' | 'ack' | 'nak' | 'working'
>;

export interface ConsumerPorts {
  readonly admission: Pick<Admission, 'admit' | 'room'>;
  readonly read: (delivery: ClaimsDelivery) => ClaimsMessage;
  readonly deadLetterAdd: (letter: DeadLetter) => Promise<void>;
  /** Hears of every message that could not be dealt with now. */
  readonly givenBack: () => void;
  /** Tells whoever waits for claims of this subject that they are seen to, though none is decided now. */
  readonly alive: (subject: string) => void;
  readonly pace: Pick<Pace, 'book'>;
  /** After so long without an answer a message goes to another process. */
  readonly ackWaitMs: number;
  readonly nowMs: () => number;
  /** Resolves after so long, or as soon as the signal aborts. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Takes messages off the stream and lets go of each only after all it carries is decided and published, or kept among
 * the dead letters. If it dies before, the message comes again and the rows say what was decided.
 */
export class ClaimConsumer {
  readonly #ports: ConsumerPorts;
  readonly #inHand = new Set<Promise<void>>();
  readonly #hurry = new AbortController();

  constructor(ports: ConsumerPorts) {
    this.#ports = ports;
  }

  /** Takes messages in hand as there is room for their claims and their turn has come; resolves when it has them all. */
  async take(deliveries: readonly ClaimsDelivery[]): Promise<void> {
    for (const [index, delivery] of deliveries.entries()) {
      await this.#ports.admission.room();
      const message = this.#read(delivery);
      if (message === undefined) continue;
      const waiting = deliveries.slice(index);
      if (!(await this.#turnOf(message, waiting))) {
        for (const each of waiting) this.#giveBack(each);
        return;
      }
      const done = delivery.process(() => this.#handle(delivery, message)).finally(() => this.#inHand.delete(done));
      this.#inHand.add(done);
    }
  }

  /** From now on messages whose turn has not come are given back, so that nobody waits for them. */
  hurry(): void {
    this.#hurry.abort();
  }

  /** Resolves when every message in hand was let go or given back. Stop taking first. */
  async drain(): Promise<void> {
    await Promise.all(this.#inHand);
  }

  #read(delivery: ClaimsDelivery): ClaimsMessage | undefined {
    try {
      return this.#ports.read(delivery);
    } catch {
      this.#giveBack(delivery);
      return undefined;
    }
  }

  /** Waits for the turn of a message, and keeps those that wait with it from going to others. False: it has none any more. */
  async #turnOf({ claims }: ClaimsMessage, waiting: readonly ClaimsDelivery[]): Promise<boolean> {
    const { pace, ackWaitMs, nowMs, wait } = this.#ports;
    const { signal } = this.#hurry;
    const bookedMs = nowMs();
    const turnMs = bookedMs + pace.book(claims.length, bookedMs);
    for (let leftMs = turnMs - nowMs(); leftMs > 0; leftMs = turnMs - nowMs()) {
      if (signal.aborted) return false;
      for (const delivery of waiting) if (delivery.unansweredMs() > ackWaitMs / 3) delivery.working();
      this.#tellAlive(waiting[0]);
      await wait(Math.min(leftMs, ackWaitMs / 3, ALIVE_EVERY_MS), signal);
    }
    return true;
  }

  #tellAlive(delivery: ClaimsDelivery | undefined): void {
    if (delivery) this.#ports.alive(delivery.subject);
  }

  async #handle(delivery: ClaimsDelivery, { claims, unreadable }: ClaimsMessage): Promise<void> {
    if (claims.length + unreadable.length === 0) this.#tellAlive(delivery);
    try {
      const verdicts = await Promise.all(claims.map((claim) => this.#ports.admission.admit(claim)));
      if (verdicts.some((verdict) => verdict.kind === 'LATER')) return this.#giveBack(delivery);
      for (const letter of unreadable) await this.#ports.deadLetterAdd({ subject: delivery.subject, ...letter });
      delivery.ack();
    } catch (error) {
      // A message that waited too long is no longer ours to give back.
      if (faultOf(error).reason !== 'TOO_LATE') this.#giveBack(delivery);
    }
  }

  #giveBack(delivery: ClaimsDelivery): void {
    this.#ports.givenBack();
    delivery.nak(redeliveryDelayMs(delivery.deliveries));
  }
}
