import { Fault } from '#libs/refusal/fault.js';
import { functionCall, type LedgerPool } from './ledger-pool.js';

const addDeliveries = functionCall('webhook_deliveries_add', 1);
const claim = functionCall('webhook_claim', 3);
const record = functionCall('webhook_record', 8);
const secretsOf = functionCall('webhook_secrets_of', 1);
const prune = functionCall('webhook_prune', 2);

/** An event whose turn it is, and the endpoint it goes to, for the time of a lease. */
export interface ClaimedWebhook {
  endpointId: string;
  /** Under which the outcome is noted. */
  lease: number;
  url: string;
  /** The one to sign with, and the one before while it holds. */
  secrets: string[];
  sequence: number;
  eventId: string;
  eventType: string;
  payload: string;
  /** Attempts that failed. */
  attempts: number;
  /** Whether the last attempt to this endpoint failed. */
  failing: boolean;
}

/** How an attempt ended. GONE: the endpoint does not want any more. */
export type WebhookOutcome = 'DELIVERED' | 'RETRY' | 'FAILED' | 'GONE';

/** What is noted of an attempt. */
export interface WebhookRecord {
  outcome: WebhookOutcome;
  /** Of the HTTP answer; undefined: there was none. */
  status: number | undefined;
  /** Why it failed; empty when it did not. */
  error: string;
  /** RETRY, GONE: until the next attempt. */
  nextInMs: number;
  /** An endpoint that failed for longer is disabled. */
  disableAfterMs: number;
}

export type WebhookEndpointState = 'ACTIVE' | 'PAUSED' | 'DISABLED';

interface ClaimRow {
  endpoint_id: string;
  lease: number;
  url: string;
  secrets: string[];
  sequence: number;
  event_id: string;
  event_type: string;
  payload: string;
  attempts: number;
  failing: boolean;
}

/** The calls of those who send webhooks. */
export function webhookCalls(pool: LedgerPool) {
  return {
    /**
     * Writes the deliveries of up to `atMost` events that were told, the first ones. Resolves how many events; `atMost`:
     * there may be more. Of many that call it at once one writes, and the others resolve 0.
     */
    async webhookDeliveriesAdd(atMost: number): Promise<number> {
      const [row] = await pool.query<{ webhook_deliveries_add: number }>(addDeliveries, [atMost]);
      return row?.webhook_deliveries_add ?? 0;
    },

    /** Takes up to `atMost` endpoints whose next event is due; nobody else gets them for `leaseMs`. */
    async webhookClaim(want: { atMost: number; atMostFailing: number; leaseMs: number }): Promise<ClaimedWebhook[]> {
      const rows = await pool.query<ClaimRow>(claim, [want.atMost, want.atMostFailing, want.leaseMs]);
      return rows.map((row) => ({
        ...{ endpointId: row.endpoint_id, lease: row.lease, url: row.url, secrets: row.secrets },
        ...{ sequence: row.sequence, eventId: row.event_id, eventType: row.event_type, payload: row.payload },
        ...{ attempts: row.attempts, failing: row.failing },
      }));
    },

    /** Notes how an attempt ended and gives the endpoint back. Undefined: the lease is another's, nothing was noted. */
    async webhookRecord(
      { endpointId, lease, sequence }: Pick<ClaimedWebhook, 'endpointId' | 'lease' | 'sequence'>,
      { outcome, status, error, nextInMs, disableAfterMs }: WebhookRecord,
    ): Promise<WebhookEndpointState | undefined> {
      const which = [endpointId, lease, sequence];
      const values = [...which, outcome, status ?? null, error, Math.round(nextInMs), disableAfterMs];
      const [row] = await pool.query<{ webhook_record: WebhookEndpointState | null }>(record, values);
      return row?.webhook_record ?? undefined;
    },

    /** Where a webhook goes and what it is signed with. Fault WEBHOOK_ENDPOINT_NOT_FOUND. */
    async webhookSecretsOf(endpointId: string): Promise<{ url: string; secrets: string[] }> {
      const [row] = await pool.query<{ url: string; secrets: string[] }>(secretsOf, [endpointId]);
      return row ?? noSuchEndpoint(endpointId);
    },

    /** Takes away what was delivered or failed longer ago. Resolves how many; `atMost`: there may be more. */
    async webhookPrune(olderMs: number, atMost: number): Promise<number> {
      const [row] = await pool.query<{ webhook_prune: number }>(prune, [olderMs, atMost]);
      return row?.webhook_prune ?? 0;
    },
  };
}

/** Throws Fault WEBHOOK_ENDPOINT_NOT_FOUND. */
export function noSuchEndpoint(endpointId: string): never {
  const metadata = { endpoint_id: endpointId.slice(0, 128) };
  throw new Fault('WEBHOOK_ENDPOINT_NOT_FOUND', 'there is no such endpoint', { metadata });
}
