import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import type { OnBusy } from '#libs/contracts/gen/holdfast/inventory/v1/sku.js';
import {
  ReservationServiceDefinition as Reservation,
  ReserveStreamRequest,
} from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import { pathOf } from '#libs/rpc/definition.js';
import { bearerOf } from '#libs/testing/test-issuer.js';
import { readResults } from './stream-results.js';

const { HTTP2_HEADER_METHOD, HTTP2_HEADER_PATH, HTTP2_HEADER_CONTENT_TYPE, HTTP2_HEADER_TE } = constants;
const windowBytes = 16 * 1024 * 1024;
const frameHeadBytes = 5;

/** How one item ended: HELD, PENDING, REFUSED, QUEUED, or `status <number>`. */
export type ItemEnded = (item: number, outcome: string) => void;

/** Reservations by ReserveStream, as a trusted front-end sends them: one stream to each gateway, in batches. */
export class StreamLoad {
  private constructor(
    private readonly sessions: ClientHttp2Session[],
    private readonly streams: ClientHttp2Stream[],
  ) {}

  /** Resolves when a stream is open to each address (`host:port`). */
  static async open(addresses: string[], onEnded: ItemEnded): Promise<StreamLoad> {
    const sessions = await Promise.all(addresses.map(openSession));
    return new StreamLoad(
      sessions,
      sessions.map((session) => openStream(session, onEnded)),
    );
  }

  /** Sends items as one message, on the n-th stream in turn. */
  send(n: number, items: Buffer[]): void {
    const message = Buffer.concat([Buffer.alloc(frameHeadBytes), ...items]);
    message.writeUInt32BE(message.length - frameHeadBytes, 1);
    this.streams[n % this.streams.length]?.write(message);
  }

  close(): void {
    for (const session of this.sessions) session.destroy();
  }
}

/** What an item asks for: one unit of one sku, for a user and under a request id of its own. */
export interface ItemWish {
  storeId: string;
  skuId: string;
  tag: string;
  deadlineMs: number;
  onBusy?: OnBusy;
}

/** The n-th item as the bytes it has within a message: messages are put together by joining them. */
export function encodeItem({ storeId, skuId, tag, deadlineMs, onBusy }: ItemWish, n: number): Buffer {
  const request = {
    storeId,
    lines: [{ skuId, quantity: 1, attendeeId: '', unitPriceMinor: 0 }],
    requestId: `${tag}-r${n}`,
    onBusy,
  };
  const item = { itemId: n, userId: `${tag}-u${n}`, remainingMs: deadlineMs, request };
  return Buffer.from(ReserveStreamRequest.encode({ items: [item] }).finish());
}

function openStream(session: ClientHttp2Session, onEnded: ItemEnded): ClientHttp2Stream {
  const stream = session.request({
    [HTTP2_HEADER_METHOD]: 'POST',
    [HTTP2_HEADER_PATH]: pathOf(Reservation, Reservation.methods.reserveStream),
    [HTTP2_HEADER_CONTENT_TYPE]: 'application/grpc',
    [HTTP2_HEADER_TE]: 'trailers',
    authorization: bearerOf('bench', { role: 'SERVICE' }),
  });
  stream.on('error', () => {}); // Its items are without an outcome, which is counted.
  let received: Buffer = Buffer.alloc(0);
  stream.on('data', (chunk: Buffer) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    let from = 0;
    while (received.length - from >= frameHeadBytes) {
      const to = from + frameHeadBytes + received.readUInt32BE(from + 1);
      if (to > received.length) break;
      readResults(received.subarray(from + frameHeadBytes, to), onEnded);
      from = to;
    }
    received = received.subarray(from);
  });
  return stream;
}

function openSession(address: string): Promise<ClientHttp2Session> {
  return new Promise((resolve, reject) => {
    const session = connect(`http://${address}`, { settings: { initialWindowSize: windowBytes } });
    session.once('error', reject);
    session.once('connect', () => {
      session.off('error', reject).on('error', () => {}); // Its items are without an outcome.
      session.setLocalWindowSize(windowBytes);
      resolve(session);
    });
  });
}
