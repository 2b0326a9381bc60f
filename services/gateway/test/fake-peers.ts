import { AlertServiceDefinition } from '#libs/contracts/gen/holdfast/control/v1/alert_service.js';
import { DeadLetterServiceDefinition } from '#libs/contracts/gen/holdfast/control/v1/dead_letter_service.js';
import { ExplainServiceDefinition } from '#libs/contracts/gen/holdfast/control/v1/explain_service.js';
import { MoneyServiceDefinition } from '#libs/contracts/gen/holdfast/control/v1/money_service.js';
import { OrderDeskServiceDefinition } from '#libs/contracts/gen/holdfast/control/v1/order_desk_service.js';
import { ReconcileServiceDefinition } from '#libs/contracts/gen/holdfast/control/v1/reconcile_service.js';
import {
  InventoryServiceDefinition,
  type PlaceHoldsItem,
  type PlaceHoldsRequest,
  type PlaceHoldsResponse,
  type PlaceHoldsResult,
  type SetLimitsRequest,
} from '#libs/contracts/gen/holdfast/inventory/v1/inventory_service.js';
import { LimitSource, OnBusy, type SkuLimits } from '#libs/contracts/gen/holdfast/inventory/v1/sku.js';
import {
  AccessServiceDefinition,
  type RecordAccessRequest,
} from '#libs/contracts/gen/holdfast/order/v1/access_service.js';
import { type Order, OrderState, PaymentState } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import { OrderServiceDefinition } from '#libs/contracts/gen/holdfast/order/v1/order_service.js';
import { PaymentSessionState } from '#libs/contracts/gen/holdfast/order/v1/payment.js';
import { SchedulerServiceDefinition } from '#libs/contracts/gen/holdfast/scheduler/v1/scheduler_service.js';
import { StatusReader, statusService } from '#libs/mesh/status-service.js';
import { Fault } from '#libs/refusal/fault.js';
import { actorOf } from '#libs/rpc/actor.js';
import { BatchResponder } from '#libs/rpc/batch-responder.js';
import type { CallContext } from '#libs/rpc/call-context.js';
import type { ServiceDefinition } from '#libs/rpc/definition.js';
import { type RpcServer, startServer } from '#libs/rpc/server.js';
import { implement, type ServiceImplementation } from '#libs/rpc/service.js';
import { createLogger } from '#libs/runtime/logger.js';
import { stockControl } from '../src/adapters/control.js';

/** What stands behind the gateway in its own tests: orders with a row, and claims that have none yet. */
export interface FakeBooks {
  rows: Map<string, Order>;
  claims: Map<string, Order>;
  /** Every item that any inventory was given. */
  placed: PlaceHoldsItem[];
  /** While true the journal cannot be read. */
  journalIsAway: boolean;
  /** What skus have of their own, by sku id; and which stores take only issued request ids. */
  limits: Map<string, Partial<SkuLimits>>;
  issuedOnly: Set<string>;
  /** What was set. */
  set: SetLimitsRequest[];
  /** What was recorded of answers, a batch each; while recordingFails nobody takes any. */
  accesses: RecordAccessRequest[];
  recordingFails: boolean;
  /** What operators asked of the services behind the gateway. */
  asked: Asked[];
  /** What those answer, or fail with, by the method's name; else with nothing. */
  answers: Map<string, object>;
}

/** One call of an operator that was passed on. */
export interface Asked {
  /** Who was asked: the fake's name. */
  of: string;
  method: string;
  user: string | undefined;
  role: string | undefined;
}

export function emptyBooks(): FakeBooks {
  return {
    rows: new Map(),
    claims: new Map(),
    placed: [],
    journalIsAway: false,
    limits: new Map(),
    issuedOnly: new Set(),
    set: [],
    accesses: [],
    recordingFails: false,
    asked: [],
    answers: new Map(),
  };
}

const logger = createLogger('fake', 'silent');
const address = '127.0.0.1:0';

/** A service that notes who asks for what, and answers what the books say. */
function noting(definition: ServiceDefinition, of: string, books: FakeBooks): ServiceImplementation {
  const handlers = Object.entries(definition.methods).map(([name, method]) => [
    name,
    async (_request: unknown, call: CallContext) => {
      const [user, role] = [call.metadata('holdfast-actor'), call.metadata('holdfast-actor-role')];
      books.asked.push({ of, method: method.name, user, role });
      const answer = books.answers.get(method.name);
      if (answer instanceof Fault) throw answer;
      return answer ?? method.responseType.decode(Buffer.alloc(0));
    },
  ]);
  return implement(definition, Object.fromEntries(handlers));
}

function statusOf(service: 'inventory' | 'order' | 'scheduler'): ServiceImplementation {
  return statusService(new StatusReader({ instance: `${service}-of-test`, service }));
}

/** A scheduler whose jobs nobody runs. */
export async function startFakeScheduler(books: FakeBooks): Promise<RpcServer> {
  const services = [noting(SchedulerServiceDefinition, 'scheduler', books), statusOf('scheduler')];
  const server = await startServer({ address, services, logger, reflection: false, drainMs: 50 });
  server.serving(true);
  return server;
}

async function absent(): Promise<never> {
  throw new Fault('INTERNAL', 'not part of this test');
}

type Done = PlaceHoldsResult['outcome'] | 'never' | 'break';

/** What an inventory does with an item: tells an outcome, now or later, says nothing ever, or breaks the stream off. */
export type Place = (item: PlaceHoldsItem) => Done | Promise<Done>;

/** An inventory that does with each hold what `place` says. */
export async function startFakeInventory(books: FakeBooks, place: Place): Promise<RpcServer> {
  const service = implement(InventoryServiceDefinition, {
    placeHolds: (stream) => {
      const responder = new BatchResponder<PlaceHoldsItem, PlaceHoldsResult, PlaceHoldsRequest, PlaceHoldsResponse>({
        stream,
        name: 'PlaceHolds',
        items: ({ items }) => items,
        wrap: (results) => ({ results }),
        onItems: (items) => {
          for (const item of items) void answer(item);
        },
      });
      const answer = async (item: PlaceHoldsItem): Promise<void> => {
        books.placed.push(item);
        const outcome = await place(item);
        if (outcome === 'break') stream.fail(new Fault('UNAVAILABLE', 'the process is going'));
        else if (outcome !== 'never') responder.add({ itemId: item.itemId, outcome });
      };
    },
    async getClaim({ orderId }) {
      if (books.journalIsAway) throw new Fault('UNAVAILABLE', 'The journal cannot be read');
      const order = books.claims.get(orderId);
      if (order === undefined) throw new Fault('ORDER_NOT_FOUND', 'There is no such claim');
      return { order };
    },
    async listSkus({ pageSize }) {
      return { skus: [], availability: [], nextPageToken: `asked for ${pageSize}` };
    },
    getSku: absent,
    async getAvailability() {
      return { availability: [] };
    },
    async batchGetLimits({ keys }) {
      return { limits: keys.map(({ storeId, skuId }) => limitsOf(books, storeId, skuId)) };
    },
    async listLimits({ storeId, pageSize }) {
      const store = { ...noLimits, storeId, requireIssuedRequestId: books.issuedOnly.has(storeId) };
      const skus = [...books.limits.keys()].map((skuId) => limitsOf(books, storeId, skuId));
      return { store, skus, nextPageToken: `asked for ${pageSize}` };
    },
    async setLimits(request) {
      books.set.push(request);
      books.limits.set(request.skuId, { rateLimit: request.rateLimit });
      return { sku: limitsOf(books, request.storeId, request.skuId), store: undefined };
    },
    putSku: absent,
    importSkus: absent,
    sweep: absent,
    sync: absent,
  });
  const services = [
    service,
    noting(stockControl, 'inventory', books),
    noting(ReconcileServiceDefinition, 'inventory', books),
    statusOf('inventory'),
  ];
  const server = await startServer({ address, services, logger, reflection: false, drainMs: 50 });
  server.serving(true);
  return server;
}

const noLimits = { rateLimit: undefined, perAttendeeLimit: 0, openOrdersPerUser: 0, unfulfilledPerUser: 0, groups: [] };

function limitsOf(books: FakeBooks, storeId: string, skuId: string): SkuLimits {
  return {
    storeId,
    skuId,
    rateLimit: undefined,
    source: LimitSource.LIMIT_SOURCE_CONFIGURED,
    onBusy: OnBusy.ON_BUSY_QUEUE,
    requireIssuedRequestId: books.issuedOnly.has(storeId),
    ...books.limits.get(skuId),
  };
}

const noSession = {
  ...{ attempt: 1, provider: 'p', sessionId: 's-1', state: PaymentSessionState.PAYMENT_SESSION_STATE_OPEN },
  ...{ amountMinor: 1_500, currency: 'EUR', parameters: {}, url: '', endsAt: undefined },
};

/** An order service that reads and ends the rows of the books. */
export async function startFakeOrders(books: FakeBooks): Promise<RpcServer> {
  const rowOf = (orderId: string, userId: string): Order => {
    const row = books.rows.get(orderId);
    if (row !== undefined && (userId === '' || userId === row.userId)) return row;
    throw new Fault('ORDER_NOT_FOUND', 'There is no such order');
  };
  const change = (orderId: string, userId: string, state: OrderState): Order => {
    const row = rowOf(orderId, userId);
    const changed = { ...row, state, version: row.version + 1 };
    books.rows.set(orderId, changed);
    return changed;
  };
  const service = implement(OrderServiceDefinition, {
    async getOrder({ orderId, userId }, call) {
      const actor = actorOf(call);
      if (actor?.role !== 'STAFF') return { order: rowOf(orderId, userId) };
      const order = rowOf(orderId, '');
      return { order: actor.stores.includes(order.storeId) ? order : rowOf('', '') };
    },
    async listOrders({ userId, skuId }) {
      const orders = [...books.rows.values()].filter((row) => row.userId === userId || skuId !== '');
      return { orders, nextPageToken: '' };
    },
    async *watchOrder({ orderId, userId }) {
      yield { order: rowOf(orderId, userId) };
    },
    async cancelOrder({ orderId, userId }) {
      return { order: change(orderId, userId, OrderState.ORDER_STATE_CANCELLED) };
    },
    async confirmPayment({ orderId }) {
      const order = books.rows.has(orderId) ? change(orderId, '', OrderState.ORDER_STATE_CONFIRMED) : undefined;
      return { order, paymentState: PaymentState.PAYMENT_STATE_CAPTURED };
    },
    endCancelledSales: absent,
    expireDue: absent,
    startPayment: async ({ orderId, userId }) => ({
      session: { ...noSession, orderId: rowOf(orderId, userId).orderId },
    }),
    ...{ failPayment: absent, recordRefund: absent, applyParkedPayments: absent },
    ...{ endPaymentSessions: absent },
    ...{ cancelOrderLines: absent, moveOrder: absent, extendHold: absent },
  });
  const forOperators = [
    AlertServiceDefinition,
    DeadLetterServiceDefinition,
    ExplainServiceDefinition,
    MoneyServiceDefinition,
    OrderDeskServiceDefinition,
  ];
  const services = [
    service,
    recording(books),
    ...forOperators.map((definition) => noting(definition, 'order', books)),
    statusOf('order'),
  ];
  const server = await startServer({ address, services, logger, reflection: false, drainMs: 50 });
  server.serving(true);
  return server;
}

/** Keeps what is recorded, unless nothing can be. */
function recording(books: FakeBooks): ServiceImplementation {
  return implement(AccessServiceDefinition, {
    async recordAccess(request) {
      if (books.recordingFails) throw new Fault('UNAVAILABLE', 'the ledger is away');
      books.accesses.push(request);
      return {};
    },
    pruneAccess: absent,
  });
}

/** An order with one line, in the state given. */
export function orderOf(item: Partial<Order> & { orderId: string; userId: string }, state: OrderState): Order {
  return {
    storeId: 'store-1',
    requestId: 'key-1',
    lines: [{ skuId: 'sku-1', quantity: 1, attendeeId: item.userId, unitPriceMinor: 1_500 }],
    version: 1,
    amountMinor: 1_500,
    currency: 'EUR',
    createdAt: new Date(0),
    expiresAt: undefined,
    code: '',
    fulfilledAt: undefined,
    entryId: '',
    extendedAt: undefined,
    refusal: undefined,
    channel: undefined,
    ...item,
    state,
  };
}
