import type { OrderState } from '#libs/ledger/rows.js';

export type OrderEvent = 'PAY' | 'CANCEL' | 'EXPIRE' | 'FULFIL';
/** LAPSED is a HELD order past its expires_at that nobody has swept yet. */
type FromState = OrderState | 'LAPSED';
type Effect = 'SELL' | 'RELEASE' | 'KEEP' | 'NONE' | 'REFUND' | 'REFUSE';
export type Transition = readonly [to: OrderState | null, effect: Effect];

/** The life of an order as the table ledger.transitions has it, which a test compares with this one. */
export const transitions: Readonly<Record<OrderEvent, Readonly<Record<FromState, Transition>>>> = {
  PAY: {
    HELD: ['CONFIRMED', 'SELL'],
    LAPSED: [null, 'REFUND'],
    CONFIRMED: [null, 'REFUND'],
    FULFILLED: [null, 'REFUND'],
    CANCELLED: [null, 'REFUND'],
    EXPIRED: [null, 'REFUND'],
    REFUSED: [null, 'REFUND'],
  },
  CANCEL: {
    HELD: ['CANCELLED', 'RELEASE'],
    LAPSED: ['CANCELLED', 'RELEASE'],
    CONFIRMED: ['CANCELLED', 'RELEASE'],
    FULFILLED: [null, 'REFUSE'],
    CANCELLED: [null, 'NONE'],
    EXPIRED: [null, 'NONE'],
    REFUSED: [null, 'NONE'],
  },
  EXPIRE: {
    HELD: [null, 'NONE'],
    LAPSED: ['EXPIRED', 'RELEASE'],
    CONFIRMED: [null, 'NONE'],
    FULFILLED: [null, 'NONE'],
    CANCELLED: [null, 'NONE'],
    EXPIRED: [null, 'NONE'],
    REFUSED: [null, 'NONE'],
  },
  FULFIL: {
    HELD: [null, 'REFUSE'],
    LAPSED: [null, 'REFUSE'],
    CONFIRMED: ['FULFILLED', 'KEEP'],
    FULFILLED: [null, 'NONE'],
    CANCELLED: [null, 'REFUSE'],
    EXPIRED: [null, 'REFUSE'],
    REFUSED: [null, 'REFUSE'],
  },
};
