import type { Sku } from '#libs/contracts/gen/holdfast/inventory/v1/sku.js';
import { PaymentSessionState } from '#libs/contracts/gen/holdfast/order/v1/payment.js';
import { type WaitlistEntry, WaitlistState } from '#libs/contracts/gen/holdfast/waitlist/v1/waitlist.js';

/** A place in a waitlist. */
export const waiting: WaitlistEntry = {
  ...{ entryId: 'e-1', storeId: 'store-1', skuId: 'sku-1', userId: 'ana', quantity: 1, peopleAhead: 3, version: 1 },
  ...{ state: WaitlistState.WAITLIST_STATE_WAITING, orderId: '', barredReason: '', estimatedSeconds: 60 },
  joinedAt: new Date('2030-01-01T00:00:00.000Z'),
  offerExpiresAt: undefined,
};

/** A way to pay. */
export const session = {
  ...{ attempt: 1, provider: 'sandbox', sessionId: 'cs_1', state: PaymentSessionState.PAYMENT_SESSION_STATE_OPEN },
  ...{ amountMinor: 4200, currency: 'EUR', parameters: { client_token: 'cs_1' }, url: 'http://pay/cs_1' },
  endsAt: new Date('2026-03-02T09:15:00Z'),
};

/** A sku. */
export const sku: Sku = {
  skuId: 'sku-1',
  storeId: 'store-1',
  title: 'A slot at ten',
  capacity: 8,
  overbooked: 0,
  startsAt: new Date('2030-01-01T10:00:00.000Z'),
  timeZone: 'Europe/Vienna',
  onSaleAt: undefined,
  offSaleAt: undefined,
  perUserLimit: 1,
  maxPerOrder: 10,
  holdTtlSeconds: 900,
  paymentRequired: true,
  priceMinor: 1_500,
  currency: 'EUR',
  rateLimit: undefined,
  paused: false,
  cancelledAt: undefined,
  limitGroup: '',
  etag: 'e-1',
};
