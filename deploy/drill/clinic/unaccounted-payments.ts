/** Money that the provider took, and told of or will tell of. */
export interface Capture {
  paymentId: string;
  orderId: string;
  amountMinor: number;
}

/** A captured payment as the ledger keeps it, beside its order; null: there is none. */
export interface PaymentFacts {
  paymentId: string;
  orderId: string;
  state: string;
  issue: string | null;
  amountMinor: number;
  currency: string;
  /** Of the amount, what is not given back when the order ends. */
  retainedMinor: number;
  orderState: string | null;
  orderMinor: number | null;
  /** Requests to give back that stand, and their sum. */
  refunds: number;
  refundMinor: number;
}

const PAID = new Set(['CONFIRMED', 'FULFILLED']);

/**
 * A sentence for each payment that is not in exactly one listed state, with all of its money. Pure.
 *
 * - CAPTURED: it is the only payment of an order that is CONFIRMED or FULFILLED, and comes to what the order costs now and
 *   what was given back of it.
 * - REFUND_DUE, REFUNDED: what was asked back is all of it, but for what is retained by the terms of the sale; the whole
 *   at once is asked for once.
 * - RETAINED: what is kept and what goes back come to all of it.
 */
export function unaccountedPayments(captures: readonly Capture[], payments: readonly PaymentFacts[]): string[] {
  const known = new Map(payments.map((payment) => [payment.paymentId, payment]));
  const taken = new Set(captures.map(({ paymentId }) => paymentId));
  return [
    ...captures.flatMap(({ paymentId, orderId, amountMinor }) => {
      const payment = known.get(paymentId);
      if (!payment) return [`${paymentId} of order ${orderId} is not in the ledger`];
      const isSame = payment.orderId === orderId && payment.amountMinor === amountMinor;
      return isSame ? [] : [`${paymentId} is kept as ${payment.amountMinor} for ${payment.orderId}`];
    }),
    ...payments.filter(({ paymentId }) => !taken.has(paymentId)).map(({ paymentId }) => `nobody paid ${paymentId}`),
    ...payments.flatMap((payment) => {
      const wrong = wrongWith(payment, payments);
      return wrong === undefined ? [] : [`${payment.paymentId} is ${payment.state}, ${wrong}`];
    }),
  ];
}

function wrongWith(payment: PaymentFacts, all: readonly PaymentFacts[]): string | undefined {
  const { state, orderId, orderState, orderMinor, amountMinor, refunds, refundMinor, retainedMinor } = payment;
  switch (state) {
    case 'CAPTURED': {
      if (!PAID.has(orderState ?? '')) return `its order is ${orderState}`;
      const paying = all.filter((one) => one.orderId === orderId && one.state === 'CAPTURED');
      if (paying.length > 1) return `one of ${paying.length} that pay its order`;
      const left = amountMinor - refundMinor;
      return left === orderMinor ? undefined : `leaves ${left} for an order of ${orderMinor}`;
    }
    case 'REFUND_DUE':
    case 'REFUNDED':
      if (refunds === 0) return 'and nobody was asked to give it back';
      return refundMinor + retainedMinor === amountMinor ? undefined : `${refundMinor} of ${amountMinor} go back`;
    case 'RETAINED':
      return refundMinor + retainedMinor === amountMinor ? undefined : `${retainedMinor} of ${amountMinor} are kept`;
    default:
      return 'which is no state of captured money';
  }
}
