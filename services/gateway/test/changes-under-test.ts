import type { PlaceHoldsResult } from '#libs/contracts/gen/holdfast/inventory/v1/inventory_service.js';
import type { Order, Refusal } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import { LimitScope, RefusalReason } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import { Fault, type FaultReason } from '#libs/refusal/fault.js';
import { fromStatus } from '#libs/rpc/status.js';
import { createLogger } from '#libs/runtime/logger.js';
import { createMetrics } from '#libs/runtime/metrics.js';
import type { Answer } from '../src/app/answer.js';
import { type Changes, type ChangesOptions, createChanges } from '../src/app/changes.js';
import { IssuedRequestIds } from '../src/app/issued-request-ids.js';
import { LimitedFaults } from '../src/app/limits/limited-faults.js';
import type { Hold, Inventory, Orders, Peers, SkuLimit, Waitlists } from '../src/app/ports.js';
import { FakeRequests } from './fake-requests.js';

export interface ChangesUnderTest extends Changes {
  requests: FakeRequests;
  /** What inventory was asked to place, as it was asked, and for how long. */
  placed: { hold: Hold; waitMs: number }[];
  /** Orders that can be read, and claims. */
  rows: Map<string, Order>;
  claims: Map<string, Order>;
  close(): void;
}

export type Placing = (hold: Hold, tries: number) => Promise<PlaceHoldsResult['outcome']>;

/** The three changes over a fake port of marks and fake peers. */
export function changesWith(
  place: Placing,
  options: Partial<ChangesOptions> & {
    orders?: Partial<Orders>;
    inventory?: Partial<Inventory>;
    waitlists?: Partial<Waitlists>;
  } = {},
): ChangesUnderTest {
  const { orders, inventory, waitlists, ...rest } = options;
  const requests = options.requests instanceof FakeRequests ? options.requests : new FakeRequests();
  const placed: ChangesUnderTest['placed'] = [];
  const rows = new Map<string, Order>();
  const claims = new Map<string, Order>();
  const peers: Peers = {
    inventory: {
      ...absentInventory,
      async placeHold(hold, waitMs) {
        const tries = placed.push({ hold: { ...hold }, waitMs });
        return { itemId: tries, outcome: await place(hold, tries) };
      },
      findClaim: async (orderId) => claims.get(orderId),
      ...inventory,
    },
    orders: { ...absentOrders, find: async ({ orderId }) => rows.get(orderId), ...orders },
    waitlists: { ...absentWaitlists, ...waitlists },
  };
  const changes = createChanges(peers, {
    requests,
    limitsOf: (_, skuIds) => skuIds.map(limitOf),
    issuedRequestIds: new IssuedRequestIds([]),
    limitedFaults: new LimitedFaults(createMetrics()),
    shards: 4,
    logger: createLogger('test', 'silent'),
    ...rest,
  });
  return { ...changes, requests, placed, rows, claims };
}

export function limitOf(skuId: string): SkuLimit {
  return { skuId, perSecond: 50, burst: 50, onBusy: 'QUEUE', issuedOnly: false };
}

export function reasonOf(answer: Answer): FaultReason | undefined {
  return answer.$case === 'error' ? fromStatus(answer.value).reason : undefined;
}

export function faultIn(answer: Answer): Fault | undefined {
  return answer.$case === 'error' ? fromStatus(answer.value) : undefined;
}

/** The outcome of an answer, or the reason of its status. */
export function caseOf(answer: Answer): string | undefined {
  return answer.$case === 'error' ? fromStatus(answer.value).reason : answer.value.outcome?.$case;
}

export function refusalOf(reason: keyof typeof RefusalReason, facts: Partial<Refusal> = {}): Refusal {
  return {
    reason: RefusalReason[reason],
    skuId: 'sku-1',
    free: 0,
    nextReleaseAt: undefined,
    opensAt: undefined,
    closedAt: undefined,
    slotPast: false,
    limit: 0,
    ownOrderId: '',
    scope: LimitScope.LIMIT_SCOPE_UNSPECIFIED,
    ...facts,
  };
}

async function absent(): Promise<never> {
  throw new Fault('INTERNAL', 'not part of this test');
}

const absentInventory: Inventory = {
  placeHold: absent,
  findClaim: absent,
  getSku: absent,
  listSkus: absent,
  getAvailability: absent,
  batchGetLimits: absent,
  listLimits: absent,
  setLimits: absent,
};

const absentWaitlists: Waitlists = {
  find: absent,
  findBySku: absent,
  leave: absent,
  accept: absent,
  // biome-ignore lint/correctness/useYield: nobody watches here
  async *watch() {
    throw new Fault('INTERNAL', 'not part of this test');
  },
};

const absentOrders: Orders = {
  find: absent,
  list: absent,
  cancel: absent,
  confirmPayment: absent,
  ...{ cancelLines: absent, move: absent, extendHold: absent, startPayment: absent },
  ...{ failPayment: absent, recordRefund: absent },
  // biome-ignore lint/correctness/useYield: nobody watches here
  async *watch() {
    throw new Fault('INTERNAL', 'not part of this test');
  },
};
