import { setTimeout as sleep } from 'node:timers/promises';
import type { Decision } from '#libs/ledger/decision.js';
import type { Ledger } from '#libs/ledger/ledger.js';
import type { Consumption, Messaging } from '#libs/messaging/messaging.js';
import type { Logger } from '#libs/runtime/logger.js';
import { Trouble } from '#libs/runtime/trouble.js';
import { Admission } from '../app/admission.js';
import type { ShardStanding } from '../app/check-alerts.js';
import { ClaimConsumer } from '../app/consume-claims.js';
import type { OrderConfig } from '../config.js';
import { Pace } from '../domain/pace.js';
import { readClaims } from './claims-message.js';
import { publishAlive, publishDecisions } from './events.js';
import { failureOf } from './failure.js';
import type { OrderMetrics } from './metrics.js';
import { claimsSpec } from './streams.js';

/** Messages pending and none delivered for so long: the consumer is looked at. */
const stalledAfterMs = 3_000;

export interface ClaimConsumersOptions {
  readonly config: OrderConfig;
  readonly ledger: Ledger;
  readonly messaging: Messaging;
  readonly metrics: OrderMetrics;
  readonly logger: Logger;
  /** Called after each commit. */
  readonly admitted: () => void;
  /** Hears of a shard whose consumer had vanished and was made again. */
  readonly remade: (shard: number) => void;
}

/** The consumers of all shards and the admission they share. */
export class ClaimConsumers {
  readonly #consumptions: Consumption[];
  readonly #consumer: ClaimConsumer;
  readonly #admission: Admission;

  constructor(options: ClaimConsumersOptions) {
    const { config, messaging, ledger, metrics } = options;
    this.#admission = admissionOf(options);
    this.#consumer = new ClaimConsumer({
      admission: this.#admission,
      read: (delivery) => readClaims(delivery, config.claimsAckWaitMs),
      async deadLetterAdd(letter) {
        await ledger.deadLetterAdd(letter);
        metrics.deadLetter();
        options.logger.error({ subject: letter.subject, error: letter.error }, 'a message went to the dead letters');
      },
      givenBack: metrics.givenBack,
      alive: (subject) => publishAlive(messaging, subject),
      pace: new Pace(config.consumePerSecond),
      ackWaitMs: config.claimsAckWaitMs,
      nowMs: () => performance.now(),
      wait: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => undefined),
    });
    this.#consumptions = Array.from({ length: config.shards }, (_, shard) =>
      messaging.consume({
        stream: claimsSpec(config, shard),
        durable: `order_${shard}`,
        ackWaitMs: config.claimsAckWaitMs,
        maxMessages: config.claimsPrefetch,
        maxAckPending: config.claimsMaxAckPending,
        stalledAfterMs,
        onBatch: (deliveries) => this.#consumer.take(deliveries),
        onRemade: () => options.remade(shard),
      }),
    );
  }

  /** Whether the consumers of all shards can be given messages. */
  get running(): boolean {
    return this.#consumptions.every((consumption) => consumption.running);
  }

  /** How the claims of each shard stand in the stream, for all processes together. */
  standings(): ShardStanding[] {
    return this.#consumptions.map((consumption, shard) => {
      const { pending, ackPending, stillMs } = consumption.stats();
      return { shard, waiting: pending + ackPending, stillMs };
    });
  }

  /** Takes nothing more, and ends what is in hand. */
  async close(): Promise<void> {
    this.#consumer.hurry();
    await Promise.all(this.#consumptions.map((consumption) => consumption.close()));
    await this.#consumer.drain();
    await this.#admission.drain();
  }
}

function admissionOf({ config, ledger, messaging, metrics, logger, admitted }: ClaimConsumersOptions): Admission {
  const trouble = new Trouble({
    logger,
    wrong: 'claims could not be admitted, they come again',
    well: 'claims are admitted again',
  });
  return new Admission({
    ledger: { ...ledger, failureOf },
    turns: config.admissionTurns,
    decided(decisions: Decision[], lines: number) {
      metrics.batch(lines);
      metrics.decisions(decisions);
      publishDecisions(messaging, config.shards, decisions);
      admitted();
      trouble.well();
    },
    events: {
      failed: (error, claims) => trouble.wrong({ err: error, claims }),
      locked: (skuIds) => logger.warn({ skuIds }, 'skus stay locked, their claims come again'),
      buried(claim, error) {
        metrics.deadLetter();
        logger.error({ err: error, orderId: claim.orderId }, 'a claim was refused as one that cannot be processed');
      },
    },
  });
}
