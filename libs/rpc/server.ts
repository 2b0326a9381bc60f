import { randomUUID } from 'node:crypto';
import {
  Server,
  ServerCredentials,
  type ServerInterceptingCall,
  type ServerInterceptor,
  status as statusCode,
} from '@grpc/grpc-js';
import { HealthImplementation } from 'grpc-health-check';
import { Fault, faultOf, titleOf } from '#libs/refusal/fault.js';
import { localeOf } from '#libs/refusal/locale.js';
import type { Locale } from '#libs/refusal/localize.js';
import type { Logger } from '#libs/runtime/logger.js';
import { DEFAULT_MAX_REQUEST_BYTES } from './definition.js';
import { type CallRecorder, callRecorder, type RpcMetrics } from './metrics.js';
import { addReflection } from './reflection.js';
import type { Authorize, Edge, ServiceImplementation } from './service.js';
import { endServed, metadataOf, servedSpan } from './spans.js';
import { hasDetails, wireStatus } from './status.js';
import { serverOptions } from './transport.js';
import { answerUnknownMethods } from './unknown-method.js';

/** How long cutting connections takes at most. */
const CUT_MS = 200;

export interface ServerOptions {
  /** `host:port`; port 0 takes a free one. */
  address: string;
  /** Absent: plain. */
  credentials?: ServerCredentials | undefined;
  /** Where it serves besides, as for callers that have no certificate of the mesh. */
  publicly?: { address: string; credentials?: ServerCredentials | undefined } | undefined;
  services: ServiceImplementation[];
  logger: Logger;
  /** Who may call what; health and reflection are open. Without it everybody may. */
  authorize?: Authorize;
  metrics?: RpcMetrics;
  /** Longest request that is taken (1 MB). */
  maxRequestBytes?: number;
  /** How long drain() waits for calls in flight before it cuts them (5 s). */
  drainMs?: number;
  /** Whether the contracts can be asked for by gRPC reflection (yes). Needs the descriptors that the build makes. */
  reflection?: boolean;
}

export interface RpcServer {
  /** `host:port` as bound. */
  readonly address: string;
  /** Likewise where it serves publicly; the same where that is no address of its own. */
  readonly publicAddress: string;
  /** What health v1 says of the server and each service. NOT_SERVING until told otherwise. */
  serving(serving: boolean): void;
  /**
   * Stops: health says NOT_SERVING, peers are told to go elsewhere, calls in flight may finish; those that have not after
   * drainMs are cut, and their callers do not know the outcome. The same promise however often called.
   */
  drain(): Promise<void>;
}

/** Starts a gRPC server with health v1 and reflection. Every status that is not OK leaves as google.rpc.Status with one ErrorInfo. */
export async function startServer(options: ServerOptions): Promise<RpcServer> {
  const { services, logger, metrics, maxRequestBytes = DEFAULT_MAX_REQUEST_BYTES, drainMs = 5_000 } = options;
  const edge: Edge = { authorize: options.authorize, leave: (thrown, path) => leave(thrown, path, logger) };
  const server = new Server({
    ...serverOptions(maxRequestBytes),
    interceptors: [edgeInterceptor(edge, metrics)],
  });
  for (const service of services) service.register(server, edge);
  const names = ['', ...services.map((service) => service.name)];
  const health = new HealthImplementation(Object.fromEntries(names.map((name) => [name, 'NOT_SERVING' as const])));
  health.addToServer(server);
  if (options.reflection ?? true) addReflection(server, services, logger);

  answerUnknownMethods(server, edge);

  const { publicly } = options;
  const address = await bind(server, options.address, options.credentials);
  const publicAddress = publicly ? await bind(server, publicly.address, publicly.credentials) : address;
  const serving = (yes: boolean): void => {
    for (const name of names) health.setStatus(name, yes ? 'SERVING' : 'NOT_SERVING');
  };
  let drained: Promise<void> | undefined;
  return {
    address,
    publicAddress,
    serving,
    drain() {
      serving(false);
      drained ??= shutDown(server, [address, publicAddress], drainMs);
      return drained;
    },
  };
}

/**
 * The one interceptor: sees every status on its way out, also those that the transport makes by itself (a deadline that passed, a
 * message over the limit), gives those a reason, counts the call, and ends its span.
 */
function edgeInterceptor(edge: Edge, metrics: RpcMetrics | undefined): ServerInterceptor {
  const recorders = new Map<string, CallRecorder>();
  return (method, call) => {
    // Health and reflection speak the words of their own protocols.
    if (method.path.startsWith('/grpc.')) return call as ServerInterceptingCall;
    const startedAt = performance.now();
    let recorder = recorders.get(method.path);
    if (recorder === undefined) {
      const [, service = '', name = ''] = method.path.split('/');
      recorder = callRecorder(metrics, service, name);
      recorders.set(method.path, recorder);
    }
    let record: CallRecorder | undefined = recorder;
    const span = servedSpan(method, call);
    const send = call.sendStatus;
    // Overridden rather than wrapped: a wrapper costs 15 us a call and is not asked about the transport's own statuses.
    const transportStatus = ({ code, details }: Parameters<typeof send>[0]) =>
      wireStatus(edge.leave(faultOfTransport(code, details), method.path), localeOfTransport(call));
    call.sendStatus = (status) => {
      const ok = status.code === statusCode.OK || hasDetails(status.metadata);
      const outgoing = ok ? status : transportStatus(status);
      record?.(outgoing.code, (performance.now() - startedAt) / 1_000);
      if (span !== undefined && record !== undefined) endServed(span, outgoing.code ?? statusCode.UNKNOWN);
      record = undefined;
      send.call(call, outgoing);
    };
    return call as ServerInterceptingCall;
  };
}

/** The language that the caller asked for. */
function localeOfTransport(call: object): Locale {
  const [value] = metadataOf(call)?.get('accept-language') ?? [];
  return localeOf(typeof value === 'string' ? value : undefined);
}

/** What the server's transport found wrong with a call by itself. */
function faultOfTransport(code: number | undefined, details = ''): Fault {
  if (code === statusCode.DEADLINE_EXCEEDED) return new Fault('TOO_LATE', titleOf('TOO_LATE'));
  // Over the limit, compressed in a way that is not known or not valid, a second message where one is due, a timeout that is none.
  const isTheCallers =
    code === statusCode.RESOURCE_EXHAUSTED ||
    code === statusCode.UNIMPLEMENTED ||
    /^(Failed to decompress|Invalid grpc-timeout)/.test(details);
  return isTheCallers ? new Fault('INVALID_REQUEST', details) : faultOf(new Error(details));
}

/** Logs a fault of ours once, with an id by which whoever met it can name it; its cause stays here. */
function leave(thrown: unknown, method: string, logger: Logger): Fault {
  const fault = isAbort(thrown) ? new Fault('CANCELLED', 'The call was given up', { cause: thrown }) : faultOf(thrown);
  if (fault.reason !== 'INTERNAL') {
    logger.debug({ method, reason: fault.reason, err: fault }, 'call failed');
    return fault;
  }
  // A peer that met it has logged it under this id.
  if (fault.metadata.fault_id !== undefined) return fault;
  const faultId = randomUUID();
  logger.error({ method, faultId, err: fault.cause ?? fault }, 'call failed inside');
  return new Fault('INTERNAL', titleOf('INTERNAL'), { metadata: { fault_id: faultId } });
}

/** What waits of the platform reject with when their signal aborts. */
function isAbort(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.name === 'AbortError';
}

function bind(
  server: Server,
  address: string,
  credentials: ServerCredentials = ServerCredentials.createInsecure(),
): Promise<string> {
  return new Promise((resolve, reject) => {
    server.bindAsync(address, credentials, (error, port) => {
      if (error) reject(new Error(`cannot listen on ${address}`, { cause: error }));
      else resolve(address.replace(/:\d+$/, `:${port}`));
    });
  });
}

/**
 * Waits for calls in flight for drainMs, then cuts them. In this order: forceShutdown(), and drain() after tryShutdown(), leave the
 * connections of a server without channelz open.
 */
function shutDown(server: Server, addresses: readonly string[], drainMs: number): Promise<void> {
  for (const address of new Set(addresses)) server.drain(address, drainMs);
  return new Promise((resolve) => {
    // A connection that its peer has closed but for open streams is not cut by drain(). It is not waited for either.
    const enough = setTimeout(resolve, drainMs + CUT_MS);
    server.tryShutdown(() => {
      clearTimeout(enough);
      resolve();
    });
  });
}
