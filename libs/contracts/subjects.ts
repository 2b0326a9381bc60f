/** Every subject on the bus: its pattern, the message it carries, who sends it and who listens. */
export const subjects = {
  claims: {
    pattern: 'claims.<shard>',
    message: 'holdfast.event.v1.ClaimsPlaced',
    stream: 'CLAIMS_<shard>',
    owner: 'inventory',
    readers: ['order'],
  },
  decisions: {
    pattern: 'decisions.<shard>',
    message: 'holdfast.event.v1.ClaimsDecided',
    stream: undefined,
    owner: 'order',
    readers: ['inventory'],
  },
  stockFreed: {
    pattern: 'stock.freed.<shard>',
    message: 'holdfast.event.v1.StockFreed',
    stream: undefined,
    owner: 'order',
    readers: ['inventory'],
  },
  orderEvents: {
    pattern: 'order.v1.<state>.<store hash>',
    message: 'holdfast.event.v1.OrderChanged',
    stream: 'ORDER_EVENTS',
    owner: 'order',
    readers: [],
  },
  refundEvents: {
    pattern: 'payment.v1.refund_due.<store hash>',
    message: 'holdfast.event.v1.RefundDue',
    stream: 'ORDER_EVENTS',
    owner: 'order',
    readers: [],
  },
  waitlistEvents: {
    pattern: 'waitlist.v1.<state>.<store hash>',
    message: 'holdfast.event.v1.WaitlistChanged',
    stream: 'ORDER_EVENTS',
    owner: 'order',
    readers: [],
  },
  alertEvents: {
    pattern: 'alert.v1.<raised|cleared>',
    message: 'holdfast.event.v1.AlertChanged',
    stream: 'ORDER_EVENTS',
    owner: 'order',
    readers: [],
  },
} as const;

/** The stream that keeps events: of orders, of money that goes back, and of alerts. */
export const orderEventsStream = subjects.orderEvents.stream;

/** Orders that the gate let in, on their way to the ledger. */
export function claimsSubject(shard: number): string {
  return `claims.${shard}`;
}

/** The work queue that carries a shard's claims. */
export function claimsStream(shard: number): string {
  return `CLAIMS_${shard}`;
}

/** What the ledger decided, for every inventory to hear. */
export function decisionsSubject(shard: number): string {
  return `decisions.${shard}`;
}

/** Where decisions about the claims of a subject are told. */
export function decisionsSubjectFor(claims: string): string {
  return claims.replace(/^claims\./, 'decisions.');
}

/** Skus whose units came back. A hint; losing it costs time only. */
export function stockFreedSubject(shard: number): string {
  return `stock.freed.${shard}`;
}

/** One change of one order. `state` is the new state; `storeHash` as computed by storeHash(). */
export function orderEventSubject(state: string, storeHash: number): string {
  return `order.v1.${state.toLowerCase()}.${storeHash}`;
}

/** Money that is to go back. `storeHash` as computed by storeHash(). */
export function refundEventSubject(storeHash: number): string {
  return `payment.v1.refund_due.${storeHash}`;
}

/** One change of an entry of a waitlist. */
export function waitlistEventSubject(state: string, storeHash: number): string {
  return `waitlist.v1.${state.toLowerCase()}.${storeHash}`;
}

/** An alert that opened or was cleared. `news` is RAISED or CLEARED. */
export function alertEventSubject(news: 'RAISED' | 'CLEARED'): string {
  return `alert.v1.${news.toLowerCase()}`;
}
