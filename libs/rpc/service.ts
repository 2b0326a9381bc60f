import { once } from 'node:events';
import type {
  Server,
  ServerDuplexStream,
  ServerReadableStream,
  ServerUnaryCall,
  ServerWritableStream,
  sendUnaryData,
} from '@grpc/grpc-js';
import type { Principal } from '#libs/identity/principal.js';
import { Fault } from '#libs/refusal/fault.js';
import { type CallContext, IncomingCall } from './call-context.js';
import {
  decoder,
  encodeWithin,
  MAX_RESPONSE_BYTES,
  type MethodDefinition,
  pathOf,
  type RequestOf,
  type ResponseOf,
  type ServiceDefinition,
} from './definition.js';
import { type ServerDuplex, serverDuplex } from './server-duplex.js';
import { localeOfCall, wireStatus } from './status.js';
import { atTokenEnd } from './token-ends.js';

/** One request, one response. What it throws or rejects with becomes the status of the call, like in every kind of handler. */
export type UnaryHandler<Request, Response> = (request: Request, call: CallContext) => Promise<Response>;
/** Waits inside must end when `call.signal` aborts: only a handler can interrupt itself. */
export type ServerStreamHandler<Request, Response> = (request: Request, call: CallContext) => AsyncIterable<Response>;
/**
 * The iteration of `requests` throws when the connection breaks before its end. Its end is not a commit: a caller on Node that
 * gives up looks like one that has finished, since its transport half-closes before it resets.
 */
export type ClientStreamHandler<Request, Response> = (
  requests: AsyncIterable<Request>,
  call: CallContext,
) => Promise<Response>;
/** Sets its listeners and returns; `call.signal` aborts when the caller goes away. */
export type BidiHandler<Request, Response> = (stream: ServerDuplex<Request, Response>, call: CallContext) => void;

type HandlerOf<Method extends MethodDefinition> = Method['requestStream'] extends true
  ? Method['responseStream'] extends true
    ? BidiHandler<RequestOf<Method>, ResponseOf<Method>>
    : ClientStreamHandler<RequestOf<Method>, ResponseOf<Method>>
  : Method['responseStream'] extends true
    ? ServerStreamHandler<RequestOf<Method>, ResponseOf<Method>>
    : UnaryHandler<RequestOf<Method>, ResponseOf<Method>>;

/** One handler for each method of the service, of the shape that the contract gives it. */
export type Handlers<Definition extends ServiceDefinition> = {
  [Name in keyof Definition['methods']]: HandlerOf<Definition['methods'][Name]>;
};

/**
 * Says who calls, before anything of the request is looked at, or throws or rejects with the Fault to answer. A stream is
 * judged when it opens. `path` is `/package.Service/Method`. Undefined: anybody may, and nobody in particular does.
 */
export type Authorize = (call: CallContext, path: string) => Admission | Promise<Admission>;
type Admission = Principal | undefined;

/** What a server does for all its methods. */
export interface Edge {
  readonly authorize?: Authorize | undefined;
  /** The fault that leaves for what was thrown; logs it when it is one of ours. */
  leave(thrown: unknown, path: string): Fault;
}

/** A service with its handlers, ready for startServer. */
export interface ServiceImplementation {
  readonly name: string;
  register(server: Server, edge: Edge): void;
}

/** Pairs a generated definition with its handlers. */
export function implement<Definition extends ServiceDefinition>(
  definition: Definition,
  handlers: Handlers<Definition>,
): ServiceImplementation {
  return {
    name: definition.fullName,
    register(server, edge) {
      for (const [name, method] of Object.entries(definition.methods)) {
        const scope = new Scope(edge, pathOf(definition, method), method);
        registerMethod(server, scope, handlers[name as keyof Definition['methods']]);
      }
    },
  };
}

// The types of a handler are known to the one who writes it; from here on messages are messages.
function registerMethod(server: Server, scope: Scope, handler: unknown): void {
  const asIs = (bytes: Buffer): Buffer => bytes;
  const { path, method } = scope;
  const decode = decoder(method.requestType);
  if (method.requestStream && method.responseStream) {
    server.register(path, bidi(handler as BidiHandler<unknown, unknown>, scope), asIs, decode, 'bidi');
  } else if (method.requestStream) {
    const wrapped = clientStream(handler as ClientStreamHandler<unknown, unknown>, scope);
    server.register(path, wrapped, asIs, decode, 'clientStream');
  } else if (method.responseStream) {
    const wrapped = serverStream(handler as ServerStreamHandler<unknown, unknown>, scope);
    server.register(path, wrapped, asIs, decode, 'serverStream');
  } else {
    server.register(path, unary(handler as UnaryHandler<unknown, unknown>, scope), asIs, decode, 'unary');
  }
}

/** The edge as one method sees it. */
class Scope {
  constructor(
    readonly edge: Edge,
    readonly path: string,
    readonly method: MethodDefinition,
  ) {}

  encode(response: unknown): Buffer {
    try {
      return encodeWithin(this.method.responseType, response, MAX_RESPONSE_BYTES);
    } catch (cause) {
      throw new Error('the response cannot be sent', { cause });
    }
  }

  /** A promise only where there is something to wait for: most callers are known already. */
  admit(context: IncomingCall): void | Promise<void> {
    const admission = this.edge.authorize?.(context, this.path);
    if (!(admission instanceof Promise)) {
      context.principal = admission;
      return;
    }
    return admission.then((principal) => {
      context.principal = principal;
    });
  }

  leave(thrown: unknown): Fault {
    return this.edge.leave(thrown, this.path);
  }

  status(thrown: unknown, context: CallContext) {
    return wireStatus(this.leave(thrown), localeOfCall(context));
  }
}

function unary(handler: UnaryHandler<unknown, unknown>, scope: Scope) {
  return async (call: ServerUnaryCall<unknown, Buffer>, respond: sendUnaryData<Buffer>): Promise<void> => {
    const context = new IncomingCall(call);
    try {
      const admission = scope.admit(context);
      if (admission !== undefined) await admission;
      if (call.request instanceof Fault) throw call.request;
      const response = scope.encode(await handler(call.request, context));
      finish(call, context);
      respond(null, response);
    } catch (thrown) {
      context.answered();
      respond(scope.status(thrown, context));
    }
  };
}

/** The transport drops an answer that nobody waits for without a word; as a status it is at least counted. */
function finish(call: { cancelled: boolean }, context: IncomingCall): void {
  if (call.cancelled) throw new Fault('CANCELLED', 'The caller went away before the answer');
  context.answered();
}

function clientStream(handler: ClientStreamHandler<unknown, unknown>, scope: Scope) {
  return async (call: ServerReadableStream<unknown, Buffer>, respond: sendUnaryData<Buffer>): Promise<void> => {
    const context = new IncomingCall(call);
    try {
      await scope.admit(context);
      const response = scope.encode(await handler(requestsOf(call), context));
      finish(call, context);
      respond(null, response);
    } catch (thrown) {
      context.answered();
      respond(scope.status(thrown, context));
    }
  };
}

async function* requestsOf(call: ServerReadableStream<unknown, Buffer>): AsyncGenerator<unknown> {
  try {
    for await (const request of call) {
      if (request instanceof Fault) throw request;
      yield request;
    }
  } catch (cause) {
    throw call.cancelled ? new Fault('CANCELLED', 'The caller went away', { cause }) : cause;
  }
}

function serverStream(handler: ServerStreamHandler<unknown, unknown>, scope: Scope) {
  return async (call: ServerWritableStream<unknown, Buffer>): Promise<void> => {
    const context = new IncomingCall(call);
    let leave = (): void => undefined;
    try {
      await scope.admit(context);
      if (call.request instanceof Fault) throw call.request;
      leave = untilTokenEnds(context);
      for await (const response of handler(call.request, context)) {
        if (call.cancelled) return;
        if (!call.write(scope.encode(response))) await once(call, 'drain', { signal: context.signal });
      }
      if (context.ended !== undefined) throw context.ended;
      context.answered();
      call.end();
    } catch (thrown) {
      context.answered();
      const status = scope.status(context.ended ?? thrown, context);
      if (!call.cancelled) call.emit('error', status);
    } finally {
      leave();
    }
  };
}

/** What is told goes on for long: it is for who is believed, and as long as they are. */
function untilTokenEnds(context: IncomingCall): () => void {
  const { endsAtMs } = context.principal ?? {};
  if (endsAtMs === undefined) return () => undefined;
  return atTokenEnd(endsAtMs, () => context.end(new Fault('TOKEN_EXPIRED', 'The time of the token is over')));
}

function bidi(handler: BidiHandler<unknown, unknown>, scope: Scope) {
  return async (call: ServerDuplexStream<unknown, Buffer>): Promise<void> => {
    const context = new IncomingCall(call);
    try {
      await scope.admit(context);
    } catch (thrown) {
      context.answered();
      call.emit('error', scope.status(thrown, context));
      return;
    }
    // Nothing was read meanwhile: what arrived waits in the transport.
    const stream = serverDuplex<unknown, unknown>(call, context, scope);
    try {
      handler(stream, context);
    } catch (thrown) {
      stream.fail(thrown);
    }
  };
}
