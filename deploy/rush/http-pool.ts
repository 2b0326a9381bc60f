import { connect } from 'node:net';
import { type HttpAnswer, type HttpAsk, HttpConnection } from './http-connection.js';

/** How many sockets may be on their way at once: more would overrun the accept queue of the server. */
const MAX_CONNECTING = 128;

/**
 * Keep-alive sockets to one HTTP/1.1 server, one request on each at a time: as many as are needed, up to `maxSockets`,
 * beyond which requests wait for a socket to fall free. Written on bare sockets because a crowd and the mesh it
 * drives share one machine: it costs a third of what node:http does, and the crowd must not be the bottleneck. It
 * reads answers with a content-length and refuses all others.
 */
export class HttpPool {
  readonly #idle: HttpConnection[] = [];
  readonly #waiting: ((connection: HttpConnection) => void)[] = [];
  readonly #host: string;
  readonly #port: number;
  #sockets = 0;
  #connecting = 0;
  #closed = false;

  constructor(
    url: string,
    readonly maxSockets: number,
  ) {
    const { hostname, port } = new URL(url);
    this.#host = hostname;
    this.#port = Number(port || 80);
  }

  /** Opens sockets ahead of the rush; resolves when they stand or could not be had. */
  async warmUp(count: number): Promise<void> {
    const wanted = Math.min(count, this.maxSockets);
    const openers = Array.from({ length: MAX_CONNECTING }, async () => {
      while (this.#sockets < wanted && !this.#closed) {
        const connection = await this.#open();
        if (!connection) return;
        this.#idle.push(connection);
      }
    });
    await Promise.all(openers);
  }

  /** Rejects when the connection breaks or the time is over: the outcome is then unknown. */
  async ask(ask: HttpAsk): Promise<HttpAnswer> {
    const connection = await this.#acquire(ask.timeoutMs);
    try {
      return await connection.exchange(ask, `${this.#host}:${this.#port}`);
    } finally {
      this.#release(connection);
    }
  }

  close(): void {
    this.#closed = true;
    for (const connection of this.#idle.splice(0)) connection.socket.destroy();
  }

  #acquire(timeoutMs: number): Promise<HttpConnection> {
    for (let idle = this.#idle.pop(); idle; idle = this.#idle.pop()) {
      if (idle.usable) return Promise.resolve(idle);
      this.#sockets -= 1;
    }
    return new Promise((resolve, reject) => {
      const taker = (connection: HttpConnection): void => {
        clearTimeout(timer);
        resolve(connection);
      };
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(taker), 1);
        reject(new Error('no connection in time'));
      }, timeoutMs);
      this.#waiting.push(taker);
      this.#connectForWaiting();
    });
  }

  #connectForWaiting(): void {
    while (
      this.#connecting < Math.min(MAX_CONNECTING, this.#waiting.length) &&
      this.#sockets < this.maxSockets &&
      !this.#closed
    ) {
      void this.#open().then((connection) => {
        if (connection) this.#release(connection);
        else setTimeout(() => this.#connectForWaiting(), 50);
      });
    }
  }

  async #open(): Promise<HttpConnection | undefined> {
    this.#sockets += 1;
    this.#connecting += 1;
    const connection = await new Promise<HttpConnection | undefined>((resolve) => {
      const socket = connect({ host: this.#host, port: this.#port, noDelay: true });
      socket.once('error', () => resolve(undefined));
      socket.once('connect', () => resolve(new HttpConnection(socket)));
    });
    this.#connecting -= 1;
    if (!connection) this.#sockets -= 1;
    return connection;
  }

  #release(connection: HttpConnection): void {
    if (!connection.usable || this.#closed) {
      connection.socket.destroy();
      this.#sockets -= 1;
    } else {
      const taker = this.#waiting.shift();
      if (taker) taker(connection);
      else this.#idle.push(connection);
    }
    this.#connectForWaiting();
  }
}
