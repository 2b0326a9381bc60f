import { ClaimsDecided } from '#libs/contracts/gen/holdfast/event/v1/decision.js';
import { StockFreed } from '#libs/contracts/gen/holdfast/event/v1/order_event.js';
import { fromDecisionMessage } from '#libs/contracts/order-messages.js';
import { decisionsSubject, stockFreedSubject } from '#libs/contracts/subjects.js';
import type { Messaging } from '#libs/messaging/messaging.js';
import type { PlaceHolds } from '../app/place-holds.js';

/** Hears what the ledger decided in other processes, and whose units came back. Returns how to stop. */
export function hearDecisions(
  messaging: Messaging,
  shards: number,
  placeHolds: Pick<PlaceHolds, 'heard' | 'heardFrom' | 'awaits' | 'freed'>,
): () => void {
  const stops = Array.from({ length: shards }, (_, shard) => [
    messaging.subscribe(decisionsSubject(shard), (bytes) => {
      placeHolds.heardFrom(shard);
      for (const message of ClaimsDecided.decode(bytes).decisions) {
        if (!placeHolds.awaits(message.orderId)) continue;
        const decision = fromDecisionMessage(message);
        if (decision) placeHolds.heard(decision);
      }
    }),
    messaging.subscribe(stockFreedSubject(shard), (bytes) => placeHolds.freed(StockFreed.decode(bytes).skuIds)),
  ]);
  return () => {
    for (const stop of stops.flat()) stop();
  };
}
