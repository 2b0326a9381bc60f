import { type Alert, AlertKind } from '#libs/contracts/gen/holdfast/control/v1/alert_service.js';
import type { Release } from '#libs/contracts/gen/holdfast/control/v1/control_service.js';
import type { DeadLetter } from '#libs/contracts/gen/holdfast/control/v1/dead_letter_service.js';
import type { StoryEvent } from '#libs/contracts/gen/holdfast/control/v1/explain_service.js';
import {
  type Plan,
  PlanState,
  type ProveSkuResponse,
} from '#libs/contracts/gen/holdfast/control/v1/reconcile_service.js';
import { StockPath } from '#libs/contracts/gen/holdfast/control/v1/switch.js';
import { LimitScope, type Order, OrderState, RefusalReason } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import type { Job } from '#libs/contracts/gen/holdfast/scheduler/v1/scheduler_service.js';
import { longAgo, mug, mugUnits } from './samples.js';

/** What a gateway might tell of things that are to be looked at or mended. */
const units = { capacity: 100, overbooked: 0, free: 60, reserved: 0, held: 10, sold: 30 };

export const proof: ProveSkuResponse = {
  sku: mug,
  kept: units,
  ofOrders: units,
  ofMovements: units,
  orders: { HELD: 8, CONFIRMED: 25 },
  conserved: true,
  oversold: false,
  findings: [],
  gate: { loaded: true, letIn: 57, undecided: 3, undecidedOfClaims: 3, claims: 2, oldestClaimMs: 40, version: 9 },
  streamMessages: 2,
  at: longAgo,
};

export const plan: Plan = {
  planId: 17,
  state: PlanState.PLAN_STATE_OPEN,
  madeAt: longAgo,
  madeBy: 'scheduler',
  skus: 1_000,
  orders: 100_000,
  findings: [
    {
      kind: 'COUNTER_WRONG',
      skuId: 'kiln-mug',
      orderId: '',
      detail: '{"held":12,"of_orders":{"held":10}}',
      remedy: 'sets held to 10',
      mended: false,
    },
    { kind: 'GATE_WRONG', skuId: 'kiln-mug', orderId: '', detail: '{"let_in":99}', remedy: '', mended: true },
  ],
  findingsCount: 2,
  mended: 1,
  appliedAt: undefined,
  appliedBy: '',
};

export const alert: Alert = {
  alertId: 12,
  kind: AlertKind.ALERT_KIND_DRIFT,
  subject: 'kiln-mug',
  skuId: 'kiln-mug',
  facts: '{"held":12,"of_orders":10}',
  command: 'holdfast reconcile apply 17',
  firstSeenAt: longAgo,
  lastSeenAt: longAgo,
  timesSeen: 3,
  clearedAt: undefined,
  clearedBy: '',
  clearedReason: '',
};

export const orderId = '0197b2c4-1f5e-8a3c-9d21-6b1f0c2d3e4f';

export const order: Order = {
  orderId,
  storeId: 'kiln',
  userId: 'u-4711',
  requestId: 'r-1',
  state: OrderState.ORDER_STATE_REFUSED,
  version: 1,
  lines: [{ skuId: 'kiln-mug', quantity: 2, attendeeId: 'a-1', unitPriceMinor: 1_250 }],
  amountMinor: 2_500,
  currency: 'EUR',
  createdAt: longAgo,
  expiresAt: undefined,
  code: '',
  fulfilledAt: undefined,
  entryId: '',
  extendedAt: undefined,
  refusal: {
    reason: RefusalReason.REFUSAL_REASON_SOLD_OUT,
    skuId: 'kiln-mug',
    free: 0,
    nextReleaseAt: undefined,
    opensAt: undefined,
    closedAt: undefined,
    slotPast: false,
    limit: 0,
    ownOrderId: '',
    scope: LimitScope.LIMIT_SCOPE_UNSPECIFIED,
  },
};

export const events: StoryEvent[] = [
  { at: longAgo, orderId, what: 'CLAIMED', text: 'let in by the gate' },
  { at: longAgo, orderId, what: 'REFUSED', text: 'sold out' },
];

export const letter: DeadLetter = {
  deadLetterId: 3,
  orderId,
  subject: 'claims.1',
  error: 'no such sku',
  at: longAgo,
  payload: Buffer.from('bytes'),
  payloadJson: '{"order_id":"x"}',
  resolvedAt: undefined,
  resolvedBy: '',
  resolution: '',
};

export const job: Job = {
  name: 'expire',
  description: 'ends holds that are past their time',
  paused: false,
  pauseReason: '',
  lastRunAt: longAgo,
  lastResult: '3 expired',
  nextRunAt: longAgo,
};

export const release: Release = {
  sku: mug,
  availability: { ...mugUnits, onSale: false, opensInMs: 3_600_000 },
  gateLoaded: false,
  stockPath: StockPath.STOCK_PATH_AUTO,
};
