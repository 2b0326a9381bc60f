import { type Again, type FaultReason, faultCatalogue } from './fault.js';
import type { RefusalReason } from './refusal.js';

interface ReasonKind {
  /** Name of the gRPC status code; OK for a refusal, which is an answer there. Undefined where gRPC never has it. */
  code?: string;
  httpStatus: number;
  again: Again;
  retryAfterMs?: number;
}

/** Refusals. What is called an error over HTTP (409) is an answer over gRPC. */
export const refusalCatalogue = {
  NOT_ENOUGH: { code: 'OK', httpStatus: 409, again: 'NEW_KEY' },
  ALL_HELD: { code: 'OK', httpStatus: 409, again: 'NEW_KEY' },
  SOLD_OUT: { code: 'OK', httpStatus: 409, again: 'NEW_KEY' },
  NOT_ON_SALE: { code: 'OK', httpStatus: 409, again: 'AT_OPENING' },
  LIMIT_REACHED: { code: 'OK', httpStatus: 409, again: 'NEW_KEY' },
  MAX_PER_ORDER: { code: 'OK', httpStatus: 409, again: 'NEVER' },
  PAUSED: { code: 'OK', httpStatus: 409, again: 'NEW_KEY' },
  UNPROCESSABLE: { code: 'OK', httpStatus: 409, again: 'NEVER' },
  WAITLIST_FULL: { code: 'OK', httpStatus: 409, again: 'NEW_KEY' },
  PRICE_DIFFERS: { code: 'OK', httpStatus: 409, again: 'NEVER' },
  SALE_CANCELLED: { code: 'OK', httpStatus: 409, again: 'NEVER' },
  ALREADY_BOOKED: { code: 'OK', httpStatus: 409, again: 'NEVER' },
} as const satisfies Record<RefusalReason, ReasonKind>;

/** What only HTTP can get wrong. */
export const httpCatalogue = {
  RESOURCE_NOT_FOUND: { httpStatus: 404, again: 'NEVER' },
  METHOD_NOT_ALLOWED: { httpStatus: 405, again: 'NEVER' },
  BODY_TOO_LARGE: { httpStatus: 413, again: 'NEVER' },
  PATH_TOO_LONG: { httpStatus: 414, again: 'NEVER' },
  CONTENT_TYPE_UNSUPPORTED: { httpStatus: 415, again: 'NEVER' },
} as const satisfies Record<string, ReasonKind>;

/** The reasons of problems that only HTTP has. */
export type HttpReason = keyof typeof httpCatalogue;

/** Every reason that can leave the system. */
export type Reason = FaultReason | RefusalReason | HttpReason;

/** Each reason with what it is on either protocol: faults, refusals, and what only HTTP has. */
export const catalogue: Readonly<Record<Reason, ReasonKind>> = {
  ...faultCatalogue,
  ...refusalCatalogue,
  ...httpCatalogue,
};

/** All of them, in the order of the catalogue. */
export const reasons: readonly Reason[] = Object.keys(catalogue).filter(isReason);

/** Whether a word is a reason that this version knows. */
export function isReason(word: string): word is Reason {
  return Object.hasOwn(catalogue, word);
}
