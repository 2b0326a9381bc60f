import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';

const { HTTP2_HEADER_METHOD, HTTP2_HEADER_PATH, HTTP2_HEADER_CONTENT_TYPE, HTTP2_HEADER_TE } = constants;

/** How one call ended: the bytes of its reply, if any, and its gRPC status, if one arrived. */
export type CallEnded = (call: number, reply: Buffer | undefined, status: string | undefined) => void;

export interface LoadOptions {
  /** `host:port` without TLS. */
  address: string;
  /** `/package.Service/Method`. */
  path: string;
  connections: number;
  deadlineMs: number;
}

/**
 * Unary gRPC calls on bare HTTP/2 sessions: the message is on the wire as given, the reply is handed over as it came.
 * A generated client costs several times as much per call, and would be what is measured.
 */
export class GrpcLoad {
  private constructor(
    private readonly sessions: ClientHttp2Session[],
    private readonly options: LoadOptions,
  ) {}

  /** Resolves when all sessions are connected. */
  static async open(options: LoadOptions): Promise<GrpcLoad> {
    const opening = Array.from({ length: options.connections }, () => openSession(options.address));
    return new GrpcLoad(await Promise.all(opening), options);
  }

  /**
   * Sends all frames, `inFlight` at a time, the next as soon as one has ended; the n-th with the header `authorizationOf(n)`.
   * Resolves with the time of each call in milliseconds.
   */
  run(
    frames: Buffer[],
    inFlight: number,
    authorizationOf: (n: number) => string,
    onEnded: CallEnded,
  ): Promise<Float64Array> {
    const latencies = new Float64Array(frames.length);
    let next = 0;
    let ended = 0;
    return new Promise((resolve) => {
      const sendNext = (): void => {
        const call = next++;
        const frame = frames[call];
        if (frame === undefined) return;
        const begun = performance.now();
        this.#call(call, frame, authorizationOf(call), (reply, status) => {
          latencies[call] = performance.now() - begun;
          onEnded(call, reply, status);
          if (++ended === frames.length) resolve(latencies);
          else sendNext();
        });
      };
      for (let slot = 0; slot < inFlight; slot++) sendNext();
    });
  }

  close(): void {
    for (const session of this.sessions) session.destroy();
  }

  #call(
    call: number,
    frame: Buffer,
    authorization: string,
    onEnded: (reply: Buffer | undefined, status: string | undefined) => void,
  ): void {
    const stream = this.#open(call, authorization);
    if (stream === undefined) {
      // In a later turn, so that a dead session does not become a recursion over all frames.
      setImmediate(onEnded, undefined, undefined);
      return;
    }
    let reply: Buffer | undefined;
    let status: string | undefined;
    const readStatus = (headers: Record<string, unknown>): void => {
      const value = headers['grpc-status'];
      if (value !== undefined) status = String(value);
    };
    stream.on('response', readStatus);
    stream.on('trailers', readStatus);
    stream.on('data', (chunk: Buffer) => {
      reply = reply === undefined ? chunk : Buffer.concat([reply, chunk]);
    });
    stream.on('error', () => {}); // The call ends without a status, which is counted.
    stream.on('close', () => onEnded(reply, status));
    stream.end(frame);
  }

  #open(call: number, authorization: string): ClientHttp2Stream | undefined {
    const session = this.sessions[call % this.sessions.length];
    if (session === undefined || session.destroyed || session.closed) return undefined;
    return session.request({
      [HTTP2_HEADER_METHOD]: 'POST',
      [HTTP2_HEADER_PATH]: this.options.path,
      [HTTP2_HEADER_CONTENT_TYPE]: 'application/grpc',
      [HTTP2_HEADER_TE]: 'trailers',
      'grpc-timeout': `${this.options.deadlineMs}m`,
      authorization,
    });
  }
}

function openSession(address: string): Promise<ClientHttp2Session> {
  return new Promise((resolve, reject) => {
    const session = connect(`http://${address}`);
    session.once('error', reject);
    session.once('connect', () => {
      session.off('error', reject).on('error', () => {}); // Its streams end without a status.
      resolve(session);
    });
  });
}
