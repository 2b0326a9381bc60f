import type { Violation } from '#libs/refusal/fault.js';
import { checkId, checkLongId, checkReason, describeId, isId } from './fields.js';

/** An order as it is asked for. An empty attendee stands for the user. */
export interface OrderAsked {
  storeId: string;
  requestId: string;
  lines: { skuId: string; quantity: number; attendeeId: string }[];
  /** Empty: within the limits. */
  forceReason?: string | undefined;
}

const linesMax = 100;
const quantityMax = 1_000_000;
// What is named travels in the trailers of the answer, which peers cut at 8 kB.
const violationsMax = 50;

/** Every violation at once; none for an order that the ledger could take. Runs for every reservation: no work for good ones. */
export function validateReserve(userId: string, order: OrderAsked): Violation[] {
  const violations: Violation[] = [];
  checkId(violations, 'user_id', userId);
  checkId(violations, 'store_id', order.storeId);
  checkLongId(violations, 'request_id', order.requestId);
  checkLines(violations, order.lines);
  if (order.forceReason) checkReason(violations, order.forceReason, 'force_reason');
  return violations;
}

/** Lines of an order, or of a part of one. */
export function checkLines(violations: Violation[], lines: OrderAsked['lines']): void {
  const count = lines.length;
  if (count < 1 || count > linesMax) {
    violations.push({ field: 'lines', description: `must be 1 to ${linesMax} lines, not ${count}` });
    return;
  }
  for (let index = 0; index < count; index += 1) checkLine(violations, index, lines[index]);
  if (violations.length > violationsMax) {
    violations.length = violationsMax;
    violations.push({ field: 'lines', description: 'have more violations than are named here' });
  }
}

function checkLine(violations: Violation[], index: number, line: OrderAsked['lines'][number] | undefined): void {
  if (line === undefined) return;
  if (!isId(line.skuId)) violations.push({ field: `lines[${index}].sku_id`, description: describeId() });
  if (!Number.isInteger(line.quantity) || line.quantity < 1 || line.quantity > quantityMax) {
    const description = `must be a whole number from 1 to ${quantityMax}`;
    violations.push({ field: `lines[${index}].quantity`, description });
  }
  if (line.attendeeId !== '' && !isId(line.attendeeId)) {
    violations.push({ field: `lines[${index}].attendee_id`, description: describeId() });
  }
}
