interface FaultKind {
  /** Name of the gRPC status code. */
  code: string;
  httpStatus: number;
  /** Short text for people, the same for every occurrence. */
  title: string;
  /** When to try again, unless the fault itself knows better. */
  retryAfterMs?: number;
}

/** Every fault the system answers with: reason -> gRPC code, HTTP status, title. The only place that pairs them. */
export const faultCatalogue = {
  INVALID_REQUEST: { code: 'INVALID_ARGUMENT', httpStatus: 400, title: 'The request is not valid' },
  REQUEST_ID_REUSED: {
    code: 'INVALID_ARGUMENT',
    httpStatus: 422,
    title: 'The request id was used for another request',
  },
  REQUEST_ID_NOT_ISSUED: {
    code: 'INVALID_ARGUMENT',
    httpStatus: 422,
    title: 'The store takes only request ids that were issued for this user and sku',
  },
  REQUEST_IDS_NOT_ISSUED: {
    code: 'FAILED_PRECONDITION',
    httpStatus: 409,
    title: 'No request ids are issued here',
  },
  REQUEST_IN_PROGRESS: {
    code: 'ABORTED',
    httpStatus: 409,
    title: 'A request with this id is being answered',
    retryAfterMs: 500,
  },
  CURRENCY_MIXED: { code: 'INVALID_ARGUMENT', httpStatus: 400, title: 'The lines have more than one currency' },
  TOKEN_MISSING: { code: 'UNAUTHENTICATED', httpStatus: 401, title: 'The request does not say who calls' },
  TOKEN_EXPIRED: { code: 'UNAUTHENTICATED', httpStatus: 401, title: 'The time of the token is over' },
  TOKEN_INVALID: { code: 'UNAUTHENTICATED', httpStatus: 401, title: 'The token is not believed' },
  NOTICE_NOT_BELIEVED: {
    code: 'UNAUTHENTICATED',
    httpStatus: 401,
    title: 'The notice is not signed as it must be',
  },
  PERMISSION_DENIED: { code: 'PERMISSION_DENIED', httpStatus: 403, title: 'The caller may not do this' },
  ORDER_NOT_FOUND: { code: 'NOT_FOUND', httpStatus: 404, title: 'There is no such order' },
  PAYMENT_NOT_FOUND: { code: 'NOT_FOUND', httpStatus: 404, title: 'There is no such payment' },
  SKU_NOT_FOUND: { code: 'NOT_FOUND', httpStatus: 404, title: 'There is no such sku' },
  WAITLIST_ENTRY_NOT_FOUND: { code: 'NOT_FOUND', httpStatus: 404, title: 'There is no such place in a waitlist' },
  JOB_NOT_FOUND: { code: 'NOT_FOUND', httpStatus: 404, title: 'There is no such job' },
  PLAN_NOT_FOUND: { code: 'NOT_FOUND', httpStatus: 404, title: 'There is no such plan' },
  ALERT_NOT_FOUND: { code: 'NOT_FOUND', httpStatus: 404, title: 'There is no such alert' },
  WEBHOOK_ENDPOINT_NOT_FOUND: { code: 'NOT_FOUND', httpStatus: 404, title: 'There is no such webhook endpoint' },
  DEAD_LETTER_NOT_FOUND: { code: 'NOT_FOUND', httpStatus: 404, title: 'There is no such dead letter' },
  WEBHOOK_ENDPOINTS_FULL: {
    code: 'FAILED_PRECONDITION',
    httpStatus: 409,
    title: 'The store has as many webhook endpoints as it may have',
  },
  SKU_EXISTS: { code: 'ALREADY_EXISTS', httpStatus: 409, title: 'The sku exists with other terms' },
  SWITCH_CHANGED: { code: 'ABORTED', httpStatus: 412, title: 'The switch was changed since it was read' },
  RECONCILE_UNDER_WAY: {
    code: 'ABORTED',
    httpStatus: 409,
    title: 'Another look is under way',
    retryAfterMs: 2_000,
  },
  PLAN_STALE: {
    code: 'FAILED_PRECONDITION',
    httpStatus: 409,
    title: 'Things are not as the plan found them any more',
  },
  DEAD_LETTER_RESOLVED: {
    code: 'FAILED_PRECONDITION',
    httpStatus: 409,
    title: 'Somebody has seen to the dead letter already',
  },
  ETAG_MISMATCH: { code: 'ABORTED', httpStatus: 412, title: 'It was changed since it was read' },
  ORDER_PENDING: { code: 'ABORTED', httpStatus: 409, title: 'The order is not decided yet', retryAfterMs: 500 },
  ORDER_STATE: { code: 'FAILED_PRECONDITION', httpStatus: 409, title: 'The state of the order does not allow this' },
  CANCEL_TOO_LATE: { code: 'FAILED_PRECONDITION', httpStatus: 409, title: 'It is too late to cancel' },
  PAYMENTS_NOT_OFFERED: {
    code: 'FAILED_PRECONDITION',
    httpStatus: 409,
    title: 'No payment provider is set up here',
  },
  CAPACITY_BELOW_TAKEN: {
    code: 'FAILED_PRECONDITION',
    httpStatus: 409,
    title: 'More units are taken than the capacity would be',
  },
  RATE_LIMITED: { code: 'RESOURCE_EXHAUSTED', httpStatus: 429, title: 'Too many requests', retryAfterMs: 1_000 },
  BUSY: { code: 'RESOURCE_EXHAUSTED', httpStatus: 503, title: 'Too much is waiting already', retryAfterMs: 500 },
  TOO_LATE: { code: 'DEADLINE_EXCEEDED', httpStatus: 504, title: 'The time for this request is over' },
  CANCELLED: { code: 'CANCELLED', httpStatus: 499, title: 'The caller went away' },
  UNAVAILABLE: { code: 'UNAVAILABLE', httpStatus: 503, title: 'A part of the system is away', retryAfterMs: 500 },
  INTERNAL: { code: 'INTERNAL', httpStatus: 500, title: 'Something went wrong inside' },
} as const satisfies Record<string, FaultKind>;

/** The reasons of the catalogue. */
export type FaultReason = keyof typeof faultCatalogue;

/** One field that is not as it must be. `field` is a path such as `lines[2].quantity`. */
export interface Violation {
  field: string;
  description: string;
}

export interface FaultDetails {
  /** Every variable part of the message, for programs. */
  metadata?: Record<string, string>;
  violations?: Violation[];
  retryAfterMs?: number;
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
  }
}

/** Turns anything thrown into a Fault: itself when it is one, else INTERNAL with the thrown thing as its cause. */
export function faultOf(thrown: unknown): Fault {
  return thrown instanceof Fault ? thrown : new Fault('INTERNAL', faultCatalogue.INTERNAL.title, { cause: thrown });
}
