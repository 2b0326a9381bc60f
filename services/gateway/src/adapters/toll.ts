import type { Fault } from '#libs/refusal/fault.js';
import type { CallContext } from '#libs/rpc/call-context.js';
import type { ServiceDefinition } from '#libs/rpc/definition.js';
import type { BidiHandler, Handlers, ServerStreamHandler, UnaryHandler } from '#libs/rpc/service.js';
import type { CallLimits, Toll } from '../app/limits/call-limits.js';
import { callerOf, payerOf } from './identity.js';
import { withLowerCaseIds } from './lower-case-ids.js';

type Unary = UnaryHandler<unknown, unknown>;
type ServerStream = ServerStreamHandler<unknown, unknown>;
type Bidi = BidiHandler<unknown, unknown>;

/**
 * The handlers of a service, each behind its toll: every call spends a token of its caller, and what only reads, as the
 * contract says, one of its user when it names one. Items of a bidirectional stream pay where they are taken in.
 */
export function behindToll<Definition extends ServiceDefinition>(
  definition: Definition,
  handlers: Handlers<Definition>,
  limits: CallLimits,
): Handlers<Definition> {
  const guarded = Object.entries(definition.methods).map(([name, method]) => {
    const handler: unknown = handlers[name as keyof Definition['methods']];
    const isRead = method.options.idempotencyLevel === 'NO_SIDE_EFFECTS';
    const toll = (call: CallContext): Toll => tollOf(call, isRead, limits);
    if (method.requestStream) return [name, bidi(handler as Bidi, toll)];
    if (method.responseStream) return [name, serverStream(handler as ServerStream, toll)];
    return [name, unary(handler as Unary, toll)];
  });
  // The names and shapes are those that came in.
  return Object.fromEntries(guarded) as Handlers<Definition>;
}

function tollOf(call: CallContext, isRead: boolean, limits: CallLimits): Toll {
  const caller = limits.spendCaller(callerOf(call));
  const userId = isRead ? payerOf(call) : undefined;
  if (userId === undefined) return caller;
  if (caller === undefined) return limits.spendUser(userId);
  return both(caller, () => limits.spendUser(userId));
}

async function both(first: Toll, second: () => Toll): Promise<Fault | undefined> {
  return (await first) ?? (await second());
}

function unary(handler: Unary, toll: (call: CallContext) => Toll): Unary {
  return async (request, call) => {
    const due = toll(call);
    const fault = due && (await due);
    if (fault !== undefined) throw fault;
    return handler(withLowerCaseIds(request), call);
  };
}

function serverStream(handler: ServerStream, toll: (call: CallContext) => Toll): ServerStream {
  return async function* (request, call) {
    const due = toll(call);
    const fault = due && (await due);
    if (fault !== undefined) throw fault;
    yield* handler(withLowerCaseIds(request), call);
  };
}

// Opening a stream pays and is never refused: that would leave everybody in it without an answer. Its items are refused.
function bidi(handler: Bidi, toll: (call: CallContext) => Toll): Bidi {
  return (stream, call) => {
    void toll(call);
    handler(stream, call);
  };
}
