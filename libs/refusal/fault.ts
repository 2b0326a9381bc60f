import { en } from './texts/en.js';

/**
 * Whether the same request may be sent again. AFTER_DELAY: nothing was done, and it may after the time that the answer names.
 * OUTCOME_UNKNOWN: perhaps it was done; the same with the same key, after the time that is named, cannot count twice. NEW_KEY: the answer
 * stays with its key. AT_OPENING: from the named instant on. AFTER_CHANGE: when what is wrong was put right.
 */
export type Again = 'NEVER' | 'AFTER_DELAY' | 'OUTCOME_UNKNOWN' | 'NEW_KEY' | 'AT_OPENING' | 'AFTER_CHANGE';

interface FaultKind {
  /** Name of the gRPC status code. */
  code: string;
  httpStatus: number;
  again: Again;
  /** When to try again, unless the fault itself knows better. */
  retryAfterMs?: number;
}

/** Every fault the system answers with, and what it is on either protocol. The only place that pairs them; none ever changes. */
export const faultCatalogue = {
  INVALID_REQUEST: { code: 'INVALID_ARGUMENT', httpStatus: 400, again: 'NEVER' },
  REQUEST_ID_REUSED: { code: 'INVALID_ARGUMENT', httpStatus: 422, again: 'NEW_KEY' },
  REQUEST_ID_NOT_ISSUED: { code: 'INVALID_ARGUMENT', httpStatus: 422, again: 'NEW_KEY' },
  REQUEST_IDS_NOT_ISSUED: { code: 'FAILED_PRECONDITION', httpStatus: 409, again: 'NEVER' },
  REQUEST_IN_PROGRESS: { code: 'ABORTED', httpStatus: 409, again: 'AFTER_DELAY', retryAfterMs: 500 },
  CURRENCY_MIXED: { code: 'INVALID_ARGUMENT', httpStatus: 400, again: 'NEVER' },
  TOKEN_MISSING: { code: 'UNAUTHENTICATED', httpStatus: 401, again: 'AFTER_CHANGE' },
  TOKEN_EXPIRED: { code: 'UNAUTHENTICATED', httpStatus: 401, again: 'AFTER_CHANGE' },
  TOKEN_INVALID: { code: 'UNAUTHENTICATED', httpStatus: 401, again: 'AFTER_CHANGE' },
  NOTICE_NOT_BELIEVED: { code: 'UNAUTHENTICATED', httpStatus: 401, again: 'AFTER_CHANGE' },
  PERMISSION_DENIED: { code: 'PERMISSION_DENIED', httpStatus: 403, again: 'NEVER' },
  METHOD_UNKNOWN: { code: 'UNIMPLEMENTED', httpStatus: 501, again: 'NEVER' },
  ORDER_NOT_FOUND: { code: 'NOT_FOUND', httpStatus: 404, again: 'NEVER' },
  PAYMENT_NOT_FOUND: { code: 'NOT_FOUND', httpStatus: 404, again: 'NEVER' },
  SKU_NOT_FOUND: { code: 'NOT_FOUND', httpStatus: 404, again: 'NEVER' },
  WAITLIST_ENTRY_NOT_FOUND: { code: 'NOT_FOUND', httpStatus: 404, again: 'NEVER' },
  JOB_NOT_FOUND: { code: 'NOT_FOUND', httpStatus: 404, again: 'NEVER' },
  PLAN_NOT_FOUND: { code: 'NOT_FOUND', httpStatus: 404, again: 'NEVER' },
  ALERT_NOT_FOUND: { code: 'NOT_FOUND', httpStatus: 404, again: 'NEVER' },
  WEBHOOK_ENDPOINT_NOT_FOUND: { code: 'NOT_FOUND', httpStatus: 404, again: 'NEVER' },
  DEAD_LETTER_NOT_FOUND: { code: 'NOT_FOUND', httpStatus: 404, again: 'NEVER' },
  WEBHOOK_ENDPOINTS_FULL: { code: 'FAILED_PRECONDITION', httpStatus: 409, again: 'AFTER_CHANGE' },
  SKU_EXISTS: { code: 'ALREADY_EXISTS', httpStatus: 409, again: 'NEVER' },
  SWITCH_CHANGED: { code: 'ABORTED', httpStatus: 412, again: 'AFTER_CHANGE' },
  RECONCILE_UNDER_WAY: { code: 'ABORTED', httpStatus: 409, again: 'AFTER_DELAY', retryAfterMs: 2_000 },
  PLAN_STALE: { code: 'FAILED_PRECONDITION', httpStatus: 409, again: 'NEVER' },
  DEAD_LETTER_RESOLVED: { code: 'FAILED_PRECONDITION', httpStatus: 409, again: 'NEVER' },
  ETAG_MISMATCH: { code: 'ABORTED', httpStatus: 412, again: 'AFTER_CHANGE' },
  ORDER_PENDING: { code: 'ABORTED', httpStatus: 409, again: 'AFTER_DELAY', retryAfterMs: 500 },
  ORDER_STATE: { code: 'FAILED_PRECONDITION', httpStatus: 409, again: 'NEVER' },
  CANCEL_TOO_LATE: { code: 'FAILED_PRECONDITION', httpStatus: 409, again: 'NEVER' },
  PAYMENTS_NOT_OFFERED: { code: 'FAILED_PRECONDITION', httpStatus: 409, again: 'NEVER' },
  CAPACITY_BELOW_TAKEN: { code: 'FAILED_PRECONDITION', httpStatus: 409, again: 'AFTER_CHANGE' },
  RATE_LIMITED: { code: 'RESOURCE_EXHAUSTED', httpStatus: 429, again: 'AFTER_DELAY', retryAfterMs: 1_000 },
  BUSY: { code: 'RESOURCE_EXHAUSTED', httpStatus: 503, again: 'AFTER_DELAY', retryAfterMs: 500 },
  TOO_LATE: { code: 'DEADLINE_EXCEEDED', httpStatus: 504, again: 'OUTCOME_UNKNOWN', retryAfterMs: 500 },
  CANCELLED: { code: 'CANCELLED', httpStatus: 499, again: 'OUTCOME_UNKNOWN' },
  UNAVAILABLE: { code: 'UNAVAILABLE', httpStatus: 503, again: 'OUTCOME_UNKNOWN', retryAfterMs: 500 },
  INTERNAL: { code: 'INTERNAL', httpStatus: 500, again: 'OUTCOME_UNKNOWN' },
} as const satisfies Record<string, FaultKind>;

/** The reasons of the catalogue. */
export type FaultReason = keyof typeof faultCatalogue;

/** What all faults of a kind are called, in English. */
export function titleOf(reason: FaultReason): string {
  return en[reason].title;
}

/** One field that is not as it must be. `field` is a path such as `lines[2].quantity`. */
export interface Violation {
  field: string;
  description: string;
}

/** What happened, for people, in a language of theirs. */
export interface Localized {
  locale: string;
  message: string;
}

export interface FaultDetails {
  /** Every variable part of the message, for programs. */
  metadata?: Record<string, string>;
  violations?: Violation[];
  retryAfterMs?: number;
  localized?: Localized;
  cause?: unknown;
}

/**
 * Anything that is not an answer: bad input, a missing thing, a part that is away. Its message may be shown to callers;
 * what must stay inside goes into `cause`. After UNAVAILABLE and TOO_LATE the outcome of the call is unknown.
 */
export class Fault extends Error {
  override readonly name = 'Fault';
  readonly metadata: Readonly<Record<string, string>>;
  readonly violations: readonly Violation[];
  /** How long to wait before the next try. Always set on BUSY and UNAVAILABLE. */
  readonly retryAfterMs: number | undefined;
  /** In the language that the call asked for; set on faults that a peer answered with. */
  readonly localized: Localized | undefined;

  constructor(
    readonly reason: FaultReason,
    message: string,
    details: FaultDetails = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    const kind: FaultKind = faultCatalogue[reason];
    this.metadata = details.metadata ?? {};
    this.violations = details.violations ?? [];
    this.retryAfterMs = details.retryAfterMs ?? kind.retryAfterMs;
    this.localized = details.localized;
  }
}

/** Turns anything thrown into a Fault: itself when it is one, else INTERNAL with the thrown thing as its cause. */
export function faultOf(thrown: unknown): Fault {
  return thrown instanceof Fault ? thrown : new Fault('INTERNAL', titleOf('INTERNAL'), { cause: thrown });
}
