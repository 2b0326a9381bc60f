import { type ConsumerInfo, connect, type JetStreamManager, type NatsConnection } from 'nats';
import { createLogger } from '#libs/runtime/logger.js';
import { createMetrics } from '#libs/runtime/metrics.js';
import type { PrivateServer } from '#libs/servers/private-server.js';
import { type FaultProxy, faultProxy } from '#libs/testing/fault-proxy.js';
import { type Gate, gate } from '#libs/testing/gate.js';
import { privateNats } from '#libs/testing/private-servers.js';
import type { Suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import {
  type ConsumeOptions,
  type Consumption,
  connectMessaging,
  type Messaging,
  type StreamSpec,
} from './messaging.js';

export const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
export const decode = (data: Uint8Array): string => new TextDecoder().decode(data);

/** Quick to notice a lost server and quick to come back, as tests want it; not connected yet. */
export function startMessaging(url: string): Messaging {
  return connectMessaging({
    url,
    name: 'test',
    reconnectWaitMs: 10,
    pingIntervalMs: 200,
    logger: createLogger('test', 'silent'),
    metrics: createMetrics(),
  });
}

/** A handler that notes the text of each message and acknowledges it. */
export function ackInto(seen: string[]): ConsumeOptions['onBatch'] {
  return async (batch) => {
    for (const delivery of batch) {
      seen.push(decode(delivery.data));
      delivery.ack();
    }
  };
}

interface Parts {
  readonly server: PrivateServer;
  readonly proxy: FaultProxy;
  readonly messaging: Messaging;
  readonly observer: NatsConnection;
  readonly manager: JetStreamManager;
}

/** A NATS for the tests of one file, with a proxy before it, and for each of them a stream of its own. */
export class TestMessaging {
  readonly #opened: Messaging[] = [];
  readonly #consuming: Consumption[] = [];
  readonly #gates: Gate[] = [];
  #parts: Parts | undefined;
  #count = 0;

  constructor(test: Suite) {
    test.before(() => this.#start());
    test.before.each(() => this.#makeStream());
    test.after.each(() => this.#endTest());
    test.after(() => this.#stop());
  }

  /** Goes past the proxy. */
  get messaging(): Messaging {
    return this.#running.messaging;
  }

  get proxy(): FaultProxy {
    return this.#running.proxy;
  }

  /** A client of the test's own, to look at the server and to do to it what nobody should. */
  get manager(): JetStreamManager {
    return this.#running.manager;
  }

  /** A work queue for this test. */
  get stream(): StreamSpec {
    return {
      name: `S${this.#count}`,
      subjects: [`s${this.#count}.>`],
      retention: 'workqueue',
      replicas: 1,
      duplicateWindowMs: 60_000,
    };
  }

  /** A subject of that stream. */
  get subject(): string {
    return `s${this.#count}.a`;
  }

  /** Another process: connected, through the proxy or past it. */
  async open(way: 'through proxy' | 'past proxy'): Promise<Messaging> {
    const { proxy, server } = this.#running;
    const messaging = startMessaging(way === 'through proxy' ? proxy.url(server.url) : server.url);
    this.#opened.push(messaging);
    await until(() => messaging.connected);
    return messaging;
  }

  /** Consumes the stream of this test until its end. */
  consume(
    onBatch: ConsumeOptions['onBatch'],
    options: Partial<ConsumeOptions> = {},
    from: Messaging = this.messaging,
  ): Consumption {
    const consumption = from.consume({
      stream: this.stream,
      durable: 'worker',
      ackWaitMs: 60_000,
      maxMessages: 100,
      maxAckPending: 1_000,
      stalledAfterMs: 600,
      onBatch,
      ...options,
    });
    this.#consuming.push(consumption);
    return consumption;
  }

  /** Stores one message after the other in the stream of this test. */
  async store(...words: (string | number)[]): Promise<void> {
    for (const word of words) await this.messaging.store(this.subject, encode(String(word)), { timeoutMs: 10_000 });
  }

  /** A gate that the end of the test opens, so that one which fails does not hang. */
  gate(): Gate {
    const made = gate();
    this.#gates.push(made);
    return made;
  }

  /** What of the stream nobody is done with. */
  async messagesLeft(): Promise<number> {
    return (await this.manager.streams.info(this.stream.name)).state.messages;
  }

  /** What the server says of the consumer. */
  consumerInfo(): Promise<ConsumerInfo> {
    return this.manager.consumers.info(this.stream.name, 'worker');
  }

  get #running(): Parts {
    if (!this.#parts) throw new Error('nothing is running yet');
    return this.#parts;
  }

  async #start(): Promise<void> {
    const server = await privateNats();
    const proxy = await faultProxy('127.0.0.1', server.port);
    const observer = await connect({ servers: `127.0.0.1:${server.port}` });
    const messaging = startMessaging(server.url);
    this.#parts = { server, proxy, messaging, observer, manager: await observer.jetstreamManager() };
    await until(() => messaging.connected);
  }

  async #makeStream(): Promise<void> {
    this.#count += 1;
    await this.messaging.ensureStream(this.stream);
  }

  async #endTest(): Promise<void> {
    for (const each of this.#gates.splice(0)) each.open();
    this.proxy.heal();
    await Promise.all(this.#consuming.splice(0).map((each) => each.close()));
    await Promise.all(this.#opened.splice(0).map((each) => each.close()));
  }

  async #stop(): Promise<void> {
    const { server, proxy, messaging, observer } = this.#running;
    await messaging.close();
    await observer.close();
    await proxy.close();
    await server.stop();
  }
}
