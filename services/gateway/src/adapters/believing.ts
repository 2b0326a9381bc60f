import type { Principal } from '#libs/identity/principal.js';
import { Fault } from '#libs/refusal/fault.js';
import type { CallContext } from '#libs/rpc/call-context.js';
import type { Authorize } from '#libs/rpc/service.js';
import { checkId, refuseIfAny } from '../domain/fields.js';
import { mayCall } from '../domain/permissions.js';
import { denied } from './authorize.js';

/** For the time of the move to tokens, while no TOKEN_ISSUER is set: the metadata is believed. */
export const believing: Authorize = (call, path) => {
  const method = path.slice(1);
  const principal = named(call);
  if (principal === undefined) {
    if (mayCall('NOBODY', method)) return undefined;
    if (mayCall('SERVICE', method) && !mayCall('USER', method))
      return { userId: 'service', role: 'SERVICE', stores: [] };
    if (!mayCall('USER', method)) throw denied('Only operators may do this', {});
    throw new Fault('USER_MISSING', 'Name the user in metadata x-holdfast-user');
  }
  const { role } = principal;
  const isServices = mayCall('SERVICE', method) && !mayCall('OPERATOR', method);
  if (!mayCall(role, method) && !isServices) throw denied('Only operators may do this', {});
  return principal;
};

function named(call: CallContext): Principal | undefined {
  const userId = call.metadata('x-holdfast-user') ?? '';
  const isOperator = call.metadata('x-holdfast-role') === 'operator';
  if (userId === '' && !isOperator) return undefined;
  const violations: { field: string; description: string }[] = [];
  if (userId !== '') checkId(violations, 'x-holdfast-user', userId);
  refuseIfAny(violations);
  return { userId: userId || 'operator', role: isOperator ? 'OPERATOR' : 'USER', stores: [] };
}
