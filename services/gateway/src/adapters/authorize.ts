import type { Principal } from '#libs/identity/principal.js';
import type { TokenVerifier } from '#libs/identity/token-verifier.js';
import { Fault } from '#libs/refusal/fault.js';
import type { CallContext } from '#libs/rpc/call-context.js';
import type { Authorize } from '#libs/rpc/service.js';
import { checkId, refuseIfAny } from '../domain/fields.js';
import { mayActForOthers, mayCall } from '../domain/permissions.js';

/** Whom a service or staff act for. */
export const forUserKey = 'holdfast-for-user';

/**
 * Who calls, by their token, or the certificate of a service that shows none; whether they may call this at all, by the table
 * of permissions; and whether they may act for whom they name. All of it before anything else of the call is looked at.
 */
export function createAuthorize(verifier: TokenVerifier, serviceCertificates: readonly string[]): Authorize {
  return (call, path) => {
    const method = path.slice(1);
    const authorization = call.metadata('authorization');
    if (authorization === undefined) {
      const { peerName } = call;
      if (peerName !== undefined && serviceCertificates.includes(peerName)) {
        return admit({ userId: peerName, role: 'SERVICE', stores: [] }, method, call);
      }
      if (mayCall('NOBODY', method)) return undefined;
    }
    const who = verifier.verify(authorization);
    return who instanceof Promise ? who.then((known) => admit(known, method, call)) : admit(who, method, call);
  };
}

function admit(principal: Principal, method: string, call: CallContext): Principal {
  const { role } = principal;
  if (!mayCall(role, method)) throw denied(`As ${role} you may not do this`, { role, method });
  const forUser = call.metadata(forUserKey);
  if (forUser === undefined) return principal;
  if (!mayActForOthers(role, method)) {
    throw denied(`As ${role} you may not act for another here`, { role, method });
  }
  const violations: { field: string; description: string }[] = [];
  checkId(violations, forUserKey, forUser);
  refuseIfAny(violations);
  return principal;
}

export function denied(text: string, metadata: Record<string, string>): Fault {
  return new Fault('PERMISSION_DENIED', text, { metadata });
}
