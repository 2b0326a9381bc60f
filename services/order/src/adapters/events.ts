import { ClaimsDecided } from '#libs/contracts/gen/holdfast/event/v1/decision.js';
import { OrderChanged, StockFreed } from '#libs/contracts/gen/holdfast/event/v1/order_event.js';
import { OrderState } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import { shardOfOrder, shardOfStore, storeHash } from '#libs/contracts/order-id.js';
import { toDecisionMessage } from '#libs/contracts/order-messages.js';
import {
  decisionsSubject,
  decisionsSubjectFor,
  orderEventSubject,
  stockFreedSubject,
  subjects,
} from '#libs/contracts/subjects.js';
import type { Decision } from '#libs/ledger/decision.js';
import type { ExpiryReport } from '#libs/ledger/order-changes.js';
import type { OutboxEntry } from '#libs/ledger/outbox.js';
import type { Headers, Messaging } from '#libs/messaging/messaging.js';
import { groupBy } from '../domain/group-by.js';
import { orderEventsPattern } from './streams.js';

/** Skus whose units came back. */
export type FreedSkus = ExpiryReport['freedSkus'];

const storeTimeoutMs = 5_000;

/** Tells every inventory what was decided: one message for each shard of the batch. */
export function publishDecisions(messaging: Messaging, shards: number, decisions: readonly Decision[]): void {
  for (const [shard, ofShard] of groupBy(decisions, ({ orderId }) => shardOfOrder(orderId, shards))) {
    const message = { decisions: ofShard.map(toDecisionMessage) };
    messaging.publish(decisionsSubject(shard), ClaimsDecided.encode(message).finish());
  }
}

/** Tells every inventory that the claims of a subject are seen to: a message without decisions. */
export function publishAlive(messaging: Messaging, claimsSubject: string): void {
  messaging.publish(decisionsSubjectFor(claimsSubject), ClaimsDecided.encode({ decisions: [] }).finish());
}

/** Tells every inventory which skus have units again: one message for each shard. */
export function publishFreed(messaging: Messaging, shards: number, skus: FreedSkus): void {
  for (const [shard, ofShard] of groupBy(skus, ({ storeId }) => shardOfStore(storeId, shards))) {
    const message = { skuIds: [...new Set(ofShard.map(({ skuId }) => skuId))] };
    messaging.publish(stockFreedSubject(shard), StockFreed.encode(message).finish());
  }
}

/** Stores one change of an order as a CloudEvent; resolves when the stream has it. */
export async function storeOrderEvent(messaging: Messaging, row: OutboxEntry): Promise<void> {
  const id = String(row.id);
  const message = {
    orderId: row.orderId,
    storeId: row.storeId,
    version: row.version,
    state: OrderState[`ORDER_STATE_${row.state}`],
    changedAt: row.at,
    userId: row.userId,
    lines: row.lines.map((line) => ({ ...line, unitPriceMinor: 0 })),
  };
  await messaging.store(orderEventSubject(row.state, storeHash(row.storeId)), OrderChanged.encode(message).finish(), {
    timeoutMs: storeTimeoutMs,
    messageId: id,
    headers: cloudEvent({ id, type: subjects.orderEvents.message, at: row.at, subject: row.orderId }),
  });
}

/** The attributes of a CloudEvent of this service, as headers of its message. */
export function cloudEvent({
  id,
  type,
  at,
  subject,
}: {
  id: string;
  type: string;
  at: Date;
  subject: string;
}): Headers {
  return {
    'ce-id': id,
    'ce-source': '/holdfast/order',
    'ce-type': type,
    'ce-specversion': '1.0',
    'ce-time': at.toISOString(),
    'ce-subject': subject,
    'ce-datacontenttype': 'application/protobuf',
  };
}

/** Hears of every change of an order that was relayed, from whichever process. Returns how to stop. */
export function hearOrderEvents(messaging: Messaging, changed: (orderId: string) => void): () => void {
  return messaging.subscribe(orderEventsPattern, (data) => {
    try {
      changed(OrderChanged.decode(data).orderId);
    } catch {
      // Not one of ours. Whoever watches reads the ledger once a second anyway.
    }
  });
}
