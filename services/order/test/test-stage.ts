import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { connect as connectNats, type JetStreamManager, type NatsConnection } from 'nats';
import { ClaimsPlaced } from '#libs/contracts/gen/holdfast/event/v1/claim.js';
import { ClaimsDecided, type Decision } from '#libs/contracts/gen/holdfast/event/v1/decision.js';
import { OrderServiceDefinition } from '#libs/contracts/gen/holdfast/order/v1/order_service.js';
import { shardOfStore } from '#libs/contracts/order-id.js';
import { toBookedByMessage } from '#libs/contracts/order-messages.js';
import { claimsStream, claimsSubject } from '#libs/contracts/subjects.js';
import type { ClaimToAdmit } from '#libs/ledger/claims-batch.js';
import { type TestLedger, testLedger } from '#libs/ledger/test-ledger.js';
import { connectMessaging, type Messaging } from '#libs/messaging/messaging.js';
import { type Client, connect } from '#libs/rpc/client.js';
import { Lifecycle } from '#libs/runtime/lifecycle.js';
import { createLogger } from '#libs/runtime/logger.js';
import { createMetrics } from '#libs/runtime/metrics.js';
import { freePort } from '#libs/servers/free-port.js';
import type { PrivateServer } from '#libs/servers/private-server.js';
import { privateNats } from '#libs/testing/private-servers.js';
import { assert } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { type OrderConfig, readConfig } from '../src/config.js';
import { startOrder } from '../src/service.js';

/** An order service that runs in this process. */
export interface RunningOrder {
  readonly client: Client<OrderServiceDefinition>;
  readonly grpcAddress: string;
  readonly adminUrl: string;
  /** A counter or gauge of its own, summed over labels. */
  metric(name: string): Promise<number>;
  stop(): Promise<void>;
}

export const shards = 2;

/** A ledger, a NATS, and what a test needs to play everybody around the order service. */
export class Stage {
  /** What was heard on decisions.*, by order id. */
  readonly decisions = new Map<string, Decision[]>();
  readonly #running: RunningOrder[] = [];
  readonly #children: ChildProcess[] = [];

  private constructor(
    readonly ledger: TestLedger,
    readonly nats: PrivateServer,
    readonly messaging: Messaging,
    private readonly raw: NatsConnection,
    readonly streams: JetStreamManager,
  ) {
    messaging.subscribe('decisions.*', (data) => {
      for (const decision of ClaimsDecided.decode(data).decisions) {
        const known = this.decisions.get(decision.orderId) ?? [];
        this.decisions.set(decision.orderId, [...known, decision]);
      }
    });
  }

  static async open(): Promise<Stage> {
    const [ledger, nats] = await Promise.all([testLedger(), privateNats()]);
    const logger = createLogger('test', 'silent');
    const messaging = connectMessaging({ url: nats.url, name: 'test', logger, metrics: createMetrics() });
    const raw = await connectNats({ servers: nats.url, maxReconnectAttempts: -1, reconnectTimeWait: 100 });
    await until(() => messaging.connected);
    return new Stage(ledger, nats, messaging, raw, await raw.jetstreamManager());
  }

  /** Starts a service here; `parts` overrule its settings. */
  async start(parts: Partial<OrderConfig> = {}): Promise<RunningOrder> {
    const life = new Lifecycle(createLogger('order', 'silent'));
    const config = { ...readConfig(this.environment()), ...parts };
    const { grpcAddress, adminAddress } = await startOrder(config, life);
    life.ready();
    const client = connect(OrderServiceDefinition, grpcAddress, { defaultDeadlineMs: 5_000 });
    const running: RunningOrder = {
      client,
      grpcAddress,
      adminUrl: `http://${adminAddress}`,
      metric: (name) => readMetric(`http://${adminAddress}/metrics`, `holdfast_${name}`),
      async stop() {
        client.close();
        await life.close();
      },
    };
    this.#running.push(running);
    return running;
  }

  /** Starts a service as a process of its own, to be killed; resolves when it serves. */
  async spawn(
    env: Record<string, string> = {},
  ): Promise<{ child: ChildProcess; client: Client<OrderServiceDefinition> }> {
    const port = await freePort();
    const main = fileURLToPath(new URL('../src/main.js', import.meta.url));
    const child = spawn(process.execPath, [main], {
      env: { ...this.environment(), GRPC_ADDRESS: `127.0.0.1:${port}`, ...env },
      stdio: 'inherit',
    });
    this.#children.push(child);
    const client = connect(OrderServiceDefinition, `127.0.0.1:${port}`, { defaultDeadlineMs: 5_000 });
    await until(() => client.listOrders({ userId: 'nobody', skuId: '', pageSize: 1, pageToken: '' }));
    return { child, client };
  }

  environment(): Record<string, string> {
    return {
      INSTANCE: 'order',
      LOG_LEVEL: 'silent',
      GRPC_ADDRESS: '127.0.0.1:0',
      ADMIN_ADDRESS: '127.0.0.1:0',
      DATABASE_URL: this.ledger.url,
      NATS_URL: this.nats.url,
      SHARDS: String(shards),
      // A test's server lives on little disk.
      EVENTS_MAX_BYTES: String(16 * 1024 * 1024),
    };
  }

  /** Stores claims as one message, as the gate's side does; resolves when the stream has it. */
  async place(...claims: ClaimToAdmit[]): Promise<void> {
    const [first] = claims;
    if (!first) return;
    await this.store(claimsSubject(shardOfStore(first.storeId, shards)), encode(claims));
  }

  async store(subject: string, data: Uint8Array): Promise<void> {
    await until(async () => await this.messaging.store(subject, data, { timeoutMs: 2_000 }));
  }

  /** Resolves when the work queues of all shards are empty: everything was acked. */
  async drained(timeoutMs = 10_000): Promise<void> {
    for (let shard = 0; shard < shards; shard += 1) {
      await until(async () => (await this.streams.streams.info(claimsStream(shard))).state.messages === 0, {
        timeoutMs,
      });
    }
  }

  /** How often units of an order moved, by reason. */
  async movements(orderId: string): Promise<string[]> {
    const rows = await this.ledger.sql<{ reason: string }>(
      'SELECT reason FROM ledger.movements WHERE order_id = $1 ORDER BY order_version',
      [orderId],
    );
    return rows.map((row) => row.reason);
  }

  async count(table: string, where = 'true'): Promise<number> {
    const [row] = await this.ledger.sql<{ n: number }>(`SELECT count(*)::int AS n FROM ledger.${table} WHERE ${where}`);
    return row?.n ?? 0;
  }

  /** Closes all, and fails if anybody broke a law of the ledger meanwhile. */
  async close({ audit = true } = {}): Promise<void> {
    for (const child of this.#children) {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    }
    await Promise.all(this.#running.map((running) => running.stop()));
    await this.messaging.close();
    await this.raw.close();
    await this.nats.stop();
    const violations = audit ? await this.ledger.violations() : [];
    await this.ledger.drop();
    assert.equal(violations, []);
  }
}

/** A message as inventory stores it. */
export function encode(claims: readonly ClaimToAdmit[], notAfter = new Date(Date.now() + 3_000)): Uint8Array {
  return ClaimsPlaced.encode({
    claims: claims.map(({ orderId, storeId, userId, requestId, lines, staff }) => ({
      orderId,
      storeId,
      userId,
      requestId,
      lines: lines.map((line) => ({ ...line, unitPriceMinor: 0 })),
      notAfter,
      ...(staff && { bookedBy: toBookedByMessage(staff) }),
    })),
  }).finish();
}

async function readMetric(url: string, name: string): Promise<number> {
  const text = await (await fetch(url)).text();
  const lines = text.split('\n').filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}
