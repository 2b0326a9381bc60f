import type { Socket } from 'node:net';

/** An answer over HTTP/1.1. */
export interface HttpAnswer {
  status: number;
  /** Status line and headers as they came. */
  head: string;
  body: string;
}

/** The value of a header, whatever the case of its name. */
export function headerOf(head: string, name: string): string | undefined {
  return new RegExp(`\\r\\n${name}: *([^\\r]*)`, 'i').exec(head)?.[1];
}

export interface HttpAsk {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  headers: Record<string, string>;
  body?: string;
  /** After it the promise rejects and the outcome is unknown; the socket is dropped. */
  timeoutMs: number;
}

const CONTENT_LENGTH = /\r\ncontent-length: *(\d+)/i;
const CONNECTION_CLOSE = /\r\nconnection: *close/i;

/** One socket and the answer it is reading. */
export class HttpConnection {
  usable = true;
  #received: Buffer[] = [];
  #settle: { resolve(answer: HttpAnswer): void; reject(error: Error): void } | undefined;

  constructor(readonly socket: Socket) {
    socket.on('data', (chunk) => this.#read(chunk));
    socket.on('error', () => this.#fail('connection broken'));
    socket.on('close', () => this.#fail('connection closed'));
  }

  exchange({ method, path, headers, body = '', timeoutMs }: HttpAsk, host: string): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#fail('no answer in time'), timeoutMs);
      const settled = (): void => {
        clearTimeout(timer);
        this.#settle = undefined;
        this.#received = [];
      };
      this.#settle = {
        resolve: (answer) => {
          settled();
          resolve(answer);
        },
        reject: (error) => {
          settled();
          reject(error);
        },
      };
      let head = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\n`;
      for (const name in headers) head += `${name}: ${headers[name]}\r\n`;
      if (body) head += `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`;
      this.socket.write(`${head}\r\n${body}`);
    });
  }

  #fail(message: string): void {
    this.usable = false;
    this.socket.destroy();
    this.#settle?.reject(new Error(message));
  }

  #read(chunk: Buffer): void {
    this.#received.push(chunk);
    const bytes = this.#received.length === 1 ? chunk : Buffer.concat(this.#received);
    const headEnd = bytes.indexOf('\r\n\r\n');
    if (headEnd < 0) return;
    const head = bytes.toString('latin1', 0, headEnd);
    const length = Number(CONTENT_LENGTH.exec(head)?.[1] ?? Number.NaN);
    if (!this.#settle || !Number.isInteger(length)) {
      this.#fail('an answer without content-length');
      return;
    }
    const bodyStart = headEnd + 4;
    if (bytes.length < bodyStart + length) return;
    if (CONNECTION_CLOSE.test(head)) this.usable = false;
    const body = bytes.toString('utf8', bodyStart, bodyStart + length);
    this.#settle.resolve({ status: Number(head.slice(9, 12)), head, body });
  }
}
