import type { SettingNote } from '#libs/runtime/setting-notes.js';

/** What an operator chooses for a sku or a store. It is data, not a variable, so this table is written by hand. */
export interface SkuSetting extends SettingNote {
  readonly name: string;
  readonly default: string;
  readonly allowed: string;
}

/** In the order in which somebody who puts a sku on sale thinks of them. */
export const skuSettings: readonly SkuSetting[] = [
  {
    name: 'hold_ttl_seconds',
    default: '900',
    allowed: '1 to 2,678,400 seconds (31 days)',
    why: 'How long an unpaid order keeps its units. Fifteen minutes are enough for a card, a second factor and a bank that asks back. The order is held from the commit on, so the wait in line is not part of it.',
    smaller: 'At 5 minutes slow payers lose their place: money that arrives late buys nothing and is due for refund.',
    larger:
      'At 30 minutes a hot slot idles that long for everybody who walked away, and `next_release_at`, which the others are told, is half an hour off. A day is right where people pay by transfer.',
  },
  {
    name: 'per_user_limit',
    default: '1',
    allowed: '1 to 1,000,000 units',
    why: 'Units of the sku that one attendee may have over all orders. One: a seat is for one person, and parents name their children as attendees.',
    smaller: 'At 1 nobody can have two of a product, one for a friend say, without naming the friend.',
    larger: 'A few people have all of a sku that hundreds want. For products 2 to 4, where nobody needs more.',
  },
  {
    name: 'max_per_order',
    default: '10',
    allowed: '1 to 1,000,000 units',
    why: 'Units of the sku in one order, over all its attendees. Ten is a family or a table.',
    smaller: 'Families have to order in parts, and may get one part only.',
    larger: 'One order empties the sku: an order gets all its units or none, and blocks them for hold_ttl_seconds.',
  },
  {
    name: 'rate_limit.per_second',
    default: "the store's, else `RATE_PER_SECOND` of the gateways",
    allowed: '1 to 1,000,000 reservations a second',
    why: 'How fast the crowd of this sku is let through. The rule of `npm run calibrate -- --sales`: units / the seconds in which it may sell out, or crowd / 60, whichever is more, so that everybody has an answer within a minute.',
    smaller: 'The sale takes longer than it must, and people stand in line while the machine idles.',
    larger:
      'Beyond what the path does it limits nothing: MAX_IN_FLIGHT turns people away in place of the line, and other skus wait.',
  },
  {
    name: 'rate_limit.burst',
    default: "the store's, else `RATE_BURST` of the gateways",
    allowed: '1 to 1,000,000 reservations',
    why: 'How many are let through at the opening, in one instant. A small sale is decided in one go: its units, if the room of the gateways (MAX_IN_FLIGHT) has place for them.',
    smaller: 'The first who come stand in line although nobody is ahead of them.',
    larger: 'More than the units on offer is of no use: the rest of the burst only hears the no sooner.',
  },
  {
    name: 'on_busy',
    default: 'QUEUE',
    allowed: 'QUEUE or FAIL',
    why: 'What a request beyond the rate gets. QUEUE: a place in line, in order of arrival, where there is Redis. FAIL: 429 with the time at which a token is there, for apps that show a line of their own, and for machines; then whoever asks at the right instant is next, and people press again and again. An app that does not understand 202 QUEUED needs FAIL.',
  },
  {
    name: 'require_issued_request_id',
    default: 'false',
    allowed: 'true or false, of a store',
    why: 'Whether only request ids are taken that `POST /v1/request-ids` gave out, for one user and sku and 30 minutes. Against scripts that make up keys in advance, at the price of one more call before each order, and of one sku in each. An app that knows nothing of it hears 422 `REQUEST_ID_NOT_ISSUED` and sells nothing.',
  },
];
