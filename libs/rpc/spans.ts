import {
  type Client,
  Metadata,
  type ServerInterceptingCallInterface,
  type ServerMethodDefinition,
  status as statusCode,
} from '@grpc/grpc-js';
import { tracing, type Work } from '#libs/tracing/tracing.js';

/** Codes by which a server says that it failed itself. */
const failures = new Set([
  statusCode.UNKNOWN,
  statusCode.DEADLINE_EXCEEDED,
  statusCode.UNIMPLEMENTED,
  statusCode.INTERNAL,
  statusCode.UNAVAILABLE,
  statusCode.DATA_LOSS,
]);

function attributesOf(path: string) {
  return { 'rpc.system.name': 'grpc', 'rpc.method': path.slice(1) };
}

/**
 * The span of a call that arrives; what is done for it belongs to it, and what is called for it is told its name. A batched
 * stream has none: it is opened once and for all, and its items have theirs.
 */
export function servedSpan(
  {
    path,
    requestStream,
    responseStream,
  }: Pick<ServerMethodDefinition<unknown, unknown>, 'path' | 'requestStream' | 'responseStream'>,
  call: ServerInterceptingCallInterface,
): Work | undefined {
  if (tracing === undefined || (requestStream && responseStream)) return undefined;
  const metadata = metadataOf(call);
  const [named] = metadata?.get('traceparent') ?? [];
  const span = tracing.arrived('SERVER', path.slice(1), attributesOf(path), named?.toString());
  metadata?.set('traceparent', span.traceparent);
  if (!span.isSampled) return span;
  const { start } = call;
  call.start = (listener) =>
    start.call(call, {
      onReceiveMetadata: (received) => span.within(() => listener.onReceiveMetadata(received)),
      onReceiveMessage: (message) => span.within(() => listener.onReceiveMessage(message)),
      onReceiveHalfClose: () => span.within(() => listener.onReceiveHalfClose()),
      onCancel: () => listener.onCancel(),
    });
  return span;
}

/** The span of one item of a batched stream. */
export function itemSpan(path: string, traceparent: string): Work | undefined {
  return tracing?.arrived('SERVER', path.slice(1), attributesOf(path), traceparent);
}

/** The span of a call that is made for the work in hand. */
export function callSpan(path: string, channel: Client): Work | undefined {
  const span = tracing?.asks('CLIENT', path.slice(1), attributesOf(path));
  if (span === undefined) return undefined;
  const [, address = '', port] = /([^/:]+|\[[^\]]+\]):(\d+)$/.exec(channel.getChannel().getTarget()) ?? [];
  span.set('server.address', address);
  span.set('server.port', Number(port));
  return span;
}

/** Ends the span of what was answered with this code. */
export function endServed(span: Work, code: number): void {
  end(span, code, failures.has(code));
}

/** Ends the span of what was asked: to its caller each status but OK is a failure. */
export function endCalled(span: Work, code: number): void {
  end(span, code, code !== statusCode.OK);
}

function end(span: Work, code: number, isFailure: boolean): void {
  const name = statusCode[code] ?? String(code);
  span.set('rpc.response.status_code', name);
  if (isFailure) span.fail(name);
  span.end();
}

/** What the caller sent along. The transport keeps it, though its type does not say so. */
export function metadataOf(call: object): Metadata | undefined {
  return 'metadata' in call && call.metadata instanceof Metadata ? call.metadata : undefined;
}
