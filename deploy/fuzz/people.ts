import { localTokens } from '#libs/mesh/local-issuer.js';

/** The headers by which HTTP and gRPC know somebody. */
export interface Person {
  headers: Record<string, string>;
}

/** So many people, and beside them staff of the store and an operator. `identity` is the folder of the mesh's issuer. */
export function peopleOf(count: number, identity: string, storeId: string): [Person, ...Person[]] {
  const tokenOf = localTokens(identity);
  const person = (...who: Parameters<typeof tokenOf>): Person => {
    return { headers: { authorization: `Bearer ${tokenOf(...who)}` } };
  };
  const people = Array.from({ length: count }, (_, at) => person(`fuzz-${at}`));
  return [person('staff', { role: 'STAFF', stores: [storeId] }), person('operator', { role: 'OPERATOR' }), ...people];
}
