import type { Violation } from '#libs/refusal/fault.js';
import { isId } from './lines.js';

const MAX_REASON_LENGTH = 500;
const MAX_REQUEST_ID_LENGTH = 255;
const idRule = 'must be 1 to 128 printable ASCII characters without spaces';

/** Where something holds that operators set. `kind` is ALL, STORE or SKU; ids that a kind does not have are empty. */
export interface Scope {
  kind: string;
  storeId: string;
  skuId: string;
}

/** What is wrong with a scope of one of these kinds. */
export function scopeViolations({ kind, storeId, skuId }: Scope, kinds: readonly string[]): Violation[] {
  if (!kinds.includes(kind)) return [{ field: 'scope.kind', description: `must be ${kinds.join(' or ')}` }];
  return [
    ...(kind === 'ALL' ? absent('scope.store_id', storeId) : id('scope.store_id', storeId)),
    ...(kind === 'SKU' ? id('scope.sku_id', skuId) : absent('scope.sku_id', skuId)),
  ];
}

/** What is wrong with what every change of an operator carries: why, and the id of the request. */
export function changeViolations({ reason, requestId }: { reason: string; requestId: string }): Violation[] {
  const violations: Violation[] = [];
  if (!/^\P{Cc}{1,500}$/u.test(reason) || reason.trim() === '') {
    const description = `must be 1 to ${MAX_REASON_LENGTH} characters, none of them a control character`;
    violations.push({ field: 'reason', description });
  }
  if (!isId(requestId, MAX_REQUEST_ID_LENGTH)) {
    const description = `must be 1 to ${MAX_REQUEST_ID_LENGTH} printable ASCII characters without spaces`;
    violations.push({ field: 'request_id', description });
  }
  return violations;
}

function id(field: string, value: string): Violation[] {
  return isId(value) ? [] : [{ field, description: idRule }];
}

function absent(field: string, value: string): Violation[] {
  return value === '' ? [] : [{ field, description: 'does not go with this kind of scope' }];
}
