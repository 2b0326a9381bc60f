import { randomUUID } from 'node:crypto';
import {
  type WebhookEndpoint as EndpointMessage,
  WebhookDeliveryState,
  WebhookEndpointState,
  WebhookServiceDefinition,
} from '#libs/contracts/gen/holdfast/webhook/v1/webhook_service.js';
import { Fault } from '#libs/refusal/fault.js';
import type { Webhooks } from '../../app/ports.js';
import type { WebhookEndpoint } from '../../domain/webhook.js';
import { enumWord } from '../enum-word.js';
import type { Wire } from '../wire.js';

/** Webhooks as the gateway tells of them. */
export function webhookCalls({ connect, options, patient }: Wire): Webhooks {
  const service = connect(WebhookServiceDefinition);
  return {
    async addEndpoint(endpoint) {
      const request = { ...endpoint, endpointId: '', requestId: randomUUID() };
      const { endpoint: added, secret } = await service.putWebhookEndpoint(request, options);
      return { endpoint: toEndpoint(added), secret };
    },
    async listEndpoints(storeId, pageSize, pageToken) {
      const page = await service.listWebhookEndpoints({ storeId, pageSize, pageToken }, options);
      return { items: page.endpoints.map(toEndpoint), nextPageToken: page.nextPageToken };
    },
    async rotateSecret(endpointId) {
      const { endpoint, secret } = await service.rotateWebhookSecret({ endpointId, requestId: randomUUID() }, options);
      return { endpoint: toEndpoint(endpoint), secret };
    },
    pauseEndpoint: async (endpointId, reason) =>
      toEndpoint(
        (await service.pauseWebhookEndpoint({ endpointId, reason, requestId: randomUUID() }, options)).endpoint,
      ),
    resumeEndpoint: async (endpointId) =>
      toEndpoint((await service.resumeWebhookEndpoint({ endpointId, requestId: randomUUID() }, options)).endpoint),
    async removeEndpoint(endpointId) {
      await service.deleteWebhookEndpoint({ endpointId, requestId: randomUUID() }, options);
    },
    async listDeliveries({ endpointId, state: word, since }, pageSize, pageToken) {
      const state = WebhookDeliveryState[`WEBHOOK_DELIVERY_STATE_${word === '' ? 'UNSPECIFIED' : word}`];
      const request = { endpointId, state, since, pageSize, pageToken };
      const page = await service.listWebhookDeliveries(request, options);
      const items = page.deliveries.map((delivery) => ({
        ...delivery,
        state: enumWord(WebhookDeliveryState[delivery.state], 'WEBHOOK_DELIVERY_STATE_'),
      }));
      return { items, nextPageToken: page.nextPageToken };
    },
    replay: async (which) =>
      (await service.replayWebhookDeliveries({ ...which, requestId: randomUUID() }, options)).replayed,
    test: (endpointId) => service.sendTestWebhook({ endpointId }, patient),
  };
}

function toEndpoint(message: EndpointMessage | undefined): WebhookEndpoint {
  if (message === undefined) throw new Fault('INTERNAL', 'the gateway answered without the endpoint');
  return { ...message, state: enumWord(WebhookEndpointState[message.state], 'WEBHOOK_ENDPOINT_STATE_') };
}
