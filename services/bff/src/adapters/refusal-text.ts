import { LimitScope, type Refusal, RefusalReason } from '#libs/contracts/gen/holdfast/order/v1/order.js';

interface RefusalText {
  /** The same for every occurrence. */
  title: string;
  /** This occurrence, in a sentence. */
  detail: (refusal: Refusal) => string;
}

/** The answer is stored under its key: whoever comes back with the same one is told it again, whatever is free by then. */
const staysWithKey = 'This answer stays with this Idempotency-Key: another try needs a new one.';

const texts: Readonly<Record<RefusalReason, RefusalText>> = {
  [RefusalReason.REFUSAL_REASON_NOT_ENOUGH]: {
    title: 'Not enough is left',
    detail: ({ skuId, free }) => `Of ${skuId} only ${free} are free. ${staysWithKey}`,
  },
  [RefusalReason.REFUSAL_REASON_ALL_HELD]: {
    title: 'Everything is held',
    detail: ({ skuId }) => `Of ${skuId} nothing is free now; what others hold may come back. ${staysWithKey}`,
  },
  [RefusalReason.REFUSAL_REASON_SOLD_OUT]: {
    title: 'Sold out',
    detail: ({ skuId }) => `${skuId} is sold out. ${staysWithKey}`,
  },
  [RefusalReason.REFUSAL_REASON_NOT_ON_SALE]: {
    title: 'Not on sale',
    detail: ({ skuId, opensAt, slotPast }) =>
      opensAt
        ? `${skuId} goes on sale later; the same Idempotency-Key works then.`
        : slotPast
          ? `${skuId} has begun.`
          : `The sale of ${skuId} is over.`,
  },
  [RefusalReason.REFUSAL_REASON_LIMIT_REACHED]: {
    title: 'The limit is reached',
    detail: (refusal) => `${limitText(refusal)} ${staysWithKey}`,
  },
  [RefusalReason.REFUSAL_REASON_MAX_PER_ORDER]: {
    title: 'Too many in one order',
    detail: ({ skuId, limit }) => `One order may take at most ${limit} of ${skuId}.`,
  },
  [RefusalReason.REFUSAL_REASON_PAUSED]: {
    title: 'The sale is paused',
    detail: ({ skuId }) => `The sale of ${skuId} is paused. ${staysWithKey}`,
  },
  [RefusalReason.REFUSAL_REASON_UNPROCESSABLE]: {
    title: 'The order could not be processed',
    detail: () => 'It was put aside for an operator. Nothing was taken.',
  },
  [RefusalReason.REFUSAL_REASON_WAITLIST_FULL]: {
    title: 'The waitlist is full',
    detail: ({ skuId }) => `${skuId} is sold out, and there is no room for you among those who wait. ${staysWithKey}`,
  },
  [RefusalReason.REFUSAL_REASON_PRICE_DIFFERS]: {
    title: 'The price is another one',
    detail: ({ skuId }) => `A unit of ${skuId} costs something else: the order stays where it is.`,
  },
  [RefusalReason.REFUSAL_REASON_SALE_CANCELLED]: {
    title: 'The sale was cancelled',
    detail: ({ skuId }) => `${skuId} is not sold any more. What was paid for it goes back.`,
  },
  [RefusalReason.REFUSAL_REASON_ALREADY_BOOKED]: {
    title: 'You have it already',
    detail: ({ skuId, limit }) => `You have ${skuId} already, and nobody may have more than ${limit} of it.`,
  },
  [RefusalReason.REFUSAL_REASON_UNSPECIFIED]: unknownReason(),
  [RefusalReason.UNRECOGNIZED]: unknownReason(),
};

/** The sentence for people of one refusal, and what all of its kind are called. */
export function textOfRefusal(refusal: Refusal): { title: string; detail: string } {
  const { title, detail } = texts[refusal.reason] ?? unknownReason();
  return { title, detail: detail(refusal) };
}

function limitText({ skuId, limit, scope }: Refusal): string {
  switch (scope) {
    case LimitScope.LIMIT_SCOPE_STORE:
      return `Nobody may have more than ${limit} of all that the store sells.`;
    case LimitScope.LIMIT_SCOPE_GROUP:
      return `Nobody may have more than ${limit} of what belongs together with ${skuId}.`;
    case LimitScope.LIMIT_SCOPE_OPEN_ORDERS:
      return `Nobody may have more than ${limit} unpaid ${limit === 1 ? 'order' : 'orders'} at the store.`;
    case LimitScope.LIMIT_SCOPE_UNFULFILLED:
      return `Nobody may have more than ${limit} ${limit === 1 ? 'order' : 'orders'} at the store before they are used.`;
    default:
      return `Nobody may have more than ${limit} of ${skuId}.`;
  }
}

/** For a reason that only a newer peer knows. */
function unknownReason(): RefusalText {
  return { title: 'Refused', detail: () => 'Nothing was taken.' };
}
