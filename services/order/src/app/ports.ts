/** What an order wants of a provider: one way to pay it, until its hold ends. */
export interface SessionWanted {
  readonly orderId: string;
  /** 1, 2, … of the order. */
  readonly attempt: number;
  readonly amountMinor: number;
  readonly currency: string;
  readonly endsAt: Date;
}

/** A way to pay that the provider keeps open. */
export interface OpenedSession {
  readonly sessionId: string;
  /** Where the customer pays; empty when the parameters are enough. */
  readonly url: string;
  /** What the provider's wallet or page needs, as the provider gave it. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** Money that is to go back. */
export interface RefundWanted {
  readonly orderId: string;
  /** Names the refund among those of the order. */
  readonly number: number;
  readonly providerPaymentId: string;
  readonly amountMinor: number;
  readonly currency: string;
  readonly reason: string;
}

/**
 * Who takes the money. Every call may be sent again: what was done is done once. Whether money came or went is told by the
 * provider's notices, never by these calls. Rejects with Fault UNAVAILABLE when it is not known whether it was done, and
 * with INTERNAL when the provider says that it never will be.
 */
export interface PaymentProvider {
  /** As payments name it. */
  readonly name: string;
  /** Opens the session of an order's attempt, or gives the one that was opened. */
  createSession(wanted: SessionWanted): Promise<OpenedSession>;
  /** Takes no more money by it. Money that came before stays. */
  endSession(sessionId: string): Promise<void>;
  refund(wanted: RefundWanted): Promise<void>;
}
