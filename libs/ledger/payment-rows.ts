import { type Instant, toDate } from './rows.js';

/**
 * Where money is. CAPTURED: it pays its order, or the order is not known yet. REFUND_DUE: it goes back. REFUNDED: it went
 * back. RETAINED: it is kept though it pays no order, being of a cancellation that was too late, or written off. FAILED:
 * no money came.
 */
export type PaymentState = 'CAPTURED' | 'REFUND_DUE' | 'REFUNDED' | 'RETAINED' | 'FAILED';

/** Why a payment is not simply that of its order. */
export type PaymentIssue =
  | 'WRONG_AMOUNT'
  | 'WRONG_CURRENCY'
  | 'LATE'
  | 'ALREADY_PAID'
  | 'ORDER_ENDED'
  | 'UNKNOWN_ORDER'
  | 'CONTRADICTED';

/** A payment as the ledger has it. Amounts in minor units. */
export interface Payment {
  orderId: string;
  /** Empty while the order is not known. */
  storeId: string;
  provider: string;
  providerPaymentId: string;
  /** Counts the payments of the order from 1. */
  number: number;
  attempt?: number;
  amountMinor: number;
  currency: string;
  state: PaymentState;
  issue?: PaymentIssue;
  /** By the provider's clock. */
  capturedAt?: Date;
  recordedAt: Date;
  /** What is to go back, or went back. */
  refundMinor: number;
  /** The last refund that was made. */
  refundId?: string;
  refundedAt?: Date;
  /** The operator who decided what becomes of it, and why. */
  settledBy?: string;
  settledReason?: string;
}

/** A try of a user to pay. */
export interface PaymentAttempt {
  orderId: string;
  /** Counts the attempts of the order from 1. */
  attempt: number;
  provider: string;
  /** Absent until the provider answered. */
  sessionId?: string;
  parameters?: Record<string, string>;
  url?: string;
  /** Money that is captured later is late. */
  endsAt: Date;
  state: 'OPEN' | 'CAPTURED' | 'FAILED' | 'ENDED';
  failure?: string;
}

/** What payment_json gives. */
export interface PaymentRow {
  order_id: string;
  store_id: string;
  provider: string;
  provider_payment_id: string;
  number: number;
  attempt: number | null;
  amount_minor: number;
  currency: string;
  state: PaymentState;
  issue: PaymentIssue | null;
  captured_at: Instant | null;
  at: Instant;
  refund_minor: number;
  refund_id: string | null;
  refunded_at: Instant | null;
  settled_by: string | null;
  settled_reason: string | null;
}

/** A row of payment_attempts. */
export interface AttemptRow {
  order_id: string;
  attempt: number;
  provider: string;
  session_id: string | null;
  parameters: Record<string, string> | null;
  url: string | null;
  ends_at: Instant;
  state: PaymentAttempt['state'];
  failure: string | null;
}

/** A row as a payment. */
export function toPayment(row: PaymentRow): Payment {
  return {
    orderId: row.order_id,
    storeId: row.store_id,
    provider: row.provider,
    providerPaymentId: row.provider_payment_id,
    number: row.number,
    ...(row.attempt !== null && { attempt: row.attempt }),
    amountMinor: row.amount_minor,
    currency: row.currency,
    state: row.state,
    ...(row.issue && { issue: row.issue }),
    ...(row.captured_at && { capturedAt: toDate(row.captured_at) }),
    recordedAt: toDate(row.at),
    refundMinor: row.refund_minor,
    ...(row.refund_id && { refundId: row.refund_id }),
    ...(row.refunded_at && { refundedAt: toDate(row.refunded_at) }),
    ...(row.settled_by && { settledBy: row.settled_by }),
    ...(row.settled_reason && { settledReason: row.settled_reason }),
  };
}

/** A row as an attempt. */
export function toAttempt(row: AttemptRow): PaymentAttempt {
  return {
    orderId: row.order_id,
    attempt: row.attempt,
    provider: row.provider,
    ...(row.session_id && { sessionId: row.session_id }),
    ...(row.parameters && { parameters: row.parameters }),
    ...(row.url && { url: row.url }),
    endsAt: toDate(row.ends_at),
    state: row.state,
    ...(row.failure && { failure: row.failure }),
  };
}
