import { randomUUID } from 'node:crypto';
import { WebhookServiceDefinition } from '#libs/contracts/gen/holdfast/webhook/v1/webhook_service.js';
import { claimOf, type TestLedger, testLedger } from '#libs/ledger/test-ledger.js';
import { type Client, connect } from '#libs/rpc/client.js';
import { Lifecycle } from '#libs/runtime/lifecycle.js';
import { createLogger } from '#libs/runtime/logger.js';
import { readConfig } from '../src/config.js';
import { startWebhook } from '../src/service.js';
import { type Receiver, startReceiver } from './receiver.js';

/** What the gateway says of who asks. */
export const olga = { metadata: { 'holdfast-actor': 'olga', 'holdfast-actor-role': 'operator' } };
const silent = createLogger('test', 'silent');

/** A ledger without a stream, webhook services in this process, and endpoints of stores. */
export class Stage {
  readonly #lives: Lifecycle[] = [];
  readonly #clients: Client<WebhookServiceDefinition>[] = [];
  readonly #receivers: Receiver[] = [];

  private constructor(readonly ledger: TestLedger) {}

  static async open(): Promise<Stage> {
    return new Stage(await testLedger());
  }

  get env(): Record<string, string> {
    const any = '127.0.0.1:0';
    const own = { DATABASE_URL: this.ledger.url, WEBHOOK_ALLOW_PRIVATE: 'true', LOG_LEVEL: 'silent' };
    const alone = { WEBHOOK_FOLLOW_OUTBOX: 'true' };
    return { GRPC_ADDRESS: any, ADMIN_ADDRESS: any, ...own, ...alone };
  }

  /** Starts a webhook service; another one on the same ledger when there is one. */
  async start(env: Record<string, string> = {}): Promise<Client<WebhookServiceDefinition>> {
    const life = new Lifecycle(silent);
    this.#lives.push(life);
    const { grpcAddress } = await startWebhook(readConfig({ ...this.env, ...env }), life);
    life.ready();
    const client = connect(WebhookServiceDefinition, grpcAddress, { defaultDeadlineMs: 20_000 });
    this.#clients.push(client);
    return client;
  }

  /** An endpoint of store-1 that takes everything. */
  async receiver(client: Client<WebhookServiceDefinition>, eventTypes: string[] = []) {
    const receiver = await startReceiver();
    this.#receivers.push(receiver);
    const request = { storeId: 'store-1', endpointId: '', url: receiver.url, eventTypes, requestId: randomUUID() };
    const { endpoint, secret } = await client.putWebhookEndpoint(request, olga);
    return { receiver, endpointId: endpoint?.endpointId ?? '', secret };
  }

  /** An order, held. */
  async held(user: string): Promise<string> {
    const { skuId } = await this.ledger.sku();
    return (await this.ledger.order(claimOf(user, skuId))).orderId;
  }

  /** Lets the next attempt of all that wait come now. */
  async hurry(): Promise<void> {
    await this.ledger.sql(`UPDATE ledger.webhook_deliveries SET next_attempt_at = now() WHERE state = 'DUE'`);
  }

  async close(): Promise<void> {
    for (const client of this.#clients) client.close();
    for (const receiver of this.#receivers) await receiver.close();
    for (const life of this.#lives) await life.close();
    await this.ledger.drop();
  }
}
