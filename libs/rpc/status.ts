import { Metadata, type ServiceError, status as statusCode } from '@grpc/grpc-js';
import { BadRequest, ErrorInfo, LocalizedMessage, RetryInfo } from '#libs/contracts/gen/google/rpc/error_details.js';
import { Status } from '#libs/contracts/gen/google/rpc/status.js';
import { Fault, type FaultDetails, type FaultReason, faultCatalogue, titleOf } from '#libs/refusal/fault.js';
import { localeOf } from '#libs/refusal/locale.js';
import { type Facts, type Locale, localized, localizedViolation } from '#libs/refusal/localize.js';
import { encode, type MessageType } from './definition.js';

const DOMAIN = 'holdfast';
const DETAILS_KEY = 'grpc-status-details-bin';
const TYPE_PREFIX = 'type.googleapis.com/google.rpc.';
/** Headers are bounded on the way; a longer message is cut. */
const MAX_MESSAGE_LENGTH = 1_000;

/** A fault as the error model of google.rpc: exactly one ErrorInfo, then BadRequest and RetryInfo where they apply. */
export function toStatus(fault: Fault): Status {
  const info = { reason: fault.reason, domain: DOMAIN, metadata: { ...fault.metadata } };
  const details = [detail('ErrorInfo', ErrorInfo, info)];
  if (fault.violations.length > 0) {
    const fieldViolations = fault.violations.map((violation) => ({
      ...violation,
      reason: '',
      localizedMessage: undefined,
    }));
    details.push(detail('BadRequest', BadRequest, { fieldViolations }));
  }
  if (fault.retryAfterMs !== undefined) {
    const seconds = Math.floor(fault.retryAfterMs / 1_000);
    const nanos = Math.round((fault.retryAfterMs - seconds * 1_000) * 1_000_000);
    details.push(detail('RetryInfo', RetryInfo, { retryDelay: { seconds, nanos } }));
  }
  return { code: statusCode[faultCatalogue[fault.reason].code], message: messageOf(fault), details };
}

/**
 * The fault that a status carries. Decided by its reason; by its code only when there is none. It has no stack: where it was read says
 * nothing of where it arose, and costs more than all the rest when a crowd is refused.
 */
export function fromStatus(status: Status): Fault {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return faultOfStatus(status);
  } finally {
    Error.stackTraceLimit = limit;
  }
}

function faultOfStatus(status: Status): Fault {
  const info = find(status, 'ErrorInfo', ErrorInfo);
  if (info === undefined || info.domain !== DOMAIN) return faultOfBareStatus(status.code, status.message);
  const details: FaultDetails = { metadata: info.metadata };
  const violations = find(status, 'BadRequest', BadRequest)?.fieldViolations;
  if (violations) details.violations = violations.map(({ field, description }) => ({ field, description }));
  const delay = find(status, 'RetryInfo', RetryInfo)?.retryDelay;
  if (delay) details.retryAfterMs = delay.seconds * 1_000 + delay.nanos / 1_000_000;
  const localized = find(status, 'LocalizedMessage', LocalizedMessage);
  if (localized) details.localized = localized;
  return new Fault(isFaultReason(info.reason) ? info.reason : reasonOfCode(status.code), status.message, details);
}

/** The language that a caller asked for with the metadata `accept-language`; English when with none. */
export function localeOfCall(call: { metadata(name: string): string | undefined }): Locale {
  return localeOf(call.metadata('accept-language'));
}

/** What a server sends for a fault: its status, and a LocalizedMessage for the people behind the caller. */
export function wireStatus(fault: Fault, locale: Locale): { code: number; details: string; metadata: Metadata } {
  const status = toStatus(fault);
  const { detail: said } = localized(fault.reason, locale);
  const message = wellFormed(said(factsOf(fault, locale), fault.message));
  status.details.push(detail('LocalizedMessage', LocalizedMessage, { locale, message }));
  const metadata = new Metadata();
  metadata.set(DETAILS_KEY, encode(Status, status));
  return { code: status.code, details: status.message, metadata };
}

/** Whether a status already says why. */
export function hasDetails(metadata: Metadata | null | undefined): boolean {
  return metadata !== null && metadata !== undefined && metadata.get(DETAILS_KEY).length > 0;
}

/** The fault behind an error of the gRPC client: the peer's own words, else what the transport tells. */
export function faultOfCall(error: ServiceError): Fault {
  const [bytes] = error.metadata?.get(DETAILS_KEY) ?? [];
  if (!(bytes instanceof Buffer)) return faultOfBareStatus(error.code, error.details, error);
  try {
    return fromStatus(Status.decode(bytes));
  } catch {
    return faultOfBareStatus(error.code, error.details, error);
  }
}

/**
 * A status without a reason comes from the transport. Connections end under calls in many ways (UNAVAILABLE, CANCELLED, INTERNAL
 * with a reset, UNKNOWN): each means that the outcome is unknown. RESOURCE_EXHAUSTED is a message over the limit, never a busy peer.
 */
function faultOfBareStatus(code: number, details: string, cause: unknown = new Error(details)): Fault {
  switch (code) {
    case statusCode.DEADLINE_EXCEEDED:
      return new Fault('TOO_LATE', titleOf('TOO_LATE'), { cause });
    case statusCode.UNAVAILABLE:
    case statusCode.CANCELLED:
    case statusCode.UNKNOWN:
    case statusCode.INTERNAL:
      return new Fault('UNAVAILABLE', titleOf('UNAVAILABLE'), { cause });
    default:
      return new Fault('INTERNAL', titleOf('INTERNAL'), { cause });
  }
}

/** For a reason that only a newer peer knows: the first of the catalogue with the same code. */
function reasonOfCode(code: number): FaultReason {
  const name = statusCode[code];
  const reasons = Object.keys(faultCatalogue).filter(isFaultReason);
  return reasons.find((reason) => faultCatalogue[reason].code === name) ?? 'INTERNAL';
}

function isFaultReason(reason: string): reason is FaultReason {
  return Object.hasOwn(faultCatalogue, reason);
}

// A half of a surrogate pair, taken from a caller's input, cannot be written into a header.
function messageOf(fault: Fault): string {
  return wellFormed(fault.message);
}

function wellFormed(text: string): string {
  return Buffer.from(text.slice(0, MAX_MESSAGE_LENGTH)).toString();
}

function factsOf({ metadata, violations }: Fault, locale: Locale): Facts {
  const [first] = violations;
  if (first === undefined) return metadata;
  const facts = { ...metadata, first: `${first.field} ${localizedViolation(first.description, locale)}` };
  return violations.length > 1 ? { ...facts, more: violations.length - 1 } : facts;
}

function detail<Message>(name: string, type: MessageType<Message>, message: Message) {
  return { typeUrl: TYPE_PREFIX + name, value: encode(type, message) };
}

function find<Message>(status: Status, name: string, type: MessageType<Message>): Message | undefined {
  const found = status.details.find(({ typeUrl }) => typeUrl === TYPE_PREFIX + name);
  return found && type.decode(found.value);
}
