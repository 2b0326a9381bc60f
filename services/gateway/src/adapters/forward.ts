import type { Client } from '#libs/rpc/client.js';
import type { ServiceDefinition } from '#libs/rpc/definition.js';
import type { Handlers, UnaryHandler } from '#libs/rpc/service.js';
import { operatorOf, refuseUnlessOperator } from './identity.js';
import { within } from './inner-calls.js';

type Unary = UnaryHandler<unknown, unknown>;
type Call = (request: unknown, options: object) => Promise<unknown>;

/**
 * Handlers that pass every call of an operator on to the service that owns the method, with the operator's name; others
 * are told that they may not. Whoever changes something must have a name. Unary methods only.
 */
export function forwardTo<Definition extends ServiceDefinition>(
  definition: Definition,
  client: Client<Definition>,
): Handlers<Definition> {
  const handlers = Object.entries(definition.methods).map(([name, method]): [string, Unary] => {
    const changes = method.options.idempotencyLevel !== 'NO_SIDE_EFFECTS';
    const ask = (client as Record<string, unknown>)[name] as Call;
    return [
      name,
      (request, call) => {
        const operator = changes ? operatorOf(call) : refuseUnlessOperator(call);
        const metadata = { 'x-holdfast-role': 'operator', ...(operator && { 'x-holdfast-user': operator }) };
        return ask(request, { ...within(call), metadata });
      },
    ];
  });
  // The names and shapes are those of the contract.
  return Object.fromEntries(handlers) as Handlers<Definition>;
}
