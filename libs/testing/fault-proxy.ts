import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { gate } from './gate.js';

type Mode = 'open' | 'dropReplies' | 'blackhole' | 'cut';

/** A stretch of network between a client and a server, to be disturbed at will. */
export interface FaultProxy {
  /** On 127.0.0.1. */
  readonly port: number;
  /** The same URL with this proxy in the place of the server. */
  url(original: string): string;
  /** Holds every byte back for so long, each way. */
  delay(ms: number): void;
  /** Holds every byte back until `heal` lets them pass, in their order. */
  stall(): void;
  /** The server hears, nobody hears the server. */
  dropReplies(): void;
  /** Nobody hears anybody; connections stay, and new ones are taken. */
  blackhole(): void;
  /** Connections are reset, and so is each new one. */
  cut(): void;
  /**
   * Ends every fault. What was swallowed stays lost, so a connection that lost something is broken here:
   * no TCP connection ever goes on with a hole in it.
   */
  heal(): void;
  readonly stats: { connections: number; toServerBytes: number; toClientBytes: number; droppedBytes: number };
  close(): Promise<void>;
}

/** Listens on a free port of 127.0.0.1 and passes everything on to the target. */
export async function faultProxy(targetHost: string, targetPort: number): Promise<FaultProxy> {
  const proxy = new Relay(targetHost, targetPort);
  await proxy.listen(0);
  return proxy;
}

interface Pair {
  client: Socket;
  server: Socket;
  lossy: boolean;
}

class Relay implements FaultProxy {
  readonly #targetHost: string;
  readonly #targetPort: number;
  readonly stats = { connections: 0, toServerBytes: 0, toClientBytes: 0, droppedBytes: 0 };
  port = 0;
  #mode: Mode = 'open';
  #delayMs = 0;
  #stalled = gate();
  #listener: Server | undefined;
  readonly #pairs = new Set<Pair>();

  constructor(targetHost: string, targetPort: number) {
    this.#targetHost = targetHost;
    this.#targetPort = targetPort;
    this.#stalled.open();
  }

  url(original: string): string {
    const url = new URL(original);
    url.hostname = '127.0.0.1';
    url.port = `${this.port}`;
    return url.toString();
  }

  delay(ms: number): void {
    this.#delayMs = ms;
  }

  stall(): void {
    this.#stalled = gate();
  }

  dropReplies(): void {
    this.#mode = 'dropReplies';
  }

  blackhole(): void {
    this.#mode = 'blackhole';
  }

  cut(): void {
    this.#mode = 'cut';
    this.#stalled.open();
    for (const pair of this.#pairs) this.#drop(pair);
  }

  heal(): void {
    this.#mode = 'open';
    this.#delayMs = 0;
    this.#stalled.open();
    for (const pair of this.#pairs) if (pair.lossy) this.#drop(pair);
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#listener?.close(resolve));
  }

  listen(port: number): Promise<void> {
    const listener = createServer((client) => this.#accept(client));
    this.#listener = listener;
    return new Promise((resolve, reject) => {
      listener.once('error', reject);
      listener.listen(port, '127.0.0.1', () => {
        const address = listener.address();
        if (address !== null && typeof address === 'object') this.port = address.port;
        resolve();
      });
    });
  }

  #accept(client: Socket): void {
    if (this.#mode === 'cut') {
      client.resetAndDestroy();
      return;
    }
    this.stats.connections++;
    const pair = { client, server: connect(this.#targetPort, this.#targetHost), lossy: false };
    this.#pairs.add(pair);
    this.#join(pair, client, pair.server, 'toServerBytes');
    this.#join(pair, pair.server, client, 'toClientBytes');
  }

  // Bytes wait in a chain of promises, so that they keep their order whatever the delay does meanwhile.
  #join(pair: Pair, from: Socket, to: Socket, counter: 'toServerBytes' | 'toClientBytes'): void {
    let tail = Promise.resolve();
    from.setNoDelay(true);
    const queue = (step: () => void): void => {
      const due = performance.now() + this.#delayMs;
      tail = tail.then(async () => {
        const wait = due - performance.now();
        if (wait > 0) await pause(wait);
        await this.#stalled.passed;
        step();
      });
    };
    from.on('data', (chunk: Buffer) => queue(() => this.#pass(pair, chunk, to, counter)));
    const farewell = (step: () => void) => (): void =>
      queue(() => {
        if (this.#mode === 'blackhole') pair.lossy = true;
        else step();
      });
    from.on(
      'end',
      farewell(() => to.end()),
    );
    from.on(
      'close',
      farewell(() => this.#drop(pair)),
    );
    from.on('error', () => {}); // 'close' follows.
  }

  #pass(pair: Pair, chunk: Buffer, to: Socket, counter: 'toServerBytes' | 'toClientBytes'): void {
    const swallowed = this.#mode === 'blackhole' || (this.#mode === 'dropReplies' && counter === 'toClientBytes');
    if (swallowed) {
      pair.lossy = true;
      this.stats.droppedBytes += chunk.length;
      return;
    }
    this.stats[counter] += chunk.length;
    if (!to.destroyed) to.write(chunk);
  }

  #drop(pair: Pair): void {
    this.#pairs.delete(pair);
    reset(pair.client);
    reset(pair.server);
  }
}

// A reset while our own end is under way fails inside Node, and keeps the process alive for ever.
function reset(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}
