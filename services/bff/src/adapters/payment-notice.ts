import type {
  FailPaymentRequest,
  RecordRefundRequest,
} from '#libs/contracts/gen/holdfast/reservation/v1/payment_service.js';
import type { ConfirmPaymentRequest } from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import { InvalidRequest, ofWholeBody, type ProblemError } from './invalid-request.js';

/** What a provider tells, as docs/payments.md describes it. */
export type Notice =
  | { type: 'payment.captured'; payment: ConfirmPaymentRequest }
  | { type: 'payment.failed'; failure: FailPaymentRequest }
  | { type: 'refund.succeeded'; refund: RecordRefundRequest };

/** Reads the members of `data`, and gathers all that are not what they must be. */
class NoticeData {
  readonly errors: ProblemError[] = [];

  constructor(private readonly data: Readonly<Record<string, unknown>>) {}

  text(name: string, fallback?: string): string {
    const value = this.data[name] ?? fallback;
    if (typeof value === 'string') return value;
    return this.#wrong(name, 'must be a text', '');
  }

  whole(name: string, fallback?: number): number {
    const value = this.data[name] ?? fallback;
    if (Number.isSafeInteger(value)) return value as number;
    return this.#wrong(name, 'must be a whole number', 0);
  }

  instant(name: string): Date | undefined {
    const value = this.data[name];
    if (value === undefined) return undefined;
    const instant = new Date(typeof value === 'string' ? value : Number.NaN);
    return Number.isNaN(instant.getTime()) ? this.#wrong(name, 'must be an instant (RFC 3339)', undefined) : instant;
  }

  #wrong<Value>(name: string, detail: string, standIn: Value): Value {
    this.errors.push({ detail, pointer: `#/data/${name}` });
    return standIn;
  }
}

/** The notice in a body that was believed; undefined when its type is none of ours. Throws InvalidRequest with all that is wrong. */
export function readNotice(provider: string, requestId: string, body: Uint8Array): Notice | undefined {
  const { type, data } = parsed(body);
  const read = new NoticeData(data);
  const notice = noticeOf(type, read, { provider, requestId });
  if (read.errors.length > 0) throw new InvalidRequest(read.errors);
  return notice;
}

function noticeOf(type: unknown, read: NoticeData, told: { provider: string; requestId: string }): Notice | undefined {
  switch (type) {
    case 'payment.captured': {
      const attempt = read.whole('attempt', 0);
      const payment = {
        ...{ ...told, orderId: read.text('order_id'), providerPaymentId: read.text('provider_payment_id') },
        ...{ amountMinor: read.whole('amount_minor'), currency: read.text('currency') },
        ...(attempt !== 0 && { attempt }),
        capturedAt: read.instant('captured_at'),
      };
      return { type, payment };
    }
    case 'payment.failed': {
      const failure = {
        ...{ ...told, orderId: read.text('order_id'), providerPaymentId: read.text('provider_payment_id', '') },
        ...{ sessionId: read.text('session_id', ''), attempt: read.whole('attempt', 0), why: read.text('why', '') },
      };
      return { type, failure };
    }
    case 'refund.succeeded': {
      const refund = {
        ...{ ...told, orderId: read.text('order_id'), providerPaymentId: read.text('provider_payment_id') },
        ...{ refundId: read.text('refund_id'), amountMinor: read.whole('amount_minor') },
        currency: read.text('currency'),
      };
      return { type, refund };
    }
    default:
      return undefined;
  }
}

function parsed(body: Uint8Array): { type: unknown; data: Record<string, unknown> } {
  try {
    const { type, data } = JSON.parse(Buffer.from(body).toString()) as { type?: unknown; data?: unknown };
    if (typeof data === 'object' && data !== null) return { type, data: data as Record<string, unknown> };
  } catch {
    // As below.
  }
  throw new InvalidRequest([ofWholeBody('the body must be JSON with the members type and data')]);
}
