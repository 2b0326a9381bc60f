import type { Fault } from '#libs/refusal/fault.js';
import type { Alert } from '../domain/alert.js';
import type { DeadLetter } from '../domain/dead-letter.js';
import type { Job } from '../domain/job.js';
import type { LimitChange, OnBusy, Rate } from '../domain/limit-change.js';
import type { MeshStatus } from '../domain/mesh.js';
import type { HoldStats, Movement } from '../domain/movement.js';
import type { MoneyLine, Payment, Settlement } from '../domain/payment.js';
import type { Plan } from '../domain/plan.js';
import type { Proof } from '../domain/proof.js';
import type { Release } from '../domain/release.js';
import type { Sku, SkuDraft, StockedSku } from '../domain/sku.js';
import type { OrderStory, RequestAsked, RequestStory, StoryOrder, UserStory } from '../domain/story.js';
import type { ControlChange, Scope, Switch } from '../domain/switches.js';
import type { WaitersPage } from '../domain/waiter.js';
import type { DeliveriesWanted, WebhookDelivery, WebhookEndpoint, WebhookTest } from '../domain/webhook.js';

/** Who set a rate limit. */
export type LimitSource = 'sku' | 'store' | 'configured';

/** What a store sets for all its skus. */
export interface StoreLimits {
  storeId: string;
  /** Absent: the store sets none. */
  rate?: Rate;
  requireIssuedRequestId: boolean;
  /** What one person may have beyond one sku. 0: no limit. */
  perAttendeeLimit: number;
  openOrdersPerUser: number;
  unfulfilledPerUser: number;
  groups: { groupId: string; perAttendeeLimit: number }[];
}

/** What holds for requests for one sku. */
export interface SkuLimits {
  storeId: string;
  skuId: string;
  /** Absent: what the gateways are configured with. */
  rate?: Rate;
  source: LimitSource;
  onBusy: OnBusy;
  requireIssuedRequestId: boolean;
}

/** One page of a store's limits; an empty token is the only end. */
export interface LimitsPage {
  /** What holds where neither sku nor store sets anything. */
  configured?: Rate;
  store: StoreLimits;
  skus: SkuLimits[];
  nextPageToken: string;
}

/** What now holds for what was set. */
export interface LimitsSet {
  store?: StoreLimits;
  sku?: SkuLimits;
}

/** How many requests are let through. Everything rejects with a Fault, as in all ports. */
export interface Limits {
  listLimits(storeId: string, pageToken: string): Promise<LimitsPage>;
  setLimits(change: LimitChange): Promise<LimitsSet>;
}

/** A change of a switch with all that it needs. */
export interface SwitchToSet extends Pick<Switch, 'scope' | 'setting' | 'reason'> {
  expiresInSeconds: number;
  /** 0: never set. */
  expectedVersion: number;
}

/** Which way orders take, and what operators changed. */
export interface Switches {
  getSwitches(): Promise<Switch[]>;
  /** SWITCH_CHANGED when somebody else set it since the version was read. */
  setSwitch(change: SwitchToSet): Promise<Switch>;
  /** Newest first; `scope` undefined: of everything. */
  listChanges(scope: Scope | undefined, pageSize: number, pageToken: string): Promise<Page<ControlChange>>;
}

/** Some of many; an empty token is the only end. */
export interface Page<Item> {
  items: Item[];
  nextPageToken: string;
}

/** The whole mesh at a glance. */
export interface Mesh {
  getStatus(): Promise<MeshStatus>;
}

/** A sku that is about to be changed. */
export interface SkuNamed {
  storeId: string;
  skuId: string;
}

/** What became of a chunk of skus; positions are those within the chunk. */
export interface ChunkImported {
  created: number;
  changed: number;
  unchanged: number;
  failures: { position: number; skuId: string; fault: Fault }[];
}

/** How a chunk is imported. */
export interface ImportHow {
  /** Nothing is changed. */
  dryRun: boolean;
  /** Also those that exist with other terms. */
  update: boolean;
  /** Kept with the change; may be empty. */
  reason: string;
}

/** What is sold. */
export interface Skus {
  /** SKU_NOT_FOUND when there is no such sku. */
  getSku(skuId: string): Promise<StockedSku>;
  pauseSku(sku: SkuNamed, reason: string): Promise<Sku>;
  resumeSku(sku: SkuNamed, reason: string): Promise<Sku>;
  /** For good: its orders are cancelled in the minutes after. */
  cancelSku(sku: SkuNamed, reason: string): Promise<Sku>;
  /** The orders that make it overbooked, newest first. */
  listOverbooked(skuId: string, pageSize: number, pageToken: string): Promise<Page<StoryOrder>>;
  /** Why it stays where it is, in capitals; empty: it moved. ORDER_STATE when it is over. */
  moveOrder(wanted: { orderId: string; fromSkuId: string; toSkuId: string }): Promise<string>;
  /** CAPACITY_BELOW_TAKEN, with metadata `taken`, when more units are taken and `force` is false. */
  setCapacity(sku: SkuNamed, change: { capacity: number; force: boolean; reason: string }): Promise<StockedSku>;
  /** At most 500. */
  importSkus(skus: readonly SkuDraft[], how: ImportHow): Promise<ChunkImported>;
}

/** Whether everything fits together. */
export interface Reconcile {
  /** Looks at these skus, or at all when there are none. */
  makePlan(skuIds: readonly string[]): Promise<Plan>;
  /** PLAN_STALE when things are not as the plan found them. */
  applyPlan(planId: number, reason: string): Promise<Plan>;
  listPlans(pageSize: number, pageToken: string): Promise<Page<Plan>>;
  getPlan(planId: number): Promise<Plan>;
  proveSku(skuId: string): Promise<Proof>;
}

/** What happened, in the order of time. */
export interface Stories {
  ofOrder(orderId: string): Promise<OrderStory>;
  ofUser(userId: string, skuId: string): Promise<UserStory>;
  ofRequest(asked: RequestAsked): Promise<RequestStory>;
}

/** What a person should look at. */
export interface Alerts {
  /** The last seen first. */
  listAlerts(withCleared: boolean, pageSize: number, pageToken: string): Promise<Page<Alert>>;
  clearAlert(alertId: number, reason: string): Promise<Alert>;
}

/** Messages that nobody could process. */
export interface DeadLetters {
  /** Newest first. */
  listDeadLetters(withResolved: boolean, pageSize: number, pageToken: string): Promise<Page<DeadLetter>>;
  getDeadLetter(deadLetterId: number): Promise<DeadLetter>;
  /** Also what became of its order. */
  replayDeadLetter(deadLetterId: number, reason: string): Promise<{ letter: DeadLetter; order?: StoryOrder }>;
  discardDeadLetter(deadLetterId: number, reason: string): Promise<DeadLetter>;
}

/** What was paid. */
export interface Money {
  /** Not settled yet, the oldest first; an empty store: of all. */
  listIssues(storeId: string, pageSize: number, pageToken: string): Promise<Page<Payment>>;
  settle(settlement: Settlement): Promise<Payment>;
  report(day: { storeId: string; day: string; timeZone: string }): Promise<MoneyLine[]>;
}

/** Orders at the door, and where their units went. */
export interface Orders {
  /** `changed` is false when it was fulfilled before. */
  fulfil(
    which: { orderId: string } | { storeId: string; code: string },
  ): Promise<{ orderId: string; userId: string; fulfilledAt?: Date | undefined; changed: boolean }>;
  /** Either a store or a sku; the other one is empty. */
  holdStats(wanted: { storeId: string; skuId: string; since: Date }): Promise<HoldStats>;
  /** The newest first. */
  movementsOf(skuId: string, pageSize: number, pageToken: string): Promise<Page<Movement>>;
}

/** When things are done. */
export interface Jobs {
  listJobs(): Promise<Job[]>;
  runJob(name: string): Promise<Job>;
  pauseJob(name: string, reason: string): Promise<Job>;
  resumeJob(name: string): Promise<Job>;
}

/** Sales that open. */
export interface Releases {
  /** In the order of openings; an empty store: of all. */
  listReleases(
    wanted: { storeId: string; withinHours: number },
    pageSize: number,
    pageToken: string,
  ): Promise<Page<Release>>;
}

/** Those who wait for what is sold out. */
export interface Waitlists {
  /** From the head of the line. */
  listWaiters(sku: SkuNamed, pageSize: number, pageToken: string): Promise<WaitersPage>;
  pauseWaitlist(sku: SkuNamed, reason: string): Promise<void>;
  /** How many were offered something by it. */
  resumeWaitlist(sku: SkuNamed, reason: string): Promise<number>;
}

/** An endpoint with the secret that is told this once. */
export interface EndpointWithSecret {
  endpoint: WebhookEndpoint;
  secret: string;
}

/** Where events of stores go. */
export interface Webhooks {
  addEndpoint(endpoint: { storeId: string; url: string; eventTypes: string[] }): Promise<EndpointWithSecret>;
  /** An empty store: of all. */
  listEndpoints(storeId: string, pageSize: number, pageToken: string): Promise<Page<WebhookEndpoint>>;
  rotateSecret(endpointId: string): Promise<EndpointWithSecret>;
  pauseEndpoint(endpointId: string, reason: string): Promise<WebhookEndpoint>;
  resumeEndpoint(endpointId: string): Promise<WebhookEndpoint>;
  removeEndpoint(endpointId: string): Promise<void>;
  /** The newest first. */
  listDeliveries(wanted: DeliveriesWanted, pageSize: number, pageToken: string): Promise<Page<WebhookDelivery>>;
  /** How many are sent again. */
  replay(which: { endpointId: string; eventId: string; failedSince: Date | undefined }): Promise<number>;
  test(endpointId: string): Promise<WebhookTest>;
}

/** The gateway as operators use it. */
export interface Gateway {
  limits: Limits;
  switches: Switches;
  mesh: Mesh;
  skus: Skus;
  reconcile: Reconcile;
  stories: Stories;
  alerts: Alerts;
  deadLetters: DeadLetters;
  money: Money;
  orders: Orders;
  jobs: Jobs;
  releases: Releases;
  waitlists: Waitlists;
  webhooks: Webhooks;
}
