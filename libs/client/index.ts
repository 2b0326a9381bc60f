// @holdfast/client: all that a program needs to book with Holdfast. What is not named here is not for others.

export type { Availability, Sku } from '#libs/contracts/gen/holdfast/inventory/v1/sku.js';
export type { Order, OrderLine, Refusal } from '#libs/contracts/gen/holdfast/order/v1/order.js';
export { OrderState, RefusalReason } from '#libs/contracts/gen/holdfast/order/v1/order.js';
export type { PaymentSession } from '#libs/contracts/gen/holdfast/order/v1/payment.js';
export { type WaitlistEntry, WaitlistState } from '#libs/contracts/gen/holdfast/waitlist/v1/waitlist.js';
export { Fault, type FaultReason } from '#libs/refusal/fault.js';
export {
  connectHoldfast,
  type Holdfast,
  type HoldfastClient,
  type HoldfastOptions,
  type HoldfastTls,
} from './client.js';
export type { Watching } from './follow.js';
export type { Patience, Waiting } from './insist.js';
export type { MoveOutcome } from './move-outcome.js';
export {
  type OrderStateName,
  orderStateName,
  type RefusalName,
  refusalName,
  type WaitlistStateName,
  waitlistStateName,
} from './names.js';
export type { OrderOutcome } from './order-outcome.js';
export type { Change, Move, OrderVerbs } from './order-verbs.js';
export type { Wish } from './reserve.js';
export type { ReserveOutcome } from './reserve-outcome.js';
export type { SkuList, SkuNow, SkuVerbs } from './sku-verbs.js';
export type { Token } from './voice.js';
export type { OrderWait } from './wait-for-order.js';
export type { WaitlistVerbs } from './waitlist-verbs.js';
