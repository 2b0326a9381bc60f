import type { Client } from '#libs/rpc/client.js';
import type { ServiceDefinition } from '#libs/rpc/definition.js';
import type { Handlers, UnaryHandler } from '#libs/rpc/service.js';
import { within } from './inner-calls.js';

type Unary = UnaryHandler<unknown, unknown>;
type Call = (request: unknown, options: object) => Promise<unknown>;

/** Handlers that pass every call on to the service that owns the method, with the name of who calls. Unary methods only. */
export function forwardTo<Definition extends ServiceDefinition>(
  definition: Definition,
  client: Client<Definition>,
): Handlers<Definition> {
  const handlers = Object.keys(definition.methods).map((name): [string, Unary] => {
    const ask = (client as Record<string, unknown>)[name] as Call;
    return [name, (request, call) => ask(request, within(call))];
  });
  // The names and shapes are those of the contract.
  return Object.fromEntries(handlers) as Handlers<Definition>;
}
