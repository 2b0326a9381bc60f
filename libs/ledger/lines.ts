import type { OrderLine } from '#libs/contracts/order-lines.js';
import { Fault, type Violation } from '#libs/refusal/fault.js';

const MAX_LINES = 100;
const MAX_QUANTITY = 1_000_000;
const MAX_ID_LENGTH = 128;
const MAX_REQUEST_ID_LENGTH = 255;

/** Whose order it is and what it asks for. */
export interface ClaimParts {
  storeId: string;
  userId: string;
  requestId: string;
  lines: readonly OrderLine[];
  staff?: { by: string; forceReason?: string };
}

/** Everything about a claim that the ledger would not take; empty when it is well formed. */
export function claimViolations({ storeId, userId, requestId, lines, staff }: ClaimParts): Violation[] {
  const violations: Violation[] = [];
  const checkId = (field: string, id: string, maxLength = MAX_ID_LENGTH): void => {
    if (isId(id, maxLength)) return;
    violations.push({ field, description: `must be 1 to ${maxLength} printable ASCII characters without spaces` });
  };
  checkId('store_id', storeId);
  checkId('user_id', userId);
  checkId('request_id', requestId, MAX_REQUEST_ID_LENGTH);
  if (staff) checkId('booked_by', staff.by);
  if (staff?.forceReason !== undefined && !/^\P{Cc}{1,500}$/u.test(staff.forceReason)) {
    violations.push({
      field: 'force_reason',
      description: 'must be 1 to 500 characters, none of them a control character',
    });
  }
  if (lines.length < 1 || lines.length > MAX_LINES) {
    violations.push({ field: 'lines', description: `must be 1 to ${MAX_LINES}` });
  }
  for (const [index, { skuId, quantity, attendeeId }] of lines.entries()) {
    checkId(`lines[${index}].sku_id`, skuId);
    checkId(`lines[${index}].attendee_id`, attendeeId);
    if (!Number.isInteger(quantity) || quantity < 1 || quantity > MAX_QUANTITY) {
      violations.push({
        field: `lines[${index}].quantity`,
        description: `must be a whole number, 1 to ${MAX_QUANTITY}`,
      });
    }
  }
  return violations;
}

/** Whether something can be the id of a sku, store, user or attendee: printable ASCII characters without spaces. */
export function isId(id: string, maxLength = MAX_ID_LENGTH): boolean {
  return id.length <= maxLength && /^[!-~]+$/.test(id);
}

/** An order id as this system writes it: a UUID in lower case, so that it sorts by its bytes. */
export function isOrderId(id: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id);
}

/** Throws Fault INVALID_REQUEST with every violation of a claim. */
export function refuseMalformed(claim: ClaimParts & { orderId: string }): void {
  const violations = claimViolations(claim);
  if (!isOrderId(claim.orderId)) violations.unshift({ field: 'order_id', description: 'must be a UUID in lower case' });
  if (violations.length > 0) throw new Fault('INVALID_REQUEST', 'the claim is not well formed', { violations });
}
