import type { Paint } from '#libs/terminal/paint.js';
import { type Column, renderTable } from '#libs/terminal/table.js';
import type { WebhookDelivery, WebhookEndpoint, WebhookTest } from '../../domain/webhook.js';
import { instantJson, instantText } from '../time-text.js';

const endpointColumns: Column[] = ['endpoint', 'store', 'url', 'events', 'state', 'waiting', 'failing since'].map(
  (title) => ({ title }),
);
const deliveryColumns: Column[] = ['event', 'type', 'state', 'attempts', 'written', 'next attempt', 'last answer'].map(
  (title) => ({ title }),
);

/** Endpoints, a line each. */
export function endpointsTable(endpoints: readonly WebhookEndpoint[], paint: Paint): string {
  if (endpoints.length === 0) return 'there is no endpoint';
  return renderTable(
    endpointColumns,
    endpoints.map(({ endpointId, storeId, url, eventTypes, state, stateReason, waiting, failingSince }) => [
      endpointId,
      storeId,
      url,
      eventTypes.join(', ') || 'all',
      state === 'ACTIVE' ? state : paint('yellow', `${state}: ${stateReason}`),
      String(waiting),
      instantText(failingSince),
    ]),
  );
}

/** Deliveries, a line each. */
export function deliveriesTable(deliveries: readonly WebhookDelivery[], paint: Paint): string {
  if (deliveries.length === 0) return 'there is no delivery';
  return renderTable(
    deliveryColumns,
    deliveries.map(({ eventId, eventType, state, attempts, createdAt, nextAttemptAt, lastStatus, lastError }) => [
      eventId,
      eventType,
      state === 'FAILED' ? paint('red', state) : state,
      String(attempts),
      instantText(createdAt),
      instantText(nextAttemptAt),
      lastError || (lastStatus === 0 ? '-' : String(lastStatus)),
    ]),
  );
}

/** A secret that is shown this once. */
export function secretText(secret: string): string {
  return `secret: ${secret}\nIt is shown this once: put it where the endpoint verifies signatures.`;
}

/** What a test came to. */
export function testText({ delivered, status, error, tookMs }: WebhookTest): string {
  return delivered ? `it answered ${status} after ${tookMs} ms` : `${error}, after ${tookMs} ms`;
}

/** An endpoint as `webhook --json` prints it; names as in the contracts. */
export function endpointJson(endpoint: WebhookEndpoint): object {
  return {
    endpoint_id: endpoint.endpointId,
    store_id: endpoint.storeId,
    url: endpoint.url,
    event_types: endpoint.eventTypes,
    state: endpoint.state,
    state_reason: endpoint.stateReason,
    failing_since: instantJson(endpoint.failingSince),
    created_by: endpoint.createdBy,
    created_at: instantJson(endpoint.createdAt),
    waiting: endpoint.waiting,
    previous_secret_until: instantJson(endpoint.previousSecretUntil),
  };
}

/** A delivery as `webhook deliveries --json` prints it. */
export function deliveryJson(delivery: WebhookDelivery): object {
  return {
    event_id: delivery.eventId,
    event_type: delivery.eventType,
    state: delivery.state,
    attempts: delivery.attempts,
    created_at: instantJson(delivery.createdAt),
    next_attempt_at: instantJson(delivery.nextAttemptAt),
    last_attempt_at: instantJson(delivery.lastAttemptAt),
    last_status: delivery.lastStatus,
    last_error: delivery.lastError,
    payload: delivery.payload,
  };
}
