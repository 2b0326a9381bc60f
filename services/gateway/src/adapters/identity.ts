import { Fault } from '#libs/refusal/fault.js';
import type { CallContext } from '#libs/rpc/call-context.js';
import type { Identity } from '../app/list-orders.js';
import { checkId, refuseIfAny } from '../domain/fields.js';

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

/** As userOf, and in which role. An operator need not be a user. */
export function identityOf(call: CallContext): Identity {
  const isOperator = call.metadata(roleHeader) === 'operator';
  return { userId: isOperator ? '' : userOf(call), isOperator };
}
