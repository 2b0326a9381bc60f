import { type ClientHttp2Session, connect, constants, type IncomingHttpHeaders } from 'node:http2';
import { Status } from '#libs/contracts/gen/google/rpc/status.js';
import {
  ReservationServiceDefinition,
  ReserveRequest,
  ReserveResponse,
} from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import { WaitlistServiceDefinition } from '#libs/contracts/gen/holdfast/waitlist/v1/waitlist_service.js';
import { fromStatus } from '#libs/rpc/status.js';
import type { Random } from '../rush/random.js';
import type { Findings, Told } from './findings.js';
import { mutateBytes, oddText, pick, randomBytes } from './mutate.js';
import type { Person } from './people.js';

const TIMEOUT_MS = 20_000;
/** Streams that watch live on by themselves: they are given up. */
const WATCH_MS = 500;
/** The codes that nobody should be told without a reason. */
const UNKNOWN = 2;
const INTERNAL = 13;

const services = [ReservationServiceDefinition, WaitlistServiceDefinition];
const paths = services.flatMap((service) =>
  Object.values(service.methods).map(({ name }) => `/${service.fullName}/${name}`),
) as [string, ...string[]];

interface Frame {
  path: string;
  headers: Record<string, string>;
  bytes: Buffer;
  /** Taken back as soon as it is sent. */
  reset: boolean;
}

/** Sends changed messages and frames to every method of the gateway. */
export class GrpcFrames {
  #session: ClientHttp2Session | undefined;
  readonly #message: Uint8Array;

  constructor(
    private readonly address: string,
    private readonly people: readonly [Person, ...Person[]],
    { storeId, skuId }: { storeId: string; skuId: string },
  ) {
    const lines = [{ skuId, quantity: 1, attendeeId: '', unitPriceMinor: 0 }];
    this.#message = ReserveRequest.encode({ storeId, requestId: 'fuzz', lines }).finish();
  }

  async shoot(random: Random, findings: Findings): Promise<void> {
    const frame = this.#frame(random);
    findings.note(await this.#send(frame), () => `${frame.path} ${frame.bytes.toString('hex')}`);
  }

  close(): void {
    this.#session?.destroy();
  }

  #frame(random: Random): Frame {
    const message =
      random.next() < 0.85 ? mutateBytes(random, this.#message) : randomBytes(random, random.integer(0, 200));
    const prefix = Buffer.alloc(5);
    prefix[0] = random.next() < 0.95 ? 0 : random.integer(1, 255);
    prefix.writeUInt32BE(random.next() < 0.95 ? message.length : random.integer(0, 2 ** 32 - 1), 1);
    const framed = random.next() < 0.95 ? Buffer.concat([prefix, message]) : message;
    const path = random.next() < 0.97 ? pick(random, paths) : `/${pathText(oddText(random))}`;
    return {
      path,
      bytes: random.next() < 0.05 ? Buffer.concat([framed, framed]) : framed,
      // Whoever takes a reservation back does not hear what became of it.
      reset: !path.endsWith('/Reserve') && random.next() < 0.05,
      headers: {
        ...pick(random, this.people).headers,
        'content-type': random.next() < 0.98 ? 'application/grpc' : 'text/plain',
        'grpc-timeout': random.next() < 0.9 ? '10S' : pick(random, ['0n', '-1S', '1', 'S', '99999999H', '1x'] as const),
        ...(random.next() < 0.03 && { 'grpc-encoding': pick(random, ['gzip', 'deflate', 'br', 'x'] as const) }),
        ...(random.next() < 0.05 && { 'x-odd-bin': 'not base64!' }),
      },
    };
  }

  #send({ path, headers, bytes, reset }: Frame): Promise<Told> {
    const target = path.split('/').at(-1)?.slice(0, 30) ?? path;
    const isWatch = target.startsWith('Watch') || target === 'ReserveStream';
    return new Promise((resolve) => {
      const stream = this.#open().request({ ':method': 'POST', ':path': path, te: 'trailers', ...headers });
      const enough = setTimeout(() => give(isWatch ? 'watched' : 'no answer'), isWatch ? WATCH_MS : TIMEOUT_MS);
      let first: IncomingHttpHeaders = {};
      let last: IncomingHttpHeaders = {};
      const give = (answer: string, wrong?: string, orderId?: string): void => {
        clearTimeout(enough);
        if (!stream.closed) stream.close(constants.NGHTTP2_CANCEL);
        resolve({ target, answer, wrong: answer === 'no answer' ? answer : wrong, orderId });
      };
      stream.on('response', (received) => {
        first = received;
      });
      stream.on('trailers', (received) => {
        last = received;
      });
      stream.on('error', () => give('reset'));
      stream.on('close', () => {
        const told = judged({ ...first, ...last });
        const orderId = target === 'Reserve' && told.answer === 'OK' ? orderIdOf(Buffer.concat(received)) : undefined;
        give(told.answer, told.wrong, orderId);
      });
      const received: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => received.push(chunk));
      stream.end(bytes);
      if (reset) stream.close(constants.NGHTTP2_CANCEL);
    });
  }

  #open(): ClientHttp2Session {
    if (this.#session === undefined || this.#session.closed || this.#session.destroyed) {
      const session = connect(`http://${this.address}`);
      session.on('error', () => session.destroy());
      session.setMaxListeners(0);
      this.#session = session;
    }
    return this.#session;
  }
}

function judged(headers: IncomingHttpHeaders): { answer: string; wrong?: string } {
  const status = headers['grpc-status']?.toString();
  if (status === undefined) return { answer: `http ${headers[':status'] ?? 'closed'}` };
  if (status === '0') return { answer: 'OK' };
  const details = headers['grpc-status-details-bin']?.toString();
  const message = decodeURIComponent(String(headers['grpc-message'] ?? ''));
  if (details === undefined) return { answer: status, wrong: `status ${status} without a reason: ${message}` };
  const { reason } = fromStatus(Status.decode(Buffer.from(details, 'base64')));
  const isWrong = reason === 'INTERNAL' || Number(status) === UNKNOWN || Number(status) === INTERNAL;
  return { answer: `${status} ${reason}`, ...(isWrong && { wrong: message }) };
}

/** The order that an answer of Reserve tells as taken or promised. */
function orderIdOf(framed: Buffer): string | undefined {
  const { outcome } = ReserveResponse.decode(framed.subarray(5));
  if (outcome?.$case === 'held') return outcome.value.order?.orderId;
  return outcome?.$case === 'pending' ? outcome.value.orderId : undefined;
}

function pathText(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString()).slice(0, 300);
}
