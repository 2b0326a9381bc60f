import { CallerRole } from '#libs/contracts/gen/holdfast/order/v1/payment.js';
import { Fault } from '#libs/refusal/fault.js';
import type { CallContext } from '#libs/rpc/call-context.js';
import type { Identity } from '../app/list-orders.js';
import { checkId, isId, refuseIfAny } from '../domain/fields.js';

const userHeader = 'x-holdfast-user';
const roleHeader = 'x-holdfast-role';

/** The user that the call names. Local mode believes what the metadata says. */
export function userOf(call: CallContext): string {
  const user = call.metadata(userHeader);
  if (user === undefined || user === '') {
    throw new Fault('USER_MISSING', `Name the user in metadata ${userHeader}`);
  }
  const violations: { field: string; description: string }[] = [];
  checkId(violations, userHeader, user);
  refuseIfAny(violations);
  return user;
}

/** The user that the call names, undefined when it names none or speaks as an operator. Throws nothing. */
export function namedUserOf(call: CallContext): string | undefined {
  if (call.metadata(roleHeader) === 'operator') return undefined;
  const user = call.metadata(userHeader);
  return user !== undefined && isId(user) ? user : undefined;
}

/** Refuses whoever does not speak as an operator. */
export function refuseUnlessOperator(call: CallContext): void {
  if (call.metadata(roleHeader) === 'operator') return;
  throw new Fault('PERMISSION_DENIED', 'Only operators may do this');
}

/** The operator who speaks, by name, for whatever is written down of what operators do. */
export function operatorOf(call: CallContext): string {
  refuseUnlessOperator(call);
  return userOf(call);
}

/** Who called: the address of the peer without its port. What the peer says of itself or others counts for nothing. */
export function callerOf(call: CallContext): string {
  return call.peer.replace(/:\d+$/, '').replace(/^::ffff:/, '');
}

/** Who asks for a change of an order, by name: its user, or an operator. */
export function askerOf(call: CallContext): { userId: string; role: CallerRole } {
  const isOperator = call.metadata(roleHeader) === 'operator';
  const role = isOperator ? CallerRole.CALLER_ROLE_OPERATOR : CallerRole.CALLER_ROLE_USER;
  return { userId: userOf(call), role };
}

/** As userOf, and in which role. An operator need not be a user. */
export function identityOf(call: CallContext): Identity {
  const isOperator = call.metadata(roleHeader) === 'operator';
  return { userId: isOperator ? '' : userOf(call), isOperator };
}
