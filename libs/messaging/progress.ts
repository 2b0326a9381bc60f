/** What the server says of a consumer, as far as it tells whether anything moves. */
interface Seen {
  readonly created: string;
  readonly delivered: { readonly consumer_seq: number };
  readonly ack_floor: { readonly consumer_seq: number };
  readonly num_pending: number;
  readonly num_ack_pending: number;
}

/**
 * Follows how long a consumer has messages and none of them moves, in whichever process. Instants are monotonic, in
 * milliseconds. Only what was looked at counts: after a gap it begins anew, since anything may have moved in it.
 */
export class Progress {
  #created: string | undefined;
  #place = '';
  #stillSince = 0;
  #seenAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly longestGapMs: number) {}

  /** Notes how it stands; true when it is another consumer than the one that was seen before, of the same name. */
  saw({ created, delivered, ack_floor, num_pending, num_ack_pending }: Seen, nowMs: number): boolean {
    const isAnother = this.#created !== undefined && this.#created !== created;
    const place = [delivered.consumer_seq, ack_floor.consumer_seq, num_ack_pending].join();
    const isIdle = num_pending + num_ack_pending === 0;
    if (isIdle || isAnother || place !== this.#place || !this.isKnown(nowMs)) this.#stillSince = nowMs;
    this.#created = created;
    this.#place = place;
    this.#seenAt = nowMs;
    return isAnother;
  }

  /** Whether it was looked at lately. */
  isKnown(nowMs: number): boolean {
    return nowMs - this.#seenAt <= this.longestGapMs;
  }

  /** For how long messages wait and none moves; undefined when nobody knows. */
  stillMs(nowMs: number): number | undefined {
    return this.isKnown(nowMs) ? this.#seenAt - this.#stillSince : undefined;
  }
}
