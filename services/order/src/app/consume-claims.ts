import type { DeadLetter } from '#libs/ledger/dead-letters.js';
import type { Delivery } from '#libs/messaging/messaging.js';
import { faultOf } from '#libs/refusal/fault.js';
import { redeliveryDelayMs } from '../domain/redelivery.js';
import type { Admission } from './admission.js';
import type { ClaimInHand } from './admit-claims.js';

/** A message as it was read: what can be decided, and what can only be kept for an operator. */
export interface ClaimsMessage {
  readonly claims: readonly ClaimInHand[];
  readonly unreadable: readonly Omit<DeadLetter, 'subject'>[];
}

/** As much of a delivery as is needed here. */
export type ClaimsDelivery = Pick<
  Delivery,
  'data' | 'subject' | 'storedAt' | 'deliveries' | 'unansweredMs' | 'ack' | 'nak'
>;

export interface ConsumerPorts {
  readonly admission: Pick<Admission, 'admit' | 'room'>;
  readonly read: (delivery: ClaimsDelivery) => ClaimsMessage;
  readonly deadLetterAdd: (letter: DeadLetter) => Promise<void>;
  /** Hears of every message that could not be dealt with now. */
  readonly givenBack: () => void;
}

/**
 * Takes messages off the stream and lets go of each only after all it carries is decided and published, or kept among
 * the dead letters. If it dies before, the message comes again and the rows say what was decided.
 */
export class ClaimConsumer {
  readonly #ports: ConsumerPorts;
  readonly #inHand = new Set<Promise<void>>();

  constructor(ports: ConsumerPorts) {
    this.#ports = ports;
  }

  /** Takes messages in hand as there is room for their claims; resolves when it has them all. */
  async take(deliveries: readonly ClaimsDelivery[]): Promise<void> {
    for (const delivery of deliveries) {
      await this.#ports.admission.room();
      const done = this.#handle(delivery).finally(() => this.#inHand.delete(done));
      this.#inHand.add(done);
    }
  }

  /** Resolves when every message in hand was let go or given back. Stop taking first. */
  async drain(): Promise<void> {
    await Promise.all(this.#inHand);
  }

  async #handle(delivery: ClaimsDelivery): Promise<void> {
    try {
      const { claims, unreadable } = this.#ports.read(delivery);
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
