import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';

/** What the heads of all streams say: a connection that ends with the stream, so that whoever comes back may go elsewhere. */
export const streamHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
  connection: 'close',
} as const;

/** Some dozens of states beyond what the connection takes by itself, which is some 100 kB. */
const waitingMaxBytes = 16_384;
const heartbeat = Buffer.from(':\n\n');
/** What a reader takes after the end of its stream, it takes within this time. */
const endMs = 1_000;

export interface EventStreamOptions {
  /** A comment goes out when nothing else did for so long. */
  heartbeatMs: number;
  /** When a reader that lost the stream shall come back. */
  retryMs: number;
  /** The connection is gone, whoever ended it. `isDropped`: the reader was too slow. */
  closed: (isDropped: boolean) => void;
}

/** One event as it goes over the wire. `id` and `name` are without line breaks, as JSON is. */
export function eventFrame(name: string, id: string, json: object): Buffer {
  return Buffer.from(`event: ${name}\nid: ${id}\ndata: ${JSON.stringify(json)}\n\n`);
}

/**
 * Server-sent events over one answer, which it takes from the framework. What a reader does not take waits in bounded room: beyond
 * it, or when it took nothing from one heartbeat to the next, the reader is dropped, and comes back to the state of then.
 */
export class EventStream {
  readonly #response: ServerResponse;
  readonly #heartbeat: NodeJS.Timeout;
  #cut: NodeJS.Timeout | undefined;
  #isDropped = false;

  constructor(reply: FastifyReply, { heartbeatMs, retryMs, closed }: EventStreamOptions) {
    this.#response = reply.raw;
    reply.hijack();
    // What hooks have set belongs to the answer, too.
    for (const [name, value] of Object.entries(reply.headers(streamHeaders).getHeaders())) {
      if (value !== undefined) this.#response.setHeader(name, value);
    }
    this.#response.writeHead(200);
    this.#heartbeat = setTimeout(() => this.#beat(), heartbeatMs);
    this.#response
      .on('error', () => undefined)
      .once('close', () => {
        clearTimeout(this.#heartbeat);
        clearTimeout(this.#cut);
        closed(this.#isDropped);
      });
    this.#retry(retryMs);
  }

  send(frame: Buffer): void {
    if (this.#response.writableEnded || this.#response.destroyed) return;
    if (this.#response.writableLength > waitingMaxBytes) this.#drop();
    else this.#write(frame);
  }

  /** Ends it after what was sent, and says when to come back unless that was said at the begin. */
  end(retryMs?: number): void {
    if (this.#response.writableEnded || this.#response.destroyed) return;
    clearTimeout(this.#heartbeat);
    if (retryMs !== undefined) this.#retry(retryMs);
    this.#response.end();
    this.#cut = setTimeout(() => this.#response.destroy(), endMs);
  }

  #beat(): void {
    if (this.#response.writableLength > 0) this.#drop();
    else this.#write(heartbeat);
  }

  #write(bytes: Buffer): void {
    this.#response.write(bytes);
    this.#heartbeat.refresh();
  }

  #drop(): void {
    this.#isDropped = true;
    this.#response.destroy();
  }

  #retry(retryMs: number): void {
    this.#response.write(`retry: ${Math.round(retryMs)}\n\n`);
  }
}
