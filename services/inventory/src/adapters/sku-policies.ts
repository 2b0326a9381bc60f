import { LateCancel, LatePayment, type Sku as SkuMessage } from '#libs/contracts/gen/holdfast/inventory/v1/sku.js';
import type { Sku } from '#libs/ledger/rows.js';
import type { SkuToPut } from '#libs/ledger/sku-violations.js';
import { enumWord } from './enum-word.js';

/** On the wire, of a sku whose orders may be cancelled for free at any time. */
const alwaysFree = -1;

/** What was left out stays as it is; a word that nobody knows stays one, for the ledger to refuse. */
export function fromSkuPolicies({
  latePayment,
  freeCancelSeconds,
  lateCancel,
}: SkuMessage): Pick<SkuToPut, 'latePayment' | 'freeCancelSeconds' | 'lateCancel'> {
  return {
    ...(latePayment && { latePayment: enumWord(LatePayment, latePayment, 'LATE_PAYMENT_') }),
    ...(freeCancelSeconds !== undefined && {
      freeCancelSeconds: freeCancelSeconds === alwaysFree ? null : freeCancelSeconds,
    }),
    ...(lateCancel && { lateCancel: enumWord(LateCancel, lateCancel, 'LATE_CANCEL_') }),
  };
}

export function toSkuPolicies(sku: Sku): Pick<SkuMessage, 'latePayment' | 'freeCancelSeconds' | 'lateCancel'> {
  return {
    latePayment: LatePayment[`LATE_PAYMENT_${sku.latePayment}`],
    freeCancelSeconds: sku.freeCancelSeconds ?? alwaysFree,
    lateCancel: LateCancel[`LATE_CANCEL_${sku.lateCancel}`],
  };
}
