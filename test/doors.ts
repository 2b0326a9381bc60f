import {
  InventoryServiceDefinition,
  type PlaceHoldsItem,
  type PlaceHoldsRequest,
  type PlaceHoldsResponse,
  type PlaceHoldsResult,
} from '#libs/contracts/gen/holdfast/inventory/v1/inventory_service.js';
import { type Refusal, RefusalReason } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import { ReservationServiceDefinition } from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import { orderId } from '#libs/contracts/order-id.js';
import { faultOf } from '#libs/refusal/fault.js';
import { BatchCaller } from '#libs/rpc/batch-caller.js';
import { connect } from '#libs/rpc/client.js';
import { fromStatus } from '#libs/rpc/status.js';
import { createLogger } from '#libs/runtime/logger.js';
import { bearerOf } from '#libs/testing/test-issuer.js';
import type { Reply } from '../deploy/rush/reply.js';
import type { Person } from '../deploy/rush/scenario.js';

/** Where a crowd's orders go in. Never rejects. */
export interface Door {
  place(person: Person): Promise<Reply>;
  close(): void;
}

const deadlineMs = 10_000;
const undecided = new Set(['UNAVAILABLE', 'BUSY', 'TOO_LATE', 'REQUEST_IN_PROGRESS']);

/** Through the gateway, one call each. */
export function gatewayDoor(address: string): Door {
  const client = connect(ReservationServiceDefinition, address, { defaultDeadlineMs: deadlineMs });
  return {
    async place(person) {
      const request = { storeId: person.storeId, requestId: person.key, lines: linesOf(person) };
      const metadata = { authorization: bearerOf(person.userId) };
      try {
        const { outcome } = await client.reserve(request, { metadata });
        switch (outcome?.$case) {
          case 'held':
            return { kind: 'HELD', orderId: outcome.value.order?.orderId ?? '' };
          case 'pending':
            return { kind: 'PENDING', orderId: outcome.value.orderId };
          case 'refused':
            return refused(outcome.value.refusal);
          default:
            return { kind: 'ERROR', why: outcome?.$case ?? 'no outcome' };
        }
      } catch (thrown) {
        return failed(thrown);
      }
    },
    close: () => client.close(),
  };
}

/** Past the gateway: straight to the inventories, as it would. */
export function inventoryDoor(addresses: readonly string[]): Door {
  const caller = new BatchCaller<PlaceHoldsItem, PlaceHoldsResult, PlaceHoldsRequest, PlaceHoldsResponse>({
    service: InventoryServiceDefinition,
    method: InventoryServiceDefinition.methods.placeHolds,
    target: addresses.join(),
    wrap: (items) => ({ items }),
    results: ({ results }) => results,
    logger: createLogger('door', 'silent'),
  });
  return {
    async place(person) {
      const { storeId, userId, key: requestId } = person;
      const id = orderId(storeId, userId, requestId);
      try {
        const item = { orderId: id, storeId, userId, requestId, lines: linesOf(person) };
        const { outcome } = await caller.call(item, deadlineMs);
        switch (outcome?.$case) {
          case 'held':
            return { kind: 'HELD', orderId: outcome.value.orderId };
          case 'pending':
            return { kind: 'PENDING', orderId: id };
          case 'refused':
            return refused(outcome.value);
          default:
            return outcome?.$case === 'error'
              ? failed(fromStatus(outcome.value))
              : { kind: 'ERROR', why: `outcome ${outcome?.$case}` };
        }
      } catch (thrown) {
        return failed(thrown);
      }
    },
    close: () => caller.close(),
  };
}

function linesOf({ lines, userId }: Person) {
  return lines.map(({ skuId, quantity, attendeeId = userId }) => ({ skuId, quantity, attendeeId, unitPriceMinor: 0 }));
}

function refused(refusal: Refusal | undefined): Reply {
  const name = RefusalReason[refusal?.reason ?? 0] ?? '';
  return { kind: 'REFUSED', refusal: { reason: name.replace('REFUSAL_REASON_', '') } };
}

function failed(thrown: unknown): Reply {
  const { reason, message } = faultOf(thrown);
  return { kind: undecided.has(reason) ? 'AGAIN' : 'ERROR', why: `${reason} ${message}` };
}
