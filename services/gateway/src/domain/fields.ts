import { Fault, type Violation } from '#libs/refusal/fault.js';

const idMaxLength = 128;
const longIdMaxLength = 255;
const pageTokenMaxLength = 1024;
const reasonMaxLength = 500;

const printable = /^[\x21-\x7e]+$/;
const currencyCode = /^[A-Z]{3}$/;
const control = /\p{Cc}/u;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const uuidV8 = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

export function describeId(maxLength = idMaxLength): string {
  return `must be 1 to ${maxLength} printable ASCII characters without spaces`;
}

/** Ids of skus, stores, users and attendees. */
export function isId(value: string, maxLength = idMaxLength): boolean {
  return value.length <= maxLength && printable.test(value);
}

/** Whether an order can have this id at all. One that cannot names no order, which is no violation. */
export function isOrderId(value: string): boolean {
  return uuidV8.test(value);
}

/** Whether an entry of a waitlist can have this id at all, likewise. */
export function isEntryId(value: string): boolean {
  return uuid.test(value);
}

export function checkId(violations: Violation[], field: string, value: string, maxLength = idMaxLength): void {
  if (!isId(value, maxLength)) violations.push({ field, description: describeId(maxLength) });
}

/** Ids that callers and providers draw by rules of their own. */
export function checkLongId(violations: Violation[], field: string, value: string): void {
  checkId(violations, field, value, longIdMaxLength);
}

/** Free text for the record. It may be empty, and it must fit a text column, which takes no NUL. */
export function checkReason(violations: Violation[], value: string, field = 'reason'): void {
  if (value.length <= reasonMaxLength && !control.test(value)) return;
  const description = `must be at most ${reasonMaxLength} characters, none of them a control character`;
  violations.push({ field, description });
}

export function checkCurrency(violations: Violation[], value: string): void {
  if (currencyCode.test(value)) return;
  violations.push({ field: 'currency', description: 'must be three capital letters (ISO 4217)' });
}

/** An instant that a sku can have; absent ones are none. */
export function checkInstant(violations: Violation[], field: string, instant: Date | undefined): void {
  if (instant === undefined || (instant.getTime() >= 0 && instant.getUTCFullYear() <= 9999)) return;
  violations.push({ field, description: 'must be an instant between the years 1970 and 9999' });
}

export function checkPage(violations: Violation[], page: { pageSize: number; pageToken: string }): void {
  if (page.pageSize < 0) violations.push({ field: 'page_size', description: 'must not be negative' });
  if (page.pageToken !== '' && !isId(page.pageToken, pageTokenMaxLength)) {
    violations.push({
      field: 'page_token',
      description: 'must be the next_page_token of the page before, of the same list',
    });
  }
}

/** The one fault that names them all. */
export function invalidRequest(violations: Violation[]): Fault {
  const [first] = violations;
  const more = violations.length > 1 ? `, and ${violations.length - 1} more` : '';
  return new Fault('INVALID_REQUEST', `${first?.field} ${first?.description}${more}`, { violations });
}

export function refuseIfAny(violations: Violation[]): void {
  if (violations.length > 0) throw invalidRequest(violations);
}
