import { ClaimsDecided } from '#libs/contracts/gen/holdfast/event/v1/decision.js';
import { OrderChanged, StockFreed } from '#libs/contracts/gen/holdfast/event/v1/order_event.js';
import { RefundDue } from '#libs/contracts/gen/holdfast/event/v1/payment_event.js';
import { WaitlistChanged } from '#libs/contracts/gen/holdfast/event/v1/waitlist_event.js';
import { OrderState } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import { WaitlistState } from '#libs/contracts/gen/holdfast/waitlist/v1/waitlist.js';
import { shardOfOrder, shardOfStore, storeHash, storeHashOfOrder } from '#libs/contracts/order-id.js';
import { toDecisionMessage } from '#libs/contracts/order-messages.js';
import {
  decisionsSubject,
  decisionsSubjectFor,
  orderEventSubject,
  refundEventSubject,
  stockFreedSubject,
  subjects,
  waitlistEventSubject,
} from '#libs/contracts/subjects.js';
import type { Decision } from '#libs/ledger/decision.js';
import type { ExpiryReport } from '#libs/ledger/order-changes.js';
import type { OrderEntry, OutboxEntry, RefundEntry, WaitlistNews } from '#libs/ledger/outbox.js';
import type { Headers, Messaging } from '#libs/messaging/messaging.js';
import { encode } from '#libs/rpc/definition.js';
import { groupBy } from '../domain/group-by.js';
import { orderEventsPattern, waitlistEventsPattern } from './streams.js';

/** Skus whose units came back. */
export type FreedSkus = ExpiryReport['freedSkus'];

const storeTimeoutMs = 5_000;

/** Tells every inventory what was decided: one message for each shard of the batch. */
export function publishDecisions(messaging: Messaging, shards: number, decisions: readonly Decision[]): void {
  for (const [shard, ofShard] of groupBy(decisions, ({ orderId }) => shardOfOrder(orderId, shards))) {
    const message = { decisions: ofShard.map(toDecisionMessage) };
    messaging.publish(decisionsSubject(shard), encode(ClaimsDecided, message));
  }
}

/** Tells every inventory that the claims of a subject are seen to: a message without decisions. */
export function publishAlive(messaging: Messaging, claimsSubject: string): void {
  messaging.publish(decisionsSubjectFor(claimsSubject), encode(ClaimsDecided, { decisions: [] }));
}

/** Tells every inventory which skus have units again: one message for each shard. */
export function publishFreed(messaging: Messaging, shards: number, skus: FreedSkus): void {
  for (const [shard, ofShard] of groupBy(skus, ({ storeId }) => shardOfStore(storeId, shards))) {
    const message = { skuIds: [...new Set(ofShard.map(({ skuId }) => skuId))] };
    messaging.publish(stockFreedSubject(shard), encode(StockFreed, message));
  }
}

/** Stores an entry of the outbox as a CloudEvent; resolves when the stream has it. */
export async function storeEvent(messaging: Messaging, entry: OutboxEntry): Promise<void> {
  const { subject, type, data } = toStore(entry);
  const id = String(entry.id);
  const headers = cloudEvent({ id, type, at: entry.at, subject: entry.orderId });
  await messaging.store(subject, data, { timeoutMs: storeTimeoutMs, messageId: id, headers });
}

interface EventToStore {
  subject: string;
  type: string;
  data: Uint8Array;
}

function toStore(entry: OutboxEntry): EventToStore {
  if (entry.kind === 'ORDER') return orderChanged(entry);
  return entry.kind === 'REFUND' ? refundDue(entry) : waitlistChanged(entry);
}

function waitlistChanged(row: WaitlistNews): EventToStore {
  const message = {
    entryId: row.orderId,
    storeId: row.storeId,
    skuId: row.skuId,
    userId: row.userId,
    quantity: row.quantity,
    state: WaitlistState[`WAITLIST_STATE_${row.state}`],
    version: row.version,
    changedAt: row.at,
    orderId: row.offerId ?? '',
    offerExpiresAt: row.offerExpiresAt,
  };
  return {
    subject: waitlistEventSubject(row.state, storeHash(row.storeId)),
    type: subjects.waitlistEvents.message,
    data: encode(WaitlistChanged, message),
  };
}

function orderChanged(row: OrderEntry): EventToStore {
  const message = {
    orderId: row.orderId,
    storeId: row.storeId,
    version: row.version,
    state: OrderState[`ORDER_STATE_${row.state}`],
    changedAt: row.at,
    userId: row.userId,
    lines: row.lines.map((line) => ({ ...line, unitPriceMinor: 0 })),
  };
  return {
    subject: orderEventSubject(row.state, storeHash(row.storeId)),
    type: subjects.orderEvents.message,
    data: encode(OrderChanged, message),
  };
}

function refundDue(row: RefundEntry): EventToStore {
  const { orderId, storeId, number, provider, providerPaymentId, amountMinor, currency, reason } = row;
  const message = { orderId, storeId, number, provider, providerPaymentId, amountMinor, currency, reason };
  return {
    // Of an unknown order only its id says which store's it is.
    subject: refundEventSubject(storeHashOfOrder(orderId)),
    type: subjects.refundEvents.message,
    data: encode(RefundDue, message),
  };
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

/** As hearOrderEvents, of entries of waitlists. */
export function hearWaitlistEvents(messaging: Messaging, changed: (entryId: string) => void): () => void {
  return messaging.subscribe(waitlistEventsPattern, (data) => {
    try {
      changed(WaitlistChanged.decode(data).entryId);
    } catch {
      // As above.
    }
  });
}
