import { Fault } from '#libs/refusal/fault.js';
import type { CallContext } from './call-context.js';

/** The operator who changes something, by the name that the gateway has checked. Fault USER_MISSING without one. */
export function operatorOf(call: Pick<CallContext, 'metadata'>): string {
  const operator = call.metadata('x-holdfast-user');
  if (!operator) throw new Fault('USER_MISSING', 'whoever changes something must be named in metadata x-holdfast-user');
  return operator;
}
