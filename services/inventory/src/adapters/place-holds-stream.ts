import {
  InventoryServiceDefinition,
  type PlaceHoldsItem,
  type PlaceHoldsRequest,
  type PlaceHoldsResponse,
  type PlaceHoldsResult,
} from '#libs/contracts/gen/holdfast/inventory/v1/inventory_service.js';
import { fromBookedByMessage, toOrderMessage, toRefusalMessage } from '#libs/contracts/order-messages.js';
import { fromOnSoldOutMessage, toEntryWordMessage } from '#libs/contracts/waitlist-messages.js';
import { Fault } from '#libs/refusal/fault.js';
import { BatchResponder } from '#libs/rpc/batch-responder.js';
import { pathOf } from '#libs/rpc/definition.js';
import type { RpcMetrics } from '#libs/rpc/metrics.js';
import type { ServerDuplex } from '#libs/rpc/server-duplex.js';
import { endServed, itemSpan } from '#libs/rpc/spans.js';
import { toStatus } from '#libs/rpc/status.js';
import type { Work } from '#libs/tracing/tracing.js';
import type { PlaceHolds } from '../app/place-holds.js';
import type { Outcome } from '../app/placement.js';
import { isPlaceable } from '../domain/lines.js';
import { fromLineMessage } from './messages.js';

const path = pathOf(InventoryServiceDefinition, InventoryServiceDefinition.methods.placeHolds);
const unplaceable = toStatus(new Fault('INVALID_REQUEST', 'an order has 1 to 100 lines of 1 to 1000000 units each'));

/** Serves one caller's stream: batches of orders up, outcomes down as they fall. */
export function servePlaceHolds(
  stream: ServerDuplex<PlaceHoldsRequest, PlaceHoldsResponse>,
  placeHolds: Pick<PlaceHolds, 'place'>,
  metrics: RpcMetrics,
): void {
  const responder = new BatchResponder<PlaceHoldsItem, PlaceHoldsResult, PlaceHoldsRequest, PlaceHoldsResponse>({
    stream,
    name: 'InventoryService.PlaceHolds',
    items: (request) => request.items,
    wrap: (results) => ({ results }),
    onItems(items) {
      for (const item of items) {
        const span = item.traceparent === undefined ? undefined : itemSpan(path, item.traceparent);
        if (span === undefined) place(item, add);
        else span.within(() => place(item, (result) => addTraced(result, span)));
      }
    },
    metrics,
  });

  function add(result: PlaceHoldsResult): void {
    responder.add(result);
  }

  function addTraced(result: PlaceHoldsResult, span: Work): void {
    endServed(span, result.outcome?.$case === 'error' ? result.outcome.value.code : 0);
    responder.add(result);
  }

  function place(item: PlaceHoldsItem, answer: (result: PlaceHoldsResult) => void): void {
    const { itemId, remainingMs, firstForMs, orderId, storeId, userId, requestId } = item;
    const lines = item.lines.map(fromLineMessage);
    const onSoldOut = fromOnSoldOutMessage(item.onSoldOut);
    const staff = fromBookedByMessage(item.bookedBy);
    const who = { orderId, storeId, userId, requestId };
    const claim = { ...who, lines, ...(onSoldOut && { onSoldOut }), ...(staff && { staff }) };
    if (isPlaceable(lines)) {
      placeHolds.place(claim, { remainingMs, firstForMs }, (outcome) => answer(toResult(itemId, outcome)));
    } else answer({ itemId, outcome: { $case: 'error', value: unplaceable } });
  }
}

function toResult(itemId: number, outcome: Outcome): PlaceHoldsResult {
  switch (outcome.kind) {
    case 'HELD':
      return { itemId, outcome: { $case: 'held', value: toOrderMessage(outcome.order) } };
    case 'PENDING':
      return { itemId, outcome: { $case: 'pending', value: {} } };
    case 'REFUSED':
      return { itemId, outcome: { $case: 'refused', value: toRefusalMessage(outcome.refusal) } };
    case 'WAITLISTED':
      return { itemId, outcome: { $case: 'waitlisted', value: toEntryWordMessage(outcome.entry) } };
    case 'FAULT':
      return { itemId, outcome: { $case: 'error', value: toStatus(outcome.fault) } };
  }
}
