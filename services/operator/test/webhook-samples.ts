import { WebhookDeliveryState, WebhookEndpointState } from '#libs/contracts/gen/holdfast/webhook/v1/webhook_service.js';

const at = new Date('2026-03-02T10:00:00Z');
const endpoint = {
  ...{ endpointId: 'whe_1', storeId: 'kiln', url: 'https://kiln.example/hooks', eventTypes: ['order.*'] },
  ...{ state: WebhookEndpointState.WEBHOOK_ENDPOINT_STATE_DISABLED, stateReason: 'it answered 410 Gone' },
  ...{ failingSince: at, createdBy: 'olga', createdAt: at, waiting: 3, previousSecretUntil: undefined },
};
const delivery = {
  ...{ endpointId: 'whe_1', eventId: '4711', eventType: 'order.held', payload: '{}', attempts: 10 },
  ...{ state: WebhookDeliveryState.WEBHOOK_DELIVERY_STATE_FAILED, createdAt: at, lastAttemptAt: at },
  ...{ nextAttemptAt: undefined, lastStatus: 503, lastError: 'it answered 503' },
};

/** What a gateway answers about webhooks. */
export const webhookAnswers = {
  putWebhookEndpoint: { endpoint, secret: 'whsec_abc' },
  listWebhookEndpoints: { endpoints: [endpoint], nextPageToken: '' },
  listWebhookDeliveries: { deliveries: [delivery], nextPageToken: '' },
  replayWebhookDeliveries: { replayed: 2 },
  pauseWebhookEndpoint: { endpoint },
  sendTestWebhook: { delivered: true, status: 204, error: '', tookMs: 12 },
  rotateWebhookSecret: { endpoint, secret: 'whsec_abc' },
  resumeWebhookEndpoint: { endpoint },
  deleteWebhookEndpoint: {},
};
