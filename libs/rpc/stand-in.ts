import { pino } from 'pino';
import {
  InventoryServiceDefinition,
  type PlaceHoldsItem,
  type PlaceHoldsRequest,
  type PlaceHoldsResponse,
  type PlaceHoldsResult,
} from '#libs/contracts/gen/holdfast/inventory/v1/inventory_service.js';
import { Fault } from '#libs/refusal/fault.js';
import type { Logger } from '#libs/runtime/logger.js';
import { BatchCaller, type BatchCallerOptions, type Unsent } from './batch-caller.js';
import { BatchResponder } from './batch-responder.js';
import type { ServerDuplex } from './server-duplex.js';
import { type Handlers, implement, type ServiceImplementation } from './service.js';
import type { Target } from './target.js';

type InventoryHandlers = Handlers<typeof InventoryServiceDefinition>;

const silent = pino({ level: 'silent' });

/** An inventory for tests: what a test does not give answers INTERNAL, and placeHolds answers every item with PENDING. */
export function standIn(handlers: Partial<InventoryHandlers> = {}): ServiceImplementation {
  const missing = async (): Promise<never> => {
    throw new Fault('INTERNAL', 'not part of this test');
  };
  return implement(InventoryServiceDefinition, {
    placeHolds: (stream) => answering(stream, (item, answer) => answer(pending(item.itemId))),
    getClaim: missing,
    putSku: missing,
    importSkus: missing,
    getSku: missing,
    listSkus: missing,
    getAvailability: missing,
    batchGetLimits: missing,
    listLimits: missing,
    setLimits: missing,
    sweep: missing,
    sync: missing,
    ...handlers,
  });
}

type PlaceHoldsStream = ServerDuplex<PlaceHoldsRequest, PlaceHoldsResponse>;
type Answer = (result: PlaceHoldsResult) => void;

/** Serves placeHolds item by item. */
export function answering(stream: PlaceHoldsStream, onItem: (item: PlaceHoldsItem, answer: Answer) => void): void {
  const responder = new BatchResponder({
    stream,
    name: 'stand-in',
    items: (request: PlaceHoldsRequest) => request.items,
    wrap: (results: PlaceHoldsResult[]) => ({ results }),
    onItems: (items) => {
      for (const item of items) onItem(item, (result) => responder.add(result));
    },
  });
}

export function pending(itemId: number): PlaceHoldsResult {
  return { itemId, outcome: { $case: 'pending', value: {} } };
}

/** An order as large as most. */
export function hold(orderId: string, storeId = 'store-1'): Unsent<PlaceHoldsItem> {
  const lines = [{ skuId: 'sku-1', quantity: 1, attendeeId: 'user-1', unitPriceMinor: 0 }];
  return { orderId, storeId, userId: 'user-1', requestId: 'request-1', lines };
}

type HoldsOptions = BatchCallerOptions<PlaceHoldsItem, PlaceHoldsResult, PlaceHoldsRequest, PlaceHoldsResponse>;

/** A caller of placeHolds. */
export function holdsCaller(target: Target, options: Partial<HoldsOptions> = {}) {
  return new BatchCaller<PlaceHoldsItem, PlaceHoldsResult, PlaceHoldsRequest, PlaceHoldsResponse>({
    service: InventoryServiceDefinition,
    method: InventoryServiceDefinition.methods.placeHolds,
    target,
    wrap: (items) => ({ items }),
    results: (response) => response.results,
    logger: silent,
    ...options,
  });
}

/** A logger, and what was written to it. */
export function recordedLog(): { logger: Logger; entries: { level: number; msg: string; [field: string]: unknown }[] } {
  const entries: { level: number; msg: string }[] = [];
  return {
    entries,
    logger: pino({ level: 'debug' }, { write: (line: string) => void entries.push(JSON.parse(line)) }),
  };
}

/** A logger that writes nothing. */
export const silentLogger: Logger = silent;
