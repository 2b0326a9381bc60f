import { PlanState } from '#libs/contracts/gen/holdfast/control/v1/reconcile_service.js';
import {
  LimitSource,
  OnBusy,
  type SkuLimits,
  type StoreLimits,
} from '#libs/contracts/gen/holdfast/inventory/v1/sku.js';
import { WaitlistEntry, WaitlistState } from '#libs/contracts/gen/holdfast/waitlist/v1/waitlist.js';
import type { Script } from './fake-gateway.js';
import { holdStats, movement, payment } from './money-samples.js';
import { alert, events, job, letter, order, orderId, plan, proof, release } from './repair-samples.js';
import { change, longAgo, mug, mugUnits, orderSwitch, stockSwitch, wellMesh } from './samples.js';
import { webhookAnswers } from './webhook-samples.js';

/** A command as it may be typed, and how many things are wrong with a bad one. */
export interface SampleCommand {
  good: readonly string[];
  /** Absent: there is nothing that could be wrong with it. */
  bad?: { args: readonly string[]; problems: readonly string[] };
}

const why = ['--reason', 'upgrade'];
const needsReason = '--reason is missing';

/** One of each. */
export const sampleCommands: Record<string, SampleCommand> = {
  status: { good: [] },
  'switch get': { good: [], bad: { args: ['--store', 'a b', '--sku', ''], problems: ['--store "a b"', '--sku ""'] } },
  'switch set': {
    good: ['postgres', ...why],
    bad: {
      args: ['direct', '--store', 'a b', '--for', 'soon', '--expect', '-1'],
      problems: ['path "direct"', '--store "a b"', '--for "soon"', '--expect "-1"', needsReason],
    },
  },
  'switch set-order': {
    good: ['direct', ...why],
    bad: { args: ['auto', '--for', '10m', '--expect', 'x'], problems: [needsReason, '--for goes', '--expect "x"'] },
  },
  'switch history': {
    good: [],
    bad: { args: ['--limit', '0', '--sku', 'a b'], problems: ['--limit "0"', '--sku "a'] },
  },
  'limits show': { good: ['--store', 'kiln'], bad: { args: [], problems: ['name a store'] } },
  'limits set': {
    good: ['--store', 'kiln', '--clear'],
    bad: { args: ['--rate', '0'], problems: ['--store is missing', '--rate 0', '--burst is missing'] },
  },
  'limits apply': { good: [], bad: { args: ['/nowhere/limits.json'], problems: ['there is no file'] } },
  'sku show': { good: ['kiln-mug'], bad: { args: ['a b'], problems: ['SKU "a b"'] } },
  'sku pause': { good: ['kiln-mug', ...why], bad: { args: ['a b'], problems: ['SKU "a b"', needsReason] } },
  'sku resume': {
    good: ['kiln-mug', ...why],
    bad: { args: ['a b', '--reason', ' '], problems: ['SKU "a b"', needsReason] },
  },
  'sku cancel': { good: ['kiln-mug', ...why], bad: { args: ['a b'], problems: ['SKU "a b"', needsReason] } },
  'sku set-capacity': {
    good: ['kiln-mug', '120', ...why],
    bad: { args: ['a b', 'many'], problems: ['SKU "a b"', 'N "many"', needsReason] },
  },
  overbooked: {
    good: ['kiln-mug', '--move-to', 'kiln-cup'],
    bad: { args: ['a b', '--move-to', 'c d'], problems: ['SKU "a b"', '--move-to "c d"'] },
  },
  'waitlist list': {
    good: ['kiln-mug'],
    bad: { args: ['a b', '--limit', '0'], problems: ['SKU "a b"', '--limit "0"'] },
  },
  'waitlist pause': { good: ['kiln-mug', ...why], bad: { args: ['a b'], problems: ['SKU "a b"', needsReason] } },
  'waitlist resume': { good: ['kiln-mug', ...why], bad: { args: ['a b'], problems: ['SKU "a b"', needsReason] } },
  alerts: { good: [] },
  'alerts clear': { good: ['12', ...why], bad: { args: ['x'], problems: ['ALERT "x"', needsReason] } },
  releases: {
    good: [],
    bad: { args: ['--store', 'a b', '--within', '1y'], problems: ['--store "a', '--within "1y"'] },
  },
  prove: { good: ['kiln-mug'], bad: { args: ['a b'], problems: ['SKU "a b"'] } },
  'explain order': { good: [orderId], bad: { args: ['17'], problems: ['ORDER "17"'] } },
  'explain user': {
    good: ['u-4711', '--sku', 'kiln-mug'],
    bad: { args: ['u 1'], problems: ['USER "u 1"', '--sku is missing'] },
  },
  'explain request': {
    good: ['key-1', '--user', 'u-4711', '--store', 'kiln'],
    bad: { args: ['k 1', '--store', 'a b'], problems: ['REQUEST "k 1"', '--store "a b"', '--user is missing'] },
  },
  'reconcile plan': {
    good: ['--sku', 'kiln-mug', 'kiln-wheel'],
    bad: { args: ['--sku', 'a b', 'c d'], problems: ['--sku "a b"', '--sku "c d"'] },
  },
  'reconcile apply': { good: ['17', ...why], bad: { args: ['0'], problems: ['PLAN "0"', needsReason] } },
  'reconcile plans': { good: [], bad: { args: ['--limit', 'all'], problems: ['--limit "all"'] } },
  'reconcile show': { good: ['17'], bad: { args: ['last'], problems: ['PLAN "last"'] } },
  'dead-letters list': { good: ['--all'], bad: { args: ['--limit', '-5'], problems: ['--limit "-5"'] } },
  'dead-letters show': { good: ['3'], bad: { args: ['x'], problems: ['LETTER "x"'] } },
  'dead-letters replay': { good: ['3', ...why], bad: { args: ['x'], problems: ['LETTER "x"', needsReason] } },
  'dead-letters discard': { good: ['3', ...why], bad: { args: ['x'], problems: ['LETTER "x"', needsReason] } },
  'money issues': { good: [], bad: { args: ['--store', 'a b'], problems: ['--store "a b"'] } },
  'money report': {
    good: ['--store', 'kiln'],
    bad: { args: ['--day', 'today'], problems: ['--store is missing', '--day "today"'] },
  },
  'money settle': {
    good: ['sandbox', 'pay_1', 'refund', ...why],
    bad: { args: ['a b', 'c d', 'burn'], problems: ['PROVIDER "a b"', 'PAYMENT "c d"', 'WHAT "burn"', needsReason] },
  },
  'orders fulfil': {
    good: ['K7QX2M9D', '--store', 'kiln'],
    bad: { args: ['x', '--store', 'a b'], problems: ['--store "a b"', 'ORDER "x"'] },
  },
  'holds stats': {
    good: ['--store', 'kiln'],
    bad: { args: ['--since', 'soon'], problems: ['--since "soon"', 'name a store or a sku'] },
  },
  movements: {
    good: ['--sku', 'kiln-mug'],
    bad: { args: ['--since', 'soon', '--why', '7'], problems: ['--sku is missing', '--since "soon"', '--why "7"'] },
  },
  'jobs list': { good: [] },
  'jobs run': { good: ['expire'], bad: { args: ['EXPIRE'], problems: ['JOB "EXPIRE"'] } },
  'jobs pause': { good: ['expire', ...why], bad: { args: ['EXPIRE'], problems: ['JOB "EXPIRE"', needsReason] } },
  'jobs resume': { good: ['expire'], bad: { args: ['EXPIRE'], problems: ['JOB "EXPIRE"'] } },
  'webhook add': {
    good: ['--store', 'kiln', '--url', 'https://kiln.example/hooks'],
    bad: { args: ['--url', 'nowhere'], problems: ['--store is missing', '--url'] },
  },
  'webhook list': { good: [] },
  'webhook deliveries': {
    good: ['whe_1'],
    bad: { args: ['a b', '--state', 'lost', '--since', 'soon'], problems: ['ENDPOINT', '--state', '--since'] },
  },
  'webhook replay': {
    good: ['whe_1', '--event', '4711'],
    bad: { args: ['a b', '--failed-since', 'soon'], problems: ['ENDPOINT', '--failed-since'] },
  },
  'webhook rotate': { good: ['whe_1'], bad: { args: ['a b'], problems: ['ENDPOINT'] } },
  'webhook pause': { good: ['whe_1', ...why], bad: { args: ['a b'], problems: ['ENDPOINT', needsReason] } },
  'webhook resume': { good: ['whe_1'], bad: { args: ['a b'], problems: ['ENDPOINT'] } },
  'webhook remove': { good: ['whe_1'], bad: { args: ['a b'], problems: ['ENDPOINT'] } },
  'webhook test': { good: ['whe_1'], bad: { args: ['a b'], problems: ['ENDPOINT'] } },
  'sku import': { good: ['examples/skus.csv'], bad: { args: ['/nowhere.csv'], problems: ['there is no file'] } },
};

const moneyLine = {
  ...{ provider: 'sandbox', currency: 'EUR', payments: 3, capturedMinor: 8_400, refundDueMinor: 4_200 },
  refundedMinor: 0,
  states: { CAPTURED: 4_200, REFUND_DUE: 4_200 },
};

const waiter = {
  ...WaitlistEntry.decode(Buffer.alloc(0)),
  ...{ entryId: orderId, storeId: 'kiln', skuId: 'kiln-mug', userId: 'u-4711', quantity: 3, joinedAt: longAgo },
  state: WaitlistState.WAITLIST_STATE_WAITING,
};

const mugLimits: SkuLimits = {
  storeId: 'kiln',
  skuId: 'kiln-mug',
  rateLimit: undefined,
  source: LimitSource.LIMIT_SOURCE_CONFIGURED,
  onBusy: OnBusy.ON_BUSY_QUEUE,
  requireIssuedRequestId: false,
};

const kilnLimits: StoreLimits = {
  storeId: 'kiln',
  rateLimit: undefined,
  requireIssuedRequestId: false,
  perAttendeeLimit: 0,
  openOrdersPerUser: 0,
  unfulfilledPerUser: 0,
  groups: [],
};

/** A gateway that has an answer to all of them. */
export const everyAnswer: Script = {
  getMeshStatus: { instances: wellMesh, switches: [], openAlerts: {} },
  getControl: { switches: [stockSwitch, orderSwitch] },
  setStockPath: { switch: stockSwitch },
  setOrderPath: { switch: orderSwitch },
  listControlChanges: { changes: [change], nextPageToken: '' },
  listLimits: {
    configured: { perSecond: 50, burst: 50 },
    store: kilnLimits,
    skus: [mugLimits],
    nextPageToken: '',
  },
  setLimits: {
    store: kilnLimits,
    sku: undefined,
  },
  getSku: { sku: mug, availability: mugUnits },
  pauseSku: { sku: { ...mug, paused: true } },
  resumeSku: { sku: mug },
  cancelSku: { sku: { ...mug, cancelledAt: longAgo } },
  moveOrder: { outcome: { $case: 'order', value: order } },
  listOverbookedOrders: { sku: mug, orders: [order], nextPageToken: '' },
  setCapacity: { sku: mug, availability: mugUnits },
  listWaitlist: { entries: [waiter], nextPageToken: '', waiting: 1, reserved: 2, paused: false },
  pauseWaitlist: { changed: true },
  resumeWaitlist: { changed: true, promoted: 1 },
  listAlerts: { alerts: [alert], nextPageToken: '' },
  clearAlert: { alert: { ...alert, clearedAt: longAgo, clearedBy: 'anna', clearedReason: 'seen to' } },
  listReleases: { releases: [release], nextPageToken: '' },
  proveSku: proof,
  explainOrder: { order, events },
  explainUser: { orders: [order], events, units: 0, limit: 2 },
  explainRequest: { orders: [order], events },
  planReconcile: { plan },
  applyReconcile: { plan: { ...plan, state: PlanState.PLAN_STATE_APPLIED, appliedAt: longAgo, appliedBy: 'anna' } },
  listPlans: { plans: [plan], nextPageToken: '' },
  getPlan: { plan },
  listDeadLetters: { deadLetters: [letter], nextPageToken: '' },
  getDeadLetter: { deadLetter: letter },
  replayDeadLetter: { deadLetter: letter, order },
  discardDeadLetter: { deadLetter: letter },
  listMoneyIssues: { payments: [payment], nextPageToken: '' },
  settleMoney: { payment: { ...payment, settledBy: 'anna', settledReason: 'by hand' } },
  getMoneyReport: { lines: [moneyLine] },
  fulfilOrder: { order: { ...order, fulfilledAt: longAgo }, changed: true },
  getHoldStats: holdStats,
  listMovements: { movements: [movement], nextPageToken: '' },
  listJobs: { jobs: [job] },
  runJob: { job },
  pauseJob: { job: { ...job, paused: true, pauseReason: 'upgrade' } },
  resumeJob: { job },
  ...webhookAnswers,
  importSkus: ({ skus }) => ({ created: skus.length, changed: 0, unchanged: 0, failures: [] }),
};
