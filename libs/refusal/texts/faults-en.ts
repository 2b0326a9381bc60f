import type { FaultReason } from '../fault.js';
import type { ReasonText } from './reason-text.js';

/** Of a request that changes nothing, nothing can have happened. */
const isRead = 'is_read';
const nothingRead = 'A part of the system that is needed for this did not answer. Ask again.';
const unknownOutcome = 'The outcome is not known. The same request again, with the same key, cannot count twice.';

/** Faults. Ids of requests are called Idempotency-Key over HTTP and request_id over gRPC. */
export const faultsEn: Readonly<Record<FaultReason, ReasonText>> = {
  INVALID_REQUEST: {
    title: 'The request is not valid',
    detail: [{ if: 'more', say: '{first}, and {more} more' }, '{first}', '{message}', 'The request is not valid.'],
    next: 'Put right everything that errors (gRPC: BadRequest) names, and send it anew.',
  },
  REQUEST_ID_REUSED: {
    title: 'The request id was used for another request',
    detail: ['The request id was used for another request, which keeps it. Another request needs a new one.'],
    next: 'Draw a new id for each thing that is wanted; keep it only to send the same again.',
  },
  REQUEST_ID_NOT_ISSUED: {
    title: 'The store takes only request ids that were issued for this user and sku',
    detail: ['This request id was not issued for this user and sku, or it is over. Ask for one that is.'],
    next: 'Ask for an id for this sku, and send the request with it.',
  },
  REQUEST_IDS_NOT_ISSUED: {
    title: 'No request ids are issued here',
    detail: ['No request ids are issued here: draw one.'],
    next: 'Draw an id, as a UUID.',
  },
  REQUEST_IN_PROGRESS: {
    title: 'A request with this id is being answered',
    detail: ['Another try of this request is being answered.'],
    next: 'Wait as long as is said, and send the same again: it gets the same answer.',
  },
  CURRENCY_MIXED: {
    title: 'The lines have more than one currency',
    detail: ['All lines of an order must have one currency.'],
    next: 'Make one order of each currency.',
  },
  TOKEN_MISSING: {
    title: 'The request does not say who calls',
    detail: ['The request does not say who calls: Authorization: Bearer TOKEN.'],
    next: 'Sign in, and send the token with each request.',
  },
  TOKEN_EXPIRED: {
    title: 'The time of the token is over',
    detail: ['The time of the token is over.'],
    next: 'Get a new token, and send the same request with it.',
  },
  TOKEN_INVALID: {
    title: 'The token is not believed',
    detail: ['{message}', 'The token is not believed.'],
    next: 'Get a token from the issuer that this system trusts, for its audience. The fact problem says what is wrong.',
  },
  NOTICE_NOT_BELIEVED: {
    title: 'The notice is not signed as it must be',
    detail: ['The notice is not signed as it must be: {why}.', 'The notice is not signed as it must be.'],
    next: 'Sign as Standard Webhooks says, with a secret that is valid here, at the time of sending.',
  },
  PERMISSION_DENIED: {
    title: 'The caller may not do this',
    detail: ['{message}', 'You may not do this.'],
    next: 'Use an account whose role allows it.',
  },
  METHOD_UNKNOWN: {
    title: 'There is no such method',
    detail: ['The server has no method {method}.', 'The server has no such method.'],
    next: 'Check the name against the contract, and that the address is that of the service meant.',
  },
  ORDER_NOT_FOUND: {
    title: 'There is no such order',
    detail: ['You have no order {order_id}.', 'You have no such order.'],
    next: 'Check the id, and that the caller is whose order it is.',
  },
  PAYMENT_NOT_FOUND: {
    title: 'There is no such payment',
    detail: ['There is no payment {provider_payment_id} of {provider}.', 'There is no such payment.'],
    next: 'Check the id and the provider.',
  },
  SKU_NOT_FOUND: {
    title: 'There is no such sku',
    detail: ['There is no sku {sku_id}.', 'There is no such sku.'],
    next: 'Take the id from the list of the store.',
  },
  WAITLIST_ENTRY_NOT_FOUND: {
    title: 'There is no such place in a waitlist',
    detail: ['You have no place {entry_id} in a waitlist.', 'You have no such place in a waitlist.'],
    next: 'Check the id, and that the caller is whose place it is.',
  },
  JOB_NOT_FOUND: {
    title: 'There is no such job',
    detail: ['There is no job {job}.', 'There is no such job.'],
    next: 'List the jobs.',
  },
  PLAN_NOT_FOUND: {
    title: 'There is no such plan',
    detail: ['There is no plan {plan_id}.', 'There is no such plan.'],
    next: 'Make a plan anew.',
  },
  ALERT_NOT_FOUND: {
    title: 'There is no such alert',
    detail: ['There is no alert {alert_id}.', 'There is no such alert.'],
    next: 'List the alerts.',
  },
  WEBHOOK_ENDPOINT_NOT_FOUND: {
    title: 'There is no such webhook endpoint',
    detail: ['The store has no endpoint {endpoint_id}.', 'The store has no such endpoint.'],
    next: 'List the endpoints of the store.',
  },
  DEAD_LETTER_NOT_FOUND: {
    title: 'There is no such dead letter',
    detail: ['There is no dead letter {dead_letter_id}.', 'There is no such dead letter.'],
    next: 'List the dead letters.',
  },
  WEBHOOK_ENDPOINTS_FULL: {
    title: 'The store has as many webhook endpoints as it may have',
    detail: ['The store has as many webhook endpoints as it may have.'],
    next: 'Remove one that is not needed, and send the same again.',
  },
  SKU_EXISTS: {
    title: 'The sku exists with other terms',
    detail: ['There is a sku {sku_id} already, with other terms.', 'There is such a sku already, with other terms.'],
    next: 'Read the sku. To change it, name the etag that was read; else choose another id.',
  },
  SWITCH_CHANGED: {
    title: 'The switch was changed since it was read',
    detail: ['The switch is at version {version}.', 'The switch was changed since it was read.'],
    next: 'Read the switch again, decide again, and name the version that was read.',
  },
  RECONCILE_UNDER_WAY: {
    title: 'Another look is under way',
    detail: ['Another look is under way.'],
    next: 'Wait as long as is said, and ask again.',
  },
  PLAN_STALE: {
    title: 'Things are not as the plan found them any more',
    detail: [
      'Plan {plan_id} is too old, or things are not as it found them.',
      'Things are not as the plan found them.',
    ],
    next: 'Make a plan anew, read it, and apply that.',
  },
  DEAD_LETTER_RESOLVED: {
    title: 'Somebody has seen to the dead letter already',
    detail: ['The dead letter is {resolution} already.', 'Somebody has seen to the dead letter already.'],
    next: 'Nothing is left to do.',
  },
  ETAG_MISMATCH: {
    title: 'It was changed since it was read',
    detail: ['It was changed since it was read.'],
    next: 'Read it again, decide again, and name the etag that was read.',
  },
  ORDER_PENDING: {
    title: 'The order is not decided yet',
    detail: ['Order {order_id} is not decided yet.', 'The order is not decided yet.'],
    next: 'Wait as long as is said, and send the same again; or watch the order.',
  },
  ORDER_STATE: {
    title: 'The state of the order does not allow this',
    detail: ['{message}', 'The state of the order does not allow this.'],
    next: 'Read the order, and offer only what its state allows.',
  },
  CANCEL_TOO_LATE: {
    title: 'It is too late to cancel',
    detail: ['It is too late to give order {order_id} back.', 'It is too late to give this back.'],
    next: 'Tell the person to turn to the store.',
  },
  PAYMENTS_NOT_OFFERED: {
    title: 'No payment provider is set up here',
    detail: ['No payment provider is set up here.'],
    next: 'Take the money in another way; whoever runs the system may set up a provider.',
  },
  CAPACITY_BELOW_TAKEN: {
    title: 'More units are taken than the capacity would be',
    detail: ['{message}', 'More units are taken than the capacity would be.'],
    next: 'Choose a capacity of at least the units that are taken, or cancel some of them first.',
  },
  RATE_LIMITED: {
    title: 'Too many requests',
    detail: ['{message}', 'Too many requests.'],
    next: 'Wait as long as is said, and send the same with the same key. Nothing was decided: it is no refusal.',
  },
  BUSY: {
    title: 'Too much is waiting already',
    detail: [
      { if: isRead, say: nothingRead },
      'Too much is waiting already. The same request again, with the same key, cannot count twice.',
    ],
    next: 'Wait as long as is said, longer each time, and send the same with the same key.',
  },
  TOO_LATE: {
    title: 'The time for this request is over',
    detail: [{ if: isRead, say: nothingRead }, unknownOutcome],
    next: 'Send the same with the same key until there is an answer; it cannot count twice.',
  },
  CANCELLED: {
    title: 'The caller went away',
    detail: ['The caller gave up before the answer. The same request again, with the same key, cannot count twice.'],
    next: 'Send the same with the same key if the answer is still wanted.',
  },
  UNAVAILABLE: {
    title: 'A part of the system is away',
    detail: [{ if: isRead, say: nothingRead }, unknownOutcome],
    next: 'Wait as long as is said, longer each time, and send the same with the same key; it cannot count twice.',
  },
  INTERNAL: {
    title: 'Something went wrong inside',
    detail: ['It was recorded under the fault_id.'],
    next: 'Send the same with the same key once more; if that fails too, tell whoever runs the system the fault_id.',
  },
};
