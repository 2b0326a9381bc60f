import { setTimeout as delay } from 'node:timers/promises';
import { type ConnectionOptions as ClientOptions, connect, Events, type Msg, type NatsConnection } from 'nats';
import type { Logger } from '#libs/runtime/logger.js';
import { withinDeadline } from '#libs/runtime/within-deadline.js';

export interface ConnectionOptions {
  /** `nats://user:password@host:port`, several with commas between. */
  readonly url: string;
  /** What the server's monitoring shows. */
  readonly name: string;
  readonly logger: Logger;
  /** Between two tries to reach a server, up to twice as long by chance; 500 by default. */
  readonly reconnectWaitMs?: number;
  /** A server that answers two pings in a row with silence is given up for another try; 2000 by default. */
  readonly pingIntervalMs?: number;
}

type OnMessage = (message: Msg) => void;

interface Interest {
  readonly subject: string;
  readonly onMessage: OnMessage;
  stop: () => void;
}

/** How long a server may take to greet: a frozen one accepts connections and says nothing. */
const GREETING_TIMEOUT_MS = 2_000;
const FLUSH_TIMEOUT_MS = 500;

/**
 * The one connection to NATS, made as soon as it can be and made again for ever when it is lost. Interest in subjects
 * outlives connections; what is published without one is dropped.
 */
export class Connection {
  readonly #options: Required<ConnectionOptions>;
  readonly #closing = new AbortController();
  readonly #interests = new Set<Interest>();
  readonly #listeners = new Set<() => void>();
  #client: NatsConnection | undefined;
  #connected = false;

  constructor(options: ConnectionOptions) {
    this.#options = { reconnectWaitMs: 500, pingIntervalMs: 2_000, ...options };
    void this.#keepConnected();
  }

  /** The client while it is connected. */
  get client(): NatsConnection | undefined {
    return this.#connected ? this.#client : undefined;
  }

  /** Calls back each time a connection was made, and at once when there is one. Returns how to stop that. */
  onConnected(listener: () => void): () => void {
    this.#listeners.add(listener);
    if (this.#connected) listener();
    return () => this.#listeners.delete(listener);
  }

  /** Hears a subject on this and all later connections. Returns how to stop that. */
  subscribe(subject: string, onMessage: OnMessage): () => void {
    const interest: Interest = { subject, onMessage, stop: () => undefined };
    this.#interests.add(interest);
    // The client takes its subscriptions along when it reconnects.
    if (this.#client && !this.#client.isClosed()) listen(this.#client, interest);
    return () => {
      this.#interests.delete(interest);
      interest.stop();
    };
  }

  /** Sends what was published so far, if there is a connection, and ends it. */
  async close(): Promise<void> {
    this.#closing.abort();
    const client = this.#client;
    if (!client) return;
    if (this.#connected) await withinDeadline(client.flush(), FLUSH_TIMEOUT_MS, noFlush).catch(() => undefined);
    this.#connected = false;
    await client.close();
  }

  async #keepConnected(): Promise<void> {
    const { logger, reconnectWaitMs } = this.#options;
    let failures = 0;
    while (!this.#closing.signal.aborted) {
      try {
        const client = await connect(this.#clientOptions());
        failures = 0;
        if (this.#closing.signal.aborted) return await client.close();
        await this.#serve(client);
      } catch (error) {
        failures += 1;
        logger[failures === 1 ? 'warn' : 'debug']({ err: error }, 'nats cannot be reached');
      }
      const waitMs = reconnectWaitMs * (1 + Math.random());
      await delay(waitMs, undefined, { signal: this.#closing.signal }).catch(() => undefined);
    }
  }

  /** Resolves when the client has closed for good, which it does only when told to. */
  async #serve(client: NatsConnection): Promise<void> {
    this.#client = client;
    for (const interest of this.#interests) listen(client, interest);
    void this.#followStatus(client);
    this.#announce(client);
    await client.closed();
    this.#connected = false;
  }

  async #followStatus(client: NatsConnection): Promise<void> {
    for await (const status of client.status()) {
      if (status.type === Events.Reconnect) this.#announce(client);
      if (status.type === Events.Disconnect) {
        this.#connected = false;
        this.#options.logger.warn('lost nats');
      }
      if (status.type === Events.Error) this.#options.logger.warn({ code: status.data }, 'nats reports an error');
    }
  }

  #announce(client: NatsConnection): void {
    this.#connected = true;
    this.#options.logger.info({ server: client.getServer() }, 'connected to nats');
    for (const listener of this.#listeners) listener();
  }

  #clientOptions(): ClientOptions {
    const { url, name, reconnectWaitMs, pingIntervalMs } = this.#options;
    const urls = url.split(',').map((server) => new URL(server));
    const [first] = urls;
    return {
      servers: urls.map((server) => server.host),
      ...(first?.username && { user: decodeURIComponent(first.username), pass: decodeURIComponent(first.password) }),
      name,
      timeout: GREETING_TIMEOUT_MS,
      // By default the client closes for good after ten tries.
      maxReconnectAttempts: -1,
      ignoreAuthErrorAbort: true,
      reconnectTimeWait: reconnectWaitMs,
      reconnectJitter: reconnectWaitMs,
      pingInterval: pingIntervalMs,
      maxPingOut: 2,
      noAsyncTraces: true,
    };
  }
}

function noFlush(): Error {
  return new Error('not flushed in time');
}

function listen(client: NatsConnection, interest: Interest): void {
  const subscription = client.subscribe(interest.subject, {
    callback: (error, message) => {
      if (!error) interest.onMessage(message);
    },
  });
  interest.stop = () => subscription.unsubscribe();
}
