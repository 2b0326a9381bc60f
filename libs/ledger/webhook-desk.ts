import { retryConflicts } from '#libs/postgres/errors.js';
import type { Statement } from '#libs/postgres/statement.js';
import { Fault } from '#libs/refusal/fault.js';
import { requestReused } from './alerts.js';
import { functionCall, type LedgerPool } from './ledger-pool.js';
import { cutPage, isRowNumber, type PageQuery, readPage } from './page.js';
import { noSuchEndpoint, type WebhookEndpointState } from './webhooks.js';

const ATTEMPTS = 5;
const put = functionCall('webhook_endpoint_put', 8);
const set = functionCall('webhook_endpoint_set', 5);
const rotate = functionCall('webhook_secret_rotate', 5);
const listEndpoints = functionCall('webhook_endpoints_list', 5);
const listDeliveries = functionCall('webhook_deliveries_list', 5);
const replay = functionCall('webhook_replay', 5);

/** Where events of a store go; its secrets are not among it. */
export interface WebhookEndpoint {
  endpointId: string;
  storeId: string;
  url: string;
  /** Empty: all. */
  eventTypes: string[];
  state: WebhookEndpointState;
  /** Why it is not active. */
  stateReason: string;
  failingSince?: Date;
  createdBy: string;
  createdAt: Date;
  /** How many events wait. */
  waiting: number;
  /** Until when the secret before signs, too. */
  previousSecretUntil?: Date;
}

export type WebhookDeliveryState = 'DUE' | 'DELIVERED' | 'FAILED';

/** One event for one endpoint. */
export interface WebhookDelivery {
  endpointId: string;
  eventId: string;
  eventType: string;
  payload: string;
  state: WebhookDeliveryState;
  attempts: number;
  createdAt: Date;
  nextAttemptAt?: Date;
  lastAttemptAt?: Date;
  /** HTTP status of the last attempt; absent: there was no answer. */
  lastStatus?: number;
  lastError: string;
}

/** What every change of webhooks is kept with. */
export interface WebhookChangedBy {
  /** The name of an operator or of staff. */
  by: string;
  /** The same request again has no second effect. */
  requestId: string;
}

/** An endpoint as it shall be. */
export interface EndpointToPut extends WebhookChangedBy {
  endpointId: string;
  isNew: boolean;
  storeId: string;
  url: string;
  eventTypes: readonly string[];
  /** Of a new one. */
  secret: string;
}

interface EndpointRow {
  endpoint_id: string;
  store_id: string;
  url: string;
  event_types: string[];
  state: WebhookEndpointState;
  state_reason: string;
  failing_since: Date | null;
  created_by: string;
  created_at: Date;
  waiting: number;
  previous_until: Date | null;
}

interface DeliveryRow {
  sequence: number;
  endpoint_id: string;
  event_id: string;
  event_type: string;
  payload: string;
  state: WebhookDeliveryState;
  attempts: number;
  created_at: Date;
  next_attempt_at: Date | null;
  last_attempt_at: Date | null;
  last_status: number | null;
  last_error: string;
}

interface ChangeRow {
  outcome: 'PUT' | 'DONE' | 'NOT_FOUND' | 'REUSED' | 'FULL';
}

/** The calls by which operators see to webhooks. */
export function webhookDeskCalls(pool: LedgerPool) {
  return { ...endpointCalls(pool), ...listCalls(pool), ...replayCalls(pool) };
}

function endpointCalls(pool: LedgerPool) {
  async function webhookEndpointGet(endpointId: string): Promise<WebhookEndpoint> {
    const [row] = await pool.query<EndpointRow>(listEndpoints, [null, endpointId, null, null, 1]);
    return row ? toEndpoint(row) : noSuchEndpoint(endpointId);
  }

  return {
    /** Fault WEBHOOK_ENDPOINT_NOT_FOUND. */
    webhookEndpointGet,

    /**
     * Adds or changes an endpoint; resolves its id, and its secret when the request added it. Faults
     * WEBHOOK_ENDPOINT_NOT_FOUND, REQUEST_ID_REUSED, WEBHOOK_ENDPOINTS_FULL.
     */
    async webhookEndpointPut(want: EndpointToPut): Promise<{ endpointId: string; secret: string }> {
      const { endpointId, isNew, storeId, url, eventTypes, secret, by, requestId } = want;
      const values = [endpointId, isNew, storeId, url, eventTypes, secret, by, requestId];
      const asked = { endpointId, requestId };
      const row = await change<{ endpoint_id: string; secret: string }>(pool, put, values, asked);
      if (row.outcome === 'FULL') {
        const metadata = { store_id: storeId, most: '20' };
        throw new Fault('WEBHOOK_ENDPOINTS_FULL', 'a store has 20 endpoints at most', { metadata });
      }
      return { endpointId: row.endpoint_id, secret: row.secret };
    },

    /** Faults WEBHOOK_ENDPOINT_NOT_FOUND, REQUEST_ID_REUSED. */
    async webhookEndpointSet(
      endpointId: string,
      verb: 'PAUSE' | 'RESUME' | 'REMOVE',
      { by, requestId, reason = '' }: WebhookChangedBy & { reason?: string },
    ): Promise<void> {
      await change(pool, set, [endpointId, verb, reason, by, requestId], { endpointId, requestId });
    },

    /**
     * Gives it this secret, and keeps the one before for `keepMs`; again the same request: the secret that holds. Faults
     * WEBHOOK_ENDPOINT_NOT_FOUND, REQUEST_ID_REUSED.
     */
    async webhookSecretRotate(
      endpointId: string,
      { secret, keepMs, by, requestId }: WebhookChangedBy & { secret: string; keepMs: number },
    ): Promise<string> {
      const values = [endpointId, secret, keepMs, by, requestId];
      return (await change<{ secret: string }>(pool, rotate, values, { endpointId, requestId })).secret;
    },
  };
}

function replayCalls(pool: LedgerPool) {
  return {
    /**
     * Sends one event again, or all that failed since; resolves how many. Faults WEBHOOK_ENDPOINT_NOT_FOUND,
     * REQUEST_ID_REUSED.
     */
    async webhookReplay(
      endpointId: string,
      which: { eventId: string } | { failedSince: Date },
      { by, requestId }: WebhookChangedBy,
    ): Promise<number> {
      const values = 'eventId' in which ? [which.eventId, null] : [null, which.failedSince];
      const asked = { endpointId, requestId };
      return (await change<{ replayed: number }>(pool, replay, [endpointId, ...values, by, requestId], asked)).replayed;
    },
  };
}

async function change<Row extends object>(
  pool: LedgerPool,
  statement: Statement,
  values: unknown[],
  { endpointId, requestId }: { endpointId: string; requestId: string },
): Promise<Row & ChangeRow> {
  const [row] = await retryConflicts(() => pool.query<Row & ChangeRow>(statement, values), ATTEMPTS);
  if (row === undefined || row.outcome === 'NOT_FOUND') return noSuchEndpoint(endpointId);
  if (row.outcome === 'REUSED') throw requestReused(requestId);
  return row;
}

function listCalls(pool: LedgerPool) {
  return {
    /** Those of some stores, or of all, by store and id. Fault INVALID_REQUEST for a page that cannot be. */
    async webhookEndpointsList(
      storeIds: readonly string[] | undefined,
      page: PageQuery,
    ): Promise<{ endpoints: WebhookEndpoint[]; nextPageToken: string }> {
      const name = `webhooks ${storeIds?.join(' ') ?? ''}`;
      const { size, after } = readPage(name, page, [(part) => part.length <= 128, (part) => part.length <= 128]);
      const values = [storeIds ?? null, null, after?.[0] ?? null, after?.[1] ?? null, size + 1];
      const found = await pool.query<EndpointRow>(listEndpoints, values);
      const { rows, nextPageToken } = cutPage(name, found, {
        size,
        keyOf: (row) => [row.store_id, row.endpoint_id],
      });
      return { endpoints: rows.map(toEndpoint), nextPageToken };
    },

    /** The newest first. Fault INVALID_REQUEST for a page that cannot be. */
    async webhookDeliveriesList(
      { endpointId, state, since }: { endpointId: string; state?: WebhookDeliveryState; since?: Date },
      page: PageQuery,
    ): Promise<{ deliveries: WebhookDelivery[]; nextPageToken: string }> {
      const name = `webhook deliveries ${endpointId} ${state ?? ''}`;
      const { size, after } = readPage(name, page, [isRowNumber]);
      const values = [endpointId, state ?? null, since ?? null, after?.[0] ?? null, size + 1];
      const found = await pool.query<DeliveryRow>(listDeliveries, values);
      const { rows, nextPageToken } = cutPage(name, found, { size, keyOf: (row) => [String(row.sequence)] });
      return { deliveries: rows.map(toDelivery), nextPageToken };
    },
  };
}

function toEndpoint(row: EndpointRow): WebhookEndpoint {
  return {
    ...{ endpointId: row.endpoint_id, storeId: row.store_id, url: row.url, eventTypes: row.event_types },
    ...{ state: row.state, stateReason: row.state_reason, createdBy: row.created_by, createdAt: row.created_at },
    waiting: row.waiting,
    ...(row.failing_since && { failingSince: row.failing_since }),
    ...(row.previous_until && { previousSecretUntil: row.previous_until }),
  };
}

function toDelivery(row: DeliveryRow): WebhookDelivery {
  return {
    ...{ endpointId: row.endpoint_id, eventId: row.event_id, eventType: row.event_type, payload: row.payload },
    ...{ state: row.state, attempts: row.attempts, createdAt: row.created_at, lastError: row.last_error },
    ...(row.next_attempt_at && { nextAttemptAt: row.next_attempt_at }),
    ...(row.last_attempt_at && { lastAttemptAt: row.last_attempt_at }),
    ...(row.last_status !== null && { lastStatus: row.last_status }),
  };
}
