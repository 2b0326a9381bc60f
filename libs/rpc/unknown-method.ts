import type { Metadata, Server, ServerDuplexStream } from '@grpc/grpc-js';
import { Fault } from '#libs/refusal/fault.js';
import { IncomingCall } from './call-context.js';
import type { Edge } from './service.js';
import { localeOfCall, wireStatus } from './status.js';

/** One for all: what callers make up must not become a name of a metric. */
const PATH = '/unknown/unknown';
const MAX_NAME_LENGTH = 200;

interface Handler {
  func: (call: ServerDuplexStream<Buffer, Buffer>) => void;
  serialize: (bytes: Buffer) => Buffer;
  deserialize: (bytes: Buffer) => Buffer;
  type: 'bidi';
  path: string;
}

/**
 * Lets a server say METHOD_UNKNOWN, with the name, of methods that it does not serve. By itself grpc-js answers those past the
 * interceptors, with a status that has no reason; so its own table of handlers is made to have one for every path.
 */
export function answerUnknownMethods(server: Server, edge: Edge): void {
  const { handlers } = server as unknown as { handlers: Map<string, unknown> };
  const registered = handlers.get.bind(handlers);
  handlers.get = (path) => registered(path) ?? handlerOf(path, edge);
}

function handlerOf(path: string, edge: Edge): Handler {
  const asIs = (bytes: Buffer): Buffer => bytes;
  return { func: (call) => refuse(call, path, edge), serialize: asIs, deserialize: asIs, type: 'bidi', path: PATH };
}

function refuse(call: ServerDuplexStream<Buffer, Buffer>, path: string, edge: Edge): void {
  const method = path.replace(/^\//, '').slice(0, MAX_NAME_LENGTH);
  const fault = new Fault('METHOD_UNKNOWN', `The server has no method ${method}`, { metadata: { method } });
  const status: { code: number; details: string; metadata: Metadata } = wireStatus(
    edge.leave(fault, PATH),
    localeOfCall(new IncomingCall(call)),
  );
  call.emit('error', status);
}
