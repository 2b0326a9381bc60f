import { once } from 'node:events';
import type { Writable } from 'node:stream';
import {
  type CallOptions as GrpcCallOptions,
  type Client as GrpcClient,
  Metadata,
  type ServiceError,
  status,
} from '@grpc/grpc-js';
import { Fault } from '#libs/refusal/fault.js';
import { tracing, type Work } from '#libs/tracing/tracing.js';
import type { CallContext } from './call-context.js';
import { Channels } from './channels.js';
import {
  DEFAULT_MAX_REQUEST_BYTES,
  decoder,
  encodeWithin,
  type MethodDefinition,
  pathOf,
  type RequestOf,
  type ResponseOf,
  type ServiceDefinition,
} from './definition.js';
import { RetryBudget, retryDelayMs } from './retry.js';
import { callSpan, endCalled } from './spans.js';
import { faultOfCall } from './status.js';
import type { Target } from './target.js';

export interface CallOptions {
  /** How long the caller waits, retries included. Default: the client's defaultDeadlineMs. */
  deadlineMs?: number;
  /** Ends the call with Fault CANCELLED when it aborts. */
  signal?: AbortSignal;
  /** Headers to send. */
  metadata?: Readonly<Record<string, string>>;
  /** The incoming call that this one serves: it waits no longer than that one's caller, and passes its trace on. */
  call?: CallContext;
}

type ClientMethod<Method extends MethodDefinition> = Method['requestStream'] extends true
  ? (requests: AsyncIterable<RequestOf<Method>>, options?: CallOptions) => Promise<ResponseOf<Method>>
  : Method['responseStream'] extends true
    ? (request: RequestOf<Method>, options?: CallOptions) => AsyncIterable<ResponseOf<Method>>
    : (request: RequestOf<Method>, options?: CallOptions) => Promise<ResponseOf<Method>>;

type Duplex = { requestStream: true; responseStream: true };

/** One function for each method of the service, but for bidirectional ones, which BatchCaller calls. Errors are Faults. */
export type Client<Definition extends ServiceDefinition> = {
  [Name in keyof Definition['methods'] as Definition['methods'][Name] extends Duplex ? never : Name]: ClientMethod<
    Definition['methods'][Name]
  >;
} & { close(): void };

export interface ConnectOptions {
  /** For calls that name no deadline of their own. */
  defaultDeadlineMs: number;
  /** Longest request (1 MB). */
  maxRequestBytes?: number;
  /** Headers for every call, asked for at each: a token may be another one by then. A call's own go before them. */
  metadata?: () => Readonly<Record<string, string>>;
}

/**
 * A client of a service behind a target (see Addresses). Connects on the first call, and again whenever it must. A call that ends
 * UNAVAILABLE is tried once more, on another address if there is one, when the contract calls the method idempotent.
 */
export function connect<Definition extends ServiceDefinition>(
  definition: Definition,
  target: Target,
  options: ConnectOptions,
): Client<Definition> {
  const peer = { channels: new Channels(target), budget: new RetryBudget(), options };
  const methods = Object.entries(definition.methods).map(([name, method]) => {
    const caller = new MethodCaller(peer, pathOf(definition, method), method);
    if (method.requestStream) return [name, caller.clientStream.bind(caller)];
    return [name, method.responseStream ? caller.serverStream.bind(caller) : caller.unary.bind(caller)];
  });
  return { ...Object.fromEntries(methods), close: () => peer.channels.close() } as Client<Definition>;
}

/** A call that can be cut from this side. */
interface Cancellable {
  cancel(): void;
}

/** Where and how long one try may go. */
interface Attempt {
  channel: GrpcClient;
  metadata: Metadata;
  options: GrpcCallOptions;
  span: Work | undefined;
}

const asIs = (bytes: Buffer): Buffer => bytes;

/** What the methods of one client share. */
interface Peer {
  channels: Channels;
  budget: RetryBudget;
  options: ConnectOptions;
}

/** Calls one method in one of three shapes. */
class MethodCaller {
  readonly #peer: Peer;
  readonly #path: string;
  readonly #method: MethodDefinition;
  readonly #decode: (bytes: Buffer) => unknown;

  constructor(peer: Peer, path: string, method: MethodDefinition) {
    this.#peer = peer;
    this.#path = path;
    this.#method = method;
    this.#decode = decoder(method.responseType);
  }

  async unary(request: unknown, options: CallOptions = {}): Promise<unknown> {
    const bytes = this.#encode(request);
    const deadline = this.#deadlineOf(options);
    this.#peer.budget.earn();
    try {
      return await this.#tryUnary(bytes, options, deadline);
    } catch (error) {
      const delayMs = retryDelayMs();
      if (!this.#mayRetry(error, deadline - delayMs)) throw error;
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      return this.#tryUnary(bytes, options, deadline);
    }
  }

  async clientStream(requests: AsyncIterable<unknown>, options: CallOptions = {}): Promise<unknown> {
    const { channel, metadata, options: grpcOptions, span } = await this.#attempt(options, this.#deadlineOf(options));
    const ended = new AbortController();
    let failure: unknown;
    try {
      return await this.#response(options.signal, span, (done) => {
        const stream = channel.makeClientStreamRequest(this.#path, asIs, asIs, metadata, grpcOptions, done);
        this.#writeAll(stream, requests, ended.signal).catch((error) => {
          if (ended.signal.aborted) return;
          failure = error;
          stream.cancel();
        });
        return stream;
      });
    } catch (error) {
      throw failure ?? error;
    } finally {
      ended.abort();
    }
  }

  async *serverStream(request: unknown, options: CallOptions = {}): AsyncGenerator<unknown> {
    const bytes = this.#encode(request);
    const { channel, metadata, options: grpcOptions, span } = await this.#attempt(options, this.#deadlineOf(options));
    const stream = channel.makeServerStreamRequest(this.#path, asIs, asIs, bytes, metadata, grpcOptions);
    const stopListening = cancelOn(options.signal, stream);
    if (span !== undefined) stream.once('status', ({ code }) => endCalled(span, code));
    try {
      for await (const message of stream) yield this.#read(message);
    } catch (error) {
      throw faultOfAttempt(error, options.signal);
    } finally {
      stopListening();
      stream.cancel();
    }
  }

  async #tryUnary(bytes: Buffer, options: CallOptions, deadline: number): Promise<unknown> {
    const { channel, metadata, options: grpcOptions, span } = await this.#attempt(options, deadline);
    return this.#response(options.signal, span, (done) =>
      channel.makeUnaryRequest(this.#path, asIs, asIs, bytes, metadata, grpcOptions, done),
    );
  }

  #response(
    signal: AbortSignal | undefined,
    span: Work | undefined,
    start: (done: (error: ServiceError | null, bytes?: Buffer) => void) => Cancellable,
  ): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const call = start((error, bytes) => {
        stopListening();
        if (span !== undefined) endCalled(span, error?.code ?? status.OK);
        if (error) return reject(faultOfAttempt(error, signal));
        try {
          resolve(this.#read(bytes as Buffer));
        } catch (fault) {
          reject(fault);
        }
      });
      const stopListening = cancelOn(signal, call);
    });
  }

  async #writeAll(stream: Writable, requests: AsyncIterable<unknown>, ended: AbortSignal): Promise<void> {
    for await (const request of requests) {
      const bytes = this.#encode(request);
      if (!stream.write(bytes)) await once(stream, 'drain', { signal: ended });
    }
    stream.end();
  }

  #encode(request: unknown): Buffer {
    const { maxRequestBytes = DEFAULT_MAX_REQUEST_BYTES } = this.#peer.options;
    return sendable(() => encodeWithin(this.#method.requestType, request, maxRequestBytes));
  }

  #read(bytes: Buffer): unknown {
    const message = this.#decode(bytes);
    if (message instanceof Fault) throw new Fault('INTERNAL', 'The answer cannot be read', { cause: message });
    return message;
  }

  #deadlineOf(options: CallOptions): number {
    const ownMs = options.deadlineMs ?? this.#peer.options.defaultDeadlineMs;
    return Date.now() + Math.min(ownMs, options.call?.remainingMs() ?? ownMs);
  }

  async #attempt(options: CallOptions, deadline: number): Promise<Attempt> {
    if (options.signal?.aborted) throw new Fault('CANCELLED', 'The call was given up');
    if (deadline <= Date.now()) throw new Fault('TOO_LATE', 'No time was left for the call');
    let channel = this.#peer.channels.pick();
    if (channel === undefined) {
      await this.#peer.channels.asked;
      channel = this.#peer.channels.pick();
    }
    if (channel === undefined) throw new Fault('UNAVAILABLE', 'No address of the peer is known');
    const metadata = new Metadata();
    for (const [name, value] of Object.entries({ ...this.#peer.options.metadata?.(), ...options.metadata })) {
      sendable(() => metadata.set(name, value));
    }
    const span = tracing && callSpan(this.#path, channel);
    const trace = span?.traceparent ?? options.call?.metadata('traceparent');
    if (trace !== undefined) metadata.set('traceparent', trace);
    return { channel, metadata, options: { deadline }, span };
  }

  #mayRetry(error: unknown, latestStart: number): boolean {
    if (!(error instanceof Fault) || error.reason !== 'UNAVAILABLE') return false;
    return this.#method.options.idempotencyLevel !== undefined && Date.now() < latestStart && this.#peer.budget.spend();
  }
}

/** What the wire has no place for, like 1.5 units or a header in Chinese, is the caller's to mend. */
function sendable<Value>(put: () => Value): Value {
  try {
    return put();
  } catch (cause) {
    if (cause instanceof Fault) throw cause;
    throw new Fault('INVALID_REQUEST', `This cannot be sent: ${cause instanceof Error ? cause.message : cause}`, {
      cause,
    });
  }
}

function faultOfAttempt(error: unknown, signal: AbortSignal | undefined): Fault {
  if (error instanceof Fault) return error;
  if (signal?.aborted) return new Fault('CANCELLED', 'The call was given up', { cause: error });
  return faultOfCall(error as ServiceError);
}

function cancelOn(signal: AbortSignal | undefined, call: Cancellable): () => void {
  if (signal === undefined) return () => undefined;
  const cancel = (): void => call.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  return () => signal.removeEventListener('abort', cancel);
}
