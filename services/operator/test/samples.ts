import type { MeshInstance } from '#libs/contracts/gen/holdfast/control/v1/control_service.js';
import {
  type ControlChange,
  OrderPath,
  type Scope,
  ScopeKind,
  StockPath,
  type Switch,
} from '#libs/contracts/gen/holdfast/control/v1/switch.js';
import {
  type Availability,
  AvailabilityState,
  OnBusy,
  type Sku,
} from '#libs/contracts/gen/holdfast/inventory/v1/sku.js';
import {
  BreakerState,
  type InstanceStatus,
  OrderPathInUse,
  StockPathInUse,
} from '#libs/contracts/gen/holdfast/status/v1/instance.js';

/** Answers as a gateway might give them; each test changes what it is about. */
export const allScope: Scope = { kind: ScopeKind.SCOPE_KIND_ALL, storeId: '', skuId: '' };
export const storeScope: Scope = { kind: ScopeKind.SCOPE_KIND_STORE, storeId: 'kiln', skuId: '' };
export const skuScope: Scope = { kind: ScopeKind.SCOPE_KIND_SKU, storeId: 'kiln', skuId: 'kiln-mug' };
export const longAgo = new Date('2026-03-02T09:00:00Z');

export const stockSwitch: Switch = {
  scope: allScope,
  path: { $case: 'stockPath', value: StockPath.STOCK_PATH_POSTGRES },
  version: 4,
  reason: 'upgrade of Redis',
  setBy: 'bob',
  setAt: longAgo,
  expiresAt: undefined,
};
export const orderSwitch: Switch = {
  ...stockSwitch,
  path: { $case: 'orderPath', value: OrderPath.ORDER_PATH_AUTO },
  version: 2,
};
export const change: ControlChange = {
  what: 'STOCK_PATH',
  scope: allScope,
  from: 'AUTO',
  to: 'POSTGRES',
  reason: 'upgrade of Redis',
  changedBy: 'bob',
  changedAt: longAgo,
  version: 4,
  expiresAt: undefined,
};

export const mug: Sku = {
  skuId: 'kiln-mug',
  storeId: 'kiln',
  title: 'A mug',
  capacity: 100,
  overbooked: 0,
  startsAt: undefined,
  timeZone: '',
  onSaleAt: longAgo,
  offSaleAt: undefined,
  perUserLimit: 2,
  maxPerOrder: 10,
  holdTtlSeconds: 900,
  paymentRequired: true,
  priceMinor: 1250,
  currency: 'EUR',
  rateLimit: { perSecond: 400, burst: 40 },
  paused: false,
  cancelledAt: undefined,
  limitGroup: '',
  etag: '7',
  onBusy: OnBusy.ON_BUSY_FAIL,
};
export const mugUnits: Availability = {
  skuId: 'kiln-mug',
  state: AvailabilityState.AVAILABILITY_STATE_AVAILABLE,
  free: 60,
  reserved: 0,
  held: 10,
  sold: 30,
  nextReleaseAt: undefined,
  opensInMs: 0,
  onSale: true,
  cancelledAt: undefined,
};

const plain: InstanceStatus = {
  instance: '',
  service: '',
  version: '0.1.0',
  startedAt: longAgo,
  servers: [],
  pools: [],
  stock: undefined,
  orders: undefined,
};
const inventory: InstanceStatus = {
  ...plain,
  instance: 'inventory-1',
  service: 'inventory',
  servers: [
    { name: 'postgres', answers: true },
    { name: 'redis', answers: true },
    { name: 'nats', answers: true },
  ],
  pools: [{ name: 'ledger', size: 8, inUse: 3, waiting: 0, longestWaitMs: 12 }],
  stock: {
    stockPath: StockPathInUse.STOCK_PATH_IN_USE_REDIS,
    orderPath: OrderPathInUse.ORDER_PATH_IN_USE_STREAM,
    gateBreaker: BreakerState.BREAKER_STATE_CLOSED,
    streamBreaker: BreakerState.BREAKER_STATE_CLOSED,
    journalSize: 3,
    journalOldestMs: 12,
    inFlight: 5,
    parked: 1,
    undecided: 3,
  },
};
const order: InstanceStatus = {
  ...plain,
  instance: 'order-1',
  service: 'order',
  servers: [
    { name: 'postgres', answers: true },
    { name: 'nats', answers: true },
  ],
  pools: [{ name: 'ledger', size: 8, inUse: 1, waiting: 0, longestWaitMs: 0 }],
  orders: { consumerLag: 7, outboxLag: 2, outboxOldestMs: 40, deadLetters: 0 },
};

/** One process, as it answers. */
function instance(status: InstanceStatus, address: string): MeshInstance {
  return { service: status.service, address, status, problem: '' };
}

/** A mesh in which all is well. */
export const wellMesh: MeshInstance[] = [
  instance({ ...plain, instance: 'gateway-1', service: 'gateway' }, '127.0.0.1:7011'),
  instance(inventory, '127.0.0.1:7021'),
  instance(order, '127.0.0.1:7031'),
];

/** An order service without NATS, whose events wait for days. */
export function withoutStream(): MeshInstance {
  const orders = { consumerLag: 0, outboxLag: 12_000, outboxOldestMs: 500_000_000, deadLetters: 0 };
  return instance({ ...order, servers: [{ name: 'postgres', answers: true }], orders }, '127.0.0.1:7031');
}

/** The inventory process of it with its gate gone round. */
export function withoutGate(): MeshInstance {
  const stock = {
    ...(inventory.stock as NonNullable<InstanceStatus['stock']>),
    stockPath: StockPathInUse.STOCK_PATH_IN_USE_POSTGRES,
    gateBreaker: BreakerState.BREAKER_STATE_OPEN,
    journalSize: -1,
  };
  return instance({ ...inventory, servers: [{ name: 'redis', answers: false }], stock }, '127.0.0.1:7021');
}
