import { claimsStream, claimsSubject, orderEventsStream } from '#libs/contracts/subjects.js';
import type { StreamSpec } from '#libs/messaging/messaging.js';
import type { OrderConfig } from '../config.js';

/** Every change of every order. */
export const orderEventsPattern = 'order.v1.>';

/** Money that is to go back. */
export const refundEventsPattern = 'payment.v1.>';

/** Every alert that opened or was cleared. */
const alertEventsPattern = 'alert.v1.>';

/** Every change of an entry of a waitlist. */
export const waitlistEventsPattern = 'waitlist.v1.>';

/** A relay that dies after storing and before marking stores again well within this. */
const eventsDuplicateWindowMs = 120_000;
/** Claims carry no message id: their rows make two one. The server wants a window all the same. */
const claimsDuplicateWindowMs = 1_000;

/** The work queue that carries a shard's claims. */
export function claimsSpec(config: OrderConfig, shard: number): StreamSpec {
  return {
    name: claimsStream(shard),
    subjects: [claimsSubject(shard)],
    retention: 'workqueue',
    maxBytes: config.claimsMaxBytes,
    maxMessages: config.claimsMaxMessages,
    replicas: config.streamReplicas,
    duplicateWindowMs: claimsDuplicateWindowMs,
  };
}

/** The stream that keeps events of orders, of money and of alerts for whoever wants to read them. */
export function orderEventsSpec(config: OrderConfig): StreamSpec {
  return {
    name: orderEventsStream,
    subjects: [orderEventsPattern, waitlistEventsPattern, refundEventsPattern, alertEventsPattern],
    retention: 'limits',
    maxAgeMs: config.eventsMaxAgeHours * 3_600_000,
    maxBytes: config.eventsMaxBytes,
    replicas: config.streamReplicas,
    duplicateWindowMs: eventsDuplicateWindowMs,
  };
}
