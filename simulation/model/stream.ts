import { storedTooLate } from '../../services/order/src/domain/claim-lateness.js';
import type { TriedClaim } from './claims.js';

export interface Message {
  readonly claim: TriedClaim;
  readonly notAfterMs: number;
  /** By the stream's own clock. */
  readonly storedAtMs: number;
}

/** The stream of claims: at least once, in any order. */
export class Stream {
  messages: Message[] = [];

  constructor(
    private readonly clock: () => number,
    private readonly aheadMs: number,
  ) {}

  store(claim: TriedClaim, notAfterMs: number): void {
    this.messages.push({ claim, notAfterMs, storedAtMs: this.clock() + this.aheadMs });
  }

  ack(message: Message): void {
    this.messages = this.messages.filter((other) => other !== message);
  }

  oldestStoredAtMs(): number | undefined {
    return this.messages.length === 0 ? undefined : Math.min(...this.messages.map(({ storedAtMs }) => storedAtMs));
  }
}

/** Until when a claim may have an effect, as the consumer reads its message: for ever, once it was stored in time. */
export function notAfterOf({ storedAtMs, notAfterMs }: Message): number | undefined {
  return storedTooLate(new Date(storedAtMs), new Date(notAfterMs)) ? notAfterMs : undefined;
}
