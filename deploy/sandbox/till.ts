import { createHash } from 'node:crypto';

/** A way to pay that was opened for one attempt of one order. */
export interface Session {
  readonly sessionId: string;
  readonly orderId: string;
  readonly attempt: number;
  readonly amountMinor: number;
  readonly currency: string;
  readonly endsAt: Date;
  state: 'OPEN' | 'CAPTURED' | 'ENDED';
}

/** Money that was taken, or was not. */
export interface Payment {
  readonly paymentId: string;
  readonly sessionId: string;
  readonly orderId: string;
  readonly attempt: number;
  readonly amountMinor: number;
  readonly currency: string;
  readonly outcome: 'CAPTURED' | 'FAILED';
  readonly at: Date;
}

/** Money that went back. */
export interface Refund {
  readonly refundId: string;
  readonly orderId: string;
  readonly number: number;
  readonly paymentId: string;
  readonly amountMinor: number;
  readonly currency: string;
  readonly at: Date;
}

/** How a customer presses the button. */
export interface Press {
  readonly outcome: 'CAPTURED' | 'FAILED';
  /** Takes another amount or currency than was asked for. */
  readonly amountMinor?: number;
  readonly currency?: string;
  /** Takes the money although the session ended, or has paid before: what a provider is not to do, and does. */
  readonly evenIfEnded?: boolean;
}

/** The sandbox says no: there is no such thing, or not any more, or it is another one. */
export class TillRefusal extends Error {
  override readonly name = 'TillRefusal';

  constructor(
    readonly status: 404 | 409,
    message: string,
  ) {
    super(message);
  }
}

/** The books of a provider that plays: sessions, payments and refunds, in memory. Every call may be sent again. */
export class Till {
  readonly #sessions = new Map<string, Session>();
  readonly #payments: Payment[] = [];
  readonly #refunds = new Map<string, Refund>();

  constructor(private readonly now: () => Date) {}

  /** The session of the attempt, opened when it is the first call. Another amount for the same attempt is refused. */
  open(wanted: Omit<Session, 'sessionId' | 'state'>): Session {
    const sessionId = named('cs', wanted.orderId, wanted.attempt);
    const known = this.#sessions.get(sessionId);
    if (known === undefined) {
      const session: Session = { ...wanted, sessionId, state: 'OPEN' };
      this.#sessions.set(sessionId, session);
      return session;
    }
    const isSame = known.amountMinor === wanted.amountMinor && known.currency === wanted.currency;
    if (!isSame) throw new TillRefusal(409, 'the attempt was opened for another amount');
    return known;
  }

  session(sessionId: string): Session {
    const session = this.#sessions.get(sessionId);
    if (session === undefined) throw new TillRefusal(404, 'there is no such session');
    return session;
  }

  /** Takes no more money by it. One that this sandbox forgot when it was started again has ended, too. */
  end(sessionId: string): void {
    const session = this.#sessions.get(sessionId);
    if (session?.state === 'OPEN') session.state = 'ENDED';
  }

  /** What the customer's press comes to. One that has paid or ended is refused. */
  press(sessionId: string, press: Press): Payment {
    const session = this.session(sessionId);
    const at = this.now();
    if (press.evenIfEnded !== true) {
      if (session.state === 'CAPTURED') throw new TillRefusal(409, 'it is paid already');
      if (session.state === 'ENDED' || at >= session.endsAt) throw new TillRefusal(409, 'the session has ended');
    }
    const { orderId, attempt } = session;
    const payment: Payment = {
      ...{ sessionId, orderId, attempt, outcome: press.outcome, at },
      paymentId: named('pay', sessionId, this.#payments.length + 1, at.getTime()),
      amountMinor: press.amountMinor ?? session.amountMinor,
      currency: press.currency ?? session.currency,
    };
    if (press.outcome === 'CAPTURED') session.state = 'CAPTURED';
    this.#payments.push(payment);
    return payment;
  }

  /** Gives money back, once for each number of an order. `isNew`: this call did it. */
  refund(wanted: Omit<Refund, 'refundId' | 'at'>): { refund: Refund; isNew: boolean } {
    const refundId = named('re', wanted.orderId, wanted.number);
    const known = this.#refunds.get(refundId);
    if (known !== undefined) return { refund: known, isNew: false };
    const refund = { ...wanted, refundId, at: this.now() };
    this.#refunds.set(refundId, refund);
    return { refund, isNew: true };
  }

  /** Everything about an order. */
  ofOrder(orderId: string): { sessions: Session[]; payments: Payment[]; refunds: Refund[] } {
    const isOf = (one: { orderId: string }): boolean => one.orderId === orderId;
    return {
      sessions: [...this.#sessions.values()].filter(isOf),
      payments: this.#payments.filter(isOf),
      refunds: [...this.#refunds.values()].filter(isOf),
    };
  }
}

/** The same for the same, so that a sandbox that was started again gives the same names. */
function named(prefix: string, ...parts: readonly (string | number)[]): string {
  return `${prefix}_${createHash('sha256').update(parts.join(' ')).digest('base64url').slice(0, 20)}`;
}
