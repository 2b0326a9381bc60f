import { CallerRole } from '#libs/contracts/gen/holdfast/order/v1/payment.js';
import type { Principal } from '#libs/identity/principal.js';
import { Fault } from '#libs/refusal/fault.js';
import type { CallContext } from '#libs/rpc/call-context.js';
import { denied, forUserKey } from './authorize.js';

/** For whom a front-end reads what anybody may: the limit of addresses is theirs, not that of the front-end. */
const callerAddressKey = 'holdfast-caller-address';
/** An IPv6 address with its zone fits. */
const addressMaxLength = 64;

/** Who calls. Only methods that are open to everybody are reached without. */
export function principalOf(call: CallContext): Principal {
  if (call.principal === undefined) throw new Fault('TOKEN_MISSING', 'Say who calls: authorization: Bearer TOKEN');
  return call.principal;
}

/** The user for whom it is done: the caller, or whom a service or staff name. */
export function userOf(call: CallContext): string {
  const { role, userId } = principalOf(call);
  if (role !== 'SERVICE' && role !== 'STAFF') return userId;
  return call.metadata(forUserKey) ?? refuseNobody();
}

/** Who asks for an order or its change, by name: its user, staff of its store, or an operator. */
export function askerOf(call: CallContext): { userId: string; role: CallerRole } {
  const { role, userId } = principalOf(call);
  if (role === 'SERVICE') return { userId: userOf(call), role: CallerRole.CALLER_ROLE_USER };
  // What staff may the order service knows: it sees the store.
  return { userId, role: role === 'OPERATOR' ? CallerRole.CALLER_ROLE_OPERATOR : CallerRole.CALLER_ROLE_USER };
}

/** The user whose bucket a read is paid from; undefined when there is none. Throws nothing. */
export function payerOf(call: CallContext): string | undefined {
  const { principal } = call;
  if (principal?.role === 'SERVICE') return call.metadata(forUserKey);
  return principal === undefined || principal.role === 'OPERATOR' ? undefined : principal.userId;
}

/** Staff act for the stores that they work for. */
export function refuseOtherStores(call: CallContext, storeId: string): void {
  const { role, stores } = principalOf(call);
  if (role !== 'STAFF' || stores.includes(storeId)) return;
  throw denied('You do not work for this store', { role, store_id: storeId });
}

/**
 * Who called: the address of the peer without its port, or the one that a service names for whom it asks. What others say of
 * themselves counts for nothing.
 */
export function callerOf(call: CallContext): string {
  const named = call.principal?.role === 'SERVICE' ? call.metadata(callerAddressKey) : undefined;
  if (named !== undefined && named.length <= addressMaxLength) return named;
  return call.peer.replace(/:\d+$/, '').replace(/^::ffff:/, '');
}

function refuseNobody(): never {
  const violations = [{ field: forUserKey, description: 'must name the user for whom this is done' }];
  throw new Fault('INVALID_REQUEST', `${forUserKey} must name the user for whom this is done`, { violations });
}
