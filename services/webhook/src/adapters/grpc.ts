import { randomBytes, randomUUID } from 'node:crypto';
import {
  WebhookDeliveryState,
  WebhookEndpointState,
  WebhookServiceDefinition,
} from '#libs/contracts/gen/holdfast/webhook/v1/webhook_service.js';
import type { Ledger } from '#libs/ledger/ledger.js';
import type {
  WebhookDeliveryState as DeliveryWord,
  WebhookDelivery,
  WebhookEndpoint,
} from '#libs/ledger/webhook-desk.js';
import { actorNameOf } from '#libs/rpc/actor.js';
import { type Handlers, implement, type ServiceImplementation } from '#libs/rpc/service.js';
import { requestOf, type Send } from '../app/deliver.js';
import { checkIds, checkPut, replayOf, wrongReason } from './requests.js';

export interface WebhookServiceParts {
  readonly ledger: Ledger;
  readonly send: Send;
  readonly allowPrivate: boolean;
  /** How long the secret before holds after a rotation. */
  readonly overlapMs: number;
}

type AllHandlers = Handlers<WebhookServiceDefinition>;
type DeliveryHandlers = Pick<AllHandlers, 'listWebhookDeliveries' | 'replayWebhookDeliveries' | 'sendTestWebhook'>;
type EndpointHandlers = Omit<AllHandlers, keyof DeliveryHandlers>;

/** The WebhookService on the wire. */
export function webhookService(parts: WebhookServiceParts): ServiceImplementation {
  return implement(WebhookServiceDefinition, { ...endpointHandlers(parts), ...deliveryHandlers(parts) });
}

function endpointHandlers({ ledger, allowPrivate, overlapMs }: WebhookServiceParts): EndpointHandlers {
  const endpointOf = async (endpointId: string) => toEndpoint(await ledger.webhookEndpointGet(endpointId));
  return {
    async putWebhookEndpoint(request, call) {
      checkPut(request, { allowPrivate });
      const { storeId, url, eventTypes, requestId } = request;
      const isNew = request.endpointId === '';
      const { endpointId, secret } = await ledger.webhookEndpointPut({
        ...{
          endpointId: isNew ? `whe_${randomUUID()}` : request.endpointId,
          isNew,
          storeId,
          url,
          eventTypes,
          requestId,
        },
        ...{ secret: newSecret(), by: actorNameOf(call) },
      });
      return { endpoint: await endpointOf(endpointId), secret };
    },

    async listWebhookEndpoints({ storeId, pageSize, pageToken }) {
      if (storeId !== '') checkIds({ store_id: storeId });
      const { endpoints, nextPageToken } = await ledger.webhookEndpointsList(storeId, { pageSize, pageToken });
      return { endpoints: endpoints.map(toEndpoint), nextPageToken };
    },

    async rotateWebhookSecret({ endpointId, requestId }) {
      checkIds({ endpoint_id: endpointId, request_id: requestId });
      const rotation = { secret: newSecret(), keepMs: overlapMs, requestId };
      const secret = await ledger.webhookSecretRotate(endpointId, rotation);
      return { endpoint: await endpointOf(endpointId), secret };
    },

    async pauseWebhookEndpoint({ endpointId, reason }, call) {
      checkIds({ endpoint_id: endpointId }, wrongReason(reason));
      await ledger.webhookEndpointSet(endpointId, 'PAUSE', { by: actorNameOf(call), reason });
      return { endpoint: await endpointOf(endpointId) };
    },

    async resumeWebhookEndpoint({ endpointId }, call) {
      checkIds({ endpoint_id: endpointId });
      await ledger.webhookEndpointSet(endpointId, 'RESUME', { by: actorNameOf(call) });
      return { endpoint: await endpointOf(endpointId) };
    },

    async deleteWebhookEndpoint({ endpointId }, call) {
      checkIds({ endpoint_id: endpointId });
      await ledger.webhookEndpointSet(endpointId, 'DELETE', { by: actorNameOf(call) });
      return {};
    },
  };
}

function deliveryHandlers({ ledger, send }: WebhookServiceParts): DeliveryHandlers {
  return {
    async listWebhookDeliveries({ endpointId, state, since, pageSize, pageToken }) {
      checkIds({ endpoint_id: endpointId });
      await ledger.webhookEndpointGet(endpointId);
      const word = deliveryWords.get(state);
      const wanted = { endpointId, ...(word !== undefined && { state: word }), ...(since && { since }) };
      const { deliveries, nextPageToken } = await ledger.webhookDeliveriesList(wanted, { pageSize, pageToken });
      return { deliveries: deliveries.map(toDelivery), nextPageToken };
    },

    async replayWebhookDeliveries(request) {
      const which = replayOf(request);
      await ledger.webhookEndpointGet(request.endpointId);
      return { replayed: await ledger.webhookReplay(request.endpointId, which) };
    },

    async sendTestWebhook({ endpointId }) {
      checkIds({ endpoint_id: endpointId });
      const { url, secrets } = await ledger.webhookSecretsOf(endpointId);
      const { storeId } = await ledger.webhookEndpointGet(endpointId);
      const at = new Date();
      const body = JSON.stringify({ type: 'test', timestamp: at.toISOString(), data: { store_id: storeId } });
      const began = performance.now();
      const { status = 0, error } = await send(requestOf(url, secrets, { id: `test_${randomUUID()}`, at, body }));
      return { delivered: error === '', status, error, tookMs: Math.round(performance.now() - began) };
    },
  };
}

const deliveryWords: ReadonlyMap<WebhookDeliveryState, DeliveryWord> = new Map([
  [WebhookDeliveryState.WEBHOOK_DELIVERY_STATE_DUE, 'DUE'],
  [WebhookDeliveryState.WEBHOOK_DELIVERY_STATE_DELIVERED, 'DELIVERED'],
  [WebhookDeliveryState.WEBHOOK_DELIVERY_STATE_FAILED, 'FAILED'],
]);

function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

function toEndpoint(endpoint: WebhookEndpoint) {
  return {
    ...endpoint,
    state: WebhookEndpointState[`WEBHOOK_ENDPOINT_STATE_${endpoint.state}`],
    failingSince: endpoint.failingSince,
    previousSecretUntil: endpoint.previousSecretUntil,
  };
}

function toDelivery(delivery: WebhookDelivery) {
  return {
    ...delivery,
    state: WebhookDeliveryState[`WEBHOOK_DELIVERY_STATE_${delivery.state}`],
    nextAttemptAt: delivery.nextAttemptAt,
    lastAttemptAt: delivery.lastAttemptAt,
    lastStatus: delivery.lastStatus ?? 0,
  };
}
