import { PaymentServiceDefinition } from '#libs/contracts/gen/holdfast/reservation/v1/payment_service.js';
import { implement, type ServiceImplementation } from '#libs/rpc/service.js';
import type { Changes } from '../app/changes.js';
import type { CallLimits } from '../app/limits/call-limits.js';
import { refuseIfAny } from '../domain/fields.js';
import { validateFailure, validateRefund } from '../domain/validate-requests.js';
import { behindToll } from './toll.js';

/** What providers tell besides captures. */
export function paymentService(
  { failPayment, recordRefund }: Pick<Changes, 'failPayment' | 'recordRefund'>,
  callLimits: CallLimits,
): ServiceImplementation {
  return implement(
    PaymentServiceDefinition,
    behindToll(
      PaymentServiceDefinition,
      {
        async failPayment(request, call) {
          refuseIfAny(validateFailure(request));
          return failPayment(request, call);
        },
        async recordRefund(request, call) {
          refuseIfAny(validateRefund(request));
          return recordRefund(request, call);
        },
      },
      callLimits,
    ),
  );
}
