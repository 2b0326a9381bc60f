/** What a caller may be: one person, a person behind the counter of stores, one who runs the mesh, another program. */
export type Role = 'USER' | 'STAFF' | 'OPERATOR' | 'SERVICE';

/** Who calls, as their token or certificate says. Frozen: one is shared by all calls with the same token. */
export interface Principal {
  /** 1 to 128 printable ASCII characters. Of an operator or a service it is their name. */
  readonly userId: string;
  readonly role: Role;
  /** The stores that staff work for; empty for everybody else. */
  readonly stores: readonly string[];
  /** When their token is not believed any more, in milliseconds since 1970; absent for who shows a certificate. */
  readonly endsAtMs?: number;
}

const id = /^[\x21-\x7e]{1,128}$/;
const roleOfName: ReadonlyMap<unknown, Role> = new Map<unknown, Role>([
  ['staff', 'STAFF'],
  ['operator', 'OPERATOR'],
  ['service', 'SERVICE'],
]);

/** Whether this can be the id of a user, a store or a service. */
export function isIdentityId(value: unknown): value is string {
  return typeof value === 'string' && id.test(value);
}

/** What is wrong with the claims of a token that describe its holder. */
export type ClaimProblem = 'SUBJECT' | 'ROLES' | 'STORES';

/**
 * The principal that verified claims describe, or what is wrong with them. Roles that mean nothing here are
 * passed over: an issuer serves other systems too. More than one that does is refused, for it would not say as whom
 * the caller acts.
 */
export function principalOf({ sub, roles = [], stores = [] }: Record<string, unknown>): Principal | ClaimProblem {
  if (!isIdentityId(sub)) return 'SUBJECT';
  if (!Array.isArray(roles) || !roles.every((role) => typeof role === 'string')) return 'ROLES';
  const [role = 'USER', ...others] = new Set(roles.flatMap((name) => roleOfName.get(name) ?? []));
  if (others.length > 0) return 'ROLES';
  if (role !== 'STAFF') return Object.freeze({ userId: sub, role, stores: noStores });
  if (!Array.isArray(stores) || !stores.every(isIdentityId)) return 'STORES';
  return Object.freeze({ userId: sub, role, stores: Object.freeze([...stores]) });
}

const noStores: readonly string[] = Object.freeze([]);
