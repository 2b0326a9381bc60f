import type { HttpReason } from '../catalogue.js';
import type { RefusalReason } from '../refusal.js';
import type { ReasonText } from './reason-text.js';

/** The answer is stored under its key: whoever comes back with the same one is told it again, whatever is free by then. */
const staysWithKey = 'This answer stays with this Idempotency-Key: another try needs a new one.';

/** Refusals, and what only HTTP can get wrong. */
export const refusalsEn: Readonly<Record<RefusalReason | HttpReason, ReasonText>> = {
  NOT_ENOUGH: {
    title: 'Not enough is left',
    detail: [`Of {sku_id} only {free} {free:is|are} free. ${staysWithKey}`, `Too few units are free. ${staysWithKey}`],
    next: 'Offer the units that are free, as a new request with a new key.',
  },
  ALL_HELD: {
    title: 'Everything is held',
    detail: [
      `Of {sku_id} nothing is free now; what others hold may come back. ${staysWithKey}`,
      `Nothing is free now; what others hold may come back. ${staysWithKey}`,
    ],
    next: 'Try again with a new key after next_release_at, or join the waitlist.',
  },
  SOLD_OUT: {
    title: 'Sold out',
    detail: [`{sku_id} is sold out. ${staysWithKey}`, `It is sold out. ${staysWithKey}`],
    next: 'Offer something else, or the waitlist where there is one.',
  },
  NOT_ON_SALE: {
    title: 'Not on sale',
    detail: [
      { if: 'opens_at', say: '{sku_id} goes on sale later; the same Idempotency-Key works then.' },
      { if: 'slot_past', say: '{sku_id} has begun.' },
      'The sale of {sku_id} is over.',
      'It is not on sale now.',
    ],
    next: 'With opens_at: show it, and send the same request from then on. Else offer something else.',
  },
  LIMIT_REACHED: {
    title: 'The limit is reached',
    detail: [
      { if: 'scope=STORE', say: `Nobody may have more than {limit} of all that the store sells. ${staysWithKey}` },
      {
        if: 'scope=GROUP',
        say: `Nobody may have more than {limit} of what belongs together with {sku_id}. ${staysWithKey}`,
      },
      {
        if: 'scope=OPEN_ORDERS',
        say: `Nobody may have more than {limit} unpaid {limit:order|orders} at the store. ${staysWithKey}`,
      },
      {
        if: 'scope=UNFULFILLED',
        say: `Nobody may have more than {limit} {limit:order|orders} at the store before they are used. ${staysWithKey}`,
      },
      `Nobody may have more than {limit} of {sku_id}. ${staysWithKey}`,
      `Nobody may have more. ${staysWithKey}`,
    ],
    next: 'Show the order that counts (own_order_id). When one is paid, used or given back, as the scope says, try with a new key.',
  },
  MAX_PER_ORDER: {
    title: 'Too many in one order',
    detail: ['One order may take at most {limit} of {sku_id}.', 'One order may not take so many.'],
    next: 'Ask for fewer in one order, with a new key.',
  },
  PAUSED: {
    title: 'The sale is paused',
    detail: [`The sale of {sku_id} is paused. ${staysWithKey}`, `The sale is paused. ${staysWithKey}`],
    next: 'Try again with a new key when the store goes on.',
  },
  UNPROCESSABLE: {
    title: 'The order could not be processed',
    detail: ['It was put aside for an operator. Nothing was taken.'],
    next: 'Tell the person that the store will look at it, with the order_id.',
  },
  WAITLIST_FULL: {
    title: 'The waitlist is full',
    detail: [
      `{sku_id} is sold out, and there is no room for you among those who wait. ${staysWithKey}`,
      `There is no room for you among those who wait. ${staysWithKey}`,
    ],
    next: 'Offer something else, or try again later with a new key.',
  },
  PRICE_DIFFERS: {
    title: 'The price is another one',
    detail: ['A unit of {sku_id} costs something else: the order stays where it is.', 'The order stays where it is.'],
    next: 'Move only to a sku of the same price; else cancel and book anew.',
  },
  SALE_CANCELLED: {
    title: 'The sale was cancelled',
    detail: [
      '{sku_id} is not sold any more. What was paid for it goes back.',
      'It is not sold any more. What was paid for it goes back.',
    ],
    next: 'Offer something else. Refunds are made without asking.',
  },
  ALREADY_BOOKED: {
    title: 'You have it already',
    detail: ['You have {sku_id} already, and nobody may have more than {limit} of it.', 'You have it already.'],
    next: 'Show the order that the person has (own_order_id); do not try again.',
  },
  RESOURCE_NOT_FOUND: {
    title: 'There is nothing here',
    detail: ['No resource has this path.'],
    next: 'Look up the path in /openapi.json.',
  },
  METHOD_NOT_ALLOWED: {
    title: 'The method does not fit the resource',
    detail: ['Only {allow} may be used here.', 'Another method is used here.'],
    next: 'Use a method that the field Allow names.',
  },
  BODY_TOO_LARGE: {
    title: 'The body is too large',
    detail: ['The body has more bytes than are taken.'],
    next: 'Send less at once.',
  },
  PATH_TOO_LONG: {
    title: 'The path is too long',
    detail: ['A part of the path is longer than any id.'],
    next: 'Check the ids in the path: each has at most 128 characters.',
  },
  CONTENT_TYPE_UNSUPPORTED: {
    title: 'The content type is not supported',
    detail: ['Bodies are JSON in UTF-8, and not compressed.'],
    next: 'Send content-type: application/json, and no content-encoding.',
  },
};
