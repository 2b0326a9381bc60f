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
import { noSuchEndpoint } from '#libs/ledger/webhooks.js';
import { actorNameOf, actorOf } from '#libs/rpc/actor.js';
import type { CallContext } from '#libs/rpc/call-context.js';
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
type DeskHandlers = Pick<AllHandlers, 'listWebhookEndpoints' | 'listWebhookDeliveries' | 'replayWebhookDeliveries'>;
type EndpointHandlers = Omit<AllHandlers, keyof DeskHandlers | 'sendTestWebhook'>;

/** The WebhookService on the wire. */
export function webhookService(parts: WebhookServiceParts): ServiceImplementation {
  return implement(WebhookServiceDefinition, {
    ...endpointHandlers(parts),
    ...deskHandlers(parts),
    ...testHandlers(parts),
  });
}

/** What operators change. */
function endpointHandlers({ ledger, allowPrivate, overlapMs }: WebhookServiceParts): EndpointHandlers {
  const endpointOf = async (endpointId: string) => toEndpoint(await ledger.webhookEndpointGet(endpointId));
  return {
    async putWebhookEndpoint(request, call) {
      checkPut(request, { allowPrivate });
      const { storeId, url, eventTypes, requestId } = request;
      const isNew = request.endpointId === '';
      const { endpointId, secret } = await ledger.webhookEndpointPut({
        ...{ endpointId: isNew ? `whe_${randomUUID()}` : request.endpointId, isNew },
        ...{ storeId, url, eventTypes, secret: newSecret(), by: actorNameOf(call), requestId },
      });
      return { endpoint: await endpointOf(endpointId), secret };
    },

    async rotateWebhookSecret({ endpointId, requestId }, call) {
      checkIds({ endpoint_id: endpointId, request_id: requestId });
      const rotation = { secret: newSecret(), keepMs: overlapMs, by: actorNameOf(call), requestId };
      const secret = await ledger.webhookSecretRotate(endpointId, rotation);
      return { endpoint: await endpointOf(endpointId), secret };
    },

    async pauseWebhookEndpoint({ endpointId, reason, requestId }, call) {
      checkIds({ endpoint_id: endpointId, request_id: requestId }, wrongReason(reason));
      await ledger.webhookEndpointSet(endpointId, 'PAUSE', { by: actorNameOf(call), reason, requestId });
      return { endpoint: await endpointOf(endpointId) };
    },

    async resumeWebhookEndpoint({ endpointId, requestId }, call) {
      checkIds({ endpoint_id: endpointId, request_id: requestId });
      await ledger.webhookEndpointSet(endpointId, 'RESUME', { by: actorNameOf(call), requestId });
      return { endpoint: await endpointOf(endpointId) };
    },

    async deleteWebhookEndpoint({ endpointId, requestId }, call) {
      checkIds({ endpoint_id: endpointId, request_id: requestId });
      await ledger.webhookEndpointSet(endpointId, 'REMOVE', { by: actorNameOf(call), requestId });
      return {};
    },
  };
}

/** What staff may, too, of their stores. Of another store's endpoint they hear what they hear of one that is not there. */
function deskHandlers({ ledger }: WebhookServiceParts): DeskHandlers {
  async function checkTheirs(endpointId: string, call: CallContext): Promise<void> {
    const { storeId } = await ledger.webhookEndpointGet(endpointId);
    if (storesOf(call)?.includes(storeId) === false) noSuchEndpoint(endpointId);
  }

  return {
    async listWebhookEndpoints({ storeId, pageSize, pageToken }, call) {
      if (storeId !== '') checkIds({ store_id: storeId });
      const theirs = storesOf(call);
      const storeIds = storeId === '' ? theirs : [storeId].filter((id) => theirs?.includes(id) !== false);
      const { endpoints, nextPageToken } = await ledger.webhookEndpointsList(storeIds, { pageSize, pageToken });
      return { endpoints: endpoints.map(toEndpoint), nextPageToken };
    },

    async listWebhookDeliveries({ endpointId, state, since, pageSize, pageToken }, call) {
      checkIds({ endpoint_id: endpointId });
      await checkTheirs(endpointId, call);
      const word = deliveryWords.get(state);
      const wanted = { endpointId, ...(word !== undefined && { state: word }), ...(since && { since }) };
      const { deliveries, nextPageToken } = await ledger.webhookDeliveriesList(wanted, { pageSize, pageToken });
      return { deliveries: deliveries.map(toDelivery), nextPageToken };
    },

    async replayWebhookDeliveries(request, call) {
      const which = replayOf(request);
      const { endpointId, requestId } = request;
      await checkTheirs(endpointId, call);
      const changedBy = { by: actorNameOf(call), requestId };
      return { replayed: await ledger.webhookReplay(endpointId, which, changedBy) };
    },
  };
}

function testHandlers({ ledger, send }: WebhookServiceParts): Pick<AllHandlers, 'sendTestWebhook'> {
  return {
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

/** The stores of staff; undefined: whoever calls may see all. */
function storesOf(call: CallContext): readonly string[] | undefined {
  const actor = actorOf(call);
  return actor?.role === 'STAFF' ? actor.stores : undefined;
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
