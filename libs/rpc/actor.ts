import type { Principal, Role } from '#libs/identity/principal.js';
import { Fault } from '#libs/refusal/fault.js';
import type { CallContext } from './call-context.js';

const actorKey = 'holdfast-actor';
const roleKey = 'holdfast-actor-role';
const storesKey = 'holdfast-actor-stores';

const roles: ReadonlyMap<string | undefined, Role> = new Map([
  ['user', 'USER'],
  ['staff', 'STAFF'],
  ['operator', 'OPERATOR'],
  ['service', 'SERVICE'],
]);

/**
 * The metadata by which the gateway tells the services behind it for whom it calls. Nobody else may reach those services,
 * and what callers of the gateway send under these names ends there.
 */
export function actorMetadata({ userId, role, stores }: Principal): Record<string, string> {
  const metadata = { [actorKey]: userId, [roleKey]: role.toLowerCase() };
  // As JSON: an id of a store may have a comma in it.
  return role === 'STAFF' ? { ...metadata, [storesKey]: JSON.stringify(stores) } : metadata;
}

/** For whom the gateway calls; undefined when another service calls for itself. */
export function actorOf(call: Pick<CallContext, 'metadata'>): Principal | undefined {
  const userId = call.metadata(actorKey);
  const role = roles.get(call.metadata(roleKey));
  if (!userId || role === undefined) return undefined;
  return { userId, role, stores: role === 'STAFF' ? JSON.parse(call.metadata(storesKey) ?? '[]') : [] };
}

/** The name of whoever changes something. Fault TOKEN_MISSING without one. */
export function actorNameOf(call: Pick<CallContext, 'metadata'>): string {
  const actor = actorOf(call);
  if (actor === undefined)
    throw new Fault('TOKEN_MISSING', `whoever changes something is named in metadata ${actorKey}`);
  return actor.userId;
}
