import { randomUUID } from 'node:crypto';
import {
  ControlServiceDefinition,
  type ImportSkusResponse,
} from '#libs/contracts/gen/holdfast/control/v1/control_service.js';
import {
  type Availability,
  AvailabilityState,
  LateCancel,
  LatePayment,
  OnBusy as OnBusyMessage,
  OnSoldOut,
  type Sku as SkuMessage,
  WaitlistAccept,
  type WaitlistTerms as WaitlistMessage,
  WaitlistOrder,
} from '#libs/contracts/gen/holdfast/inventory/v1/sku.js';
import { RefusalReason } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import { ReservationServiceDefinition } from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import { Fault } from '#libs/refusal/fault.js';
import { fromStatus } from '#libs/rpc/status.js';
import type { ChunkImported, Skus } from '../../app/ports.js';
import type { Sku, SkuDraft, SkuUnits, WaitlistTerms } from '../../domain/sku.js';
import { enumWord } from '../enum-word.js';
import { toStoryOrder } from '../stories/story-calls.js';
import type { Wire } from '../wire.js';

const importDeadlineMs = 30_000;
const latePaymentMessages = {
  retake_if_free: LatePayment.LATE_PAYMENT_RETAKE_IF_FREE,
  refund: LatePayment.LATE_PAYMENT_REFUND,
};
const lateCancelMessages = { refuse: LateCancel.LATE_CANCEL_REFUSE, no_refund: LateCancel.LATE_CANCEL_NO_REFUND };

/** Skus as the gateway tells them. */
export function skuCalls({ connect, options }: Wire): Skus {
  const control = connect(ControlServiceDefinition);
  const reservations = connect(ReservationServiceDefinition);
  return {
    async getSku(skuId) {
      const { sku, availability } = await reservations.getSku({ skuId }, options);
      return { sku: toSku(sku), units: toUnits(availability) };
    },
    async pauseSku(named, reason) {
      return toSku((await control.pauseSku({ ...named, reason, requestId: randomUUID() }, options)).sku);
    },
    async resumeSku(named, reason) {
      return toSku((await control.resumeSku({ ...named, reason, requestId: randomUUID() }, options)).sku);
    },
    async cancelSku(named, reason) {
      return toSku((await control.cancelSku({ ...named, reason, requestId: randomUUID() }, options)).sku);
    },
    async listOverbooked(skuId, pageSize, pageToken) {
      const { orders, nextPageToken } = await control.listOverbookedOrders({ skuId, pageSize, pageToken }, options);
      return { items: orders.map(toStoryOrder), nextPageToken };
    },
    async moveOrder(wanted) {
      const { outcome } = await reservations.moveOrder({ ...wanted, requestId: randomUUID() }, options);
      return outcome?.$case === 'refusal' ? enumWord(RefusalReason[outcome.value.reason], 'REFUSAL_REASON_') : '';
    },
    async setCapacity(named, change) {
      const request = { ...named, ...change, requestId: randomUUID() };
      const { sku, availability } = await control.setCapacity(request, options);
      return { sku: toSku(sku), units: toUnits(availability) };
    },
    async importSkus(skus, how) {
      const request = { skus: skus.map(toSkuMessage), ...how, requestId: randomUUID() };
      return toImported(await control.importSkus(request, { ...options, deadlineMs: importDeadlineMs }));
    },
  };
}

/** A sku from the wire. */
export function toSku(message: SkuMessage | undefined): Sku {
  if (message === undefined) throw new Fault('INTERNAL', 'the gateway answered without the sku');
  const {
    rateLimit,
    onBusy,
    latePayment,
    freeCancelSeconds,
    lateCancel,
    etag: _etag,
    onSoldOut,
    waitlist,
    waitlistPaused = false,
    ...sku
  } = message;
  return {
    ...sku,
    ...(rateLimit && { rate: { perSecond: rateLimit.perSecond, burst: rateLimit.burst } }),
    onBusy: onBusy === OnBusyMessage.ON_BUSY_FAIL ? 'fail' : 'queue',
    onSoldOut: onSoldOut === OnSoldOut.ON_SOLD_OUT_JOIN_WAITLIST ? 'join_waitlist' : 'refuse',
    waitlist: toWaitlist(waitlist),
    waitlistPaused,
    latePayment: latePayment === LatePayment.LATE_PAYMENT_REFUND ? 'refund' : 'retake_if_free',
    freeCancelSeconds: freeCancelSeconds === undefined || freeCancelSeconds < 0 ? 'always' : freeCancelSeconds,
    lateCancel: lateCancel === LateCancel.LATE_CANCEL_NO_REFUND ? 'no_refund' : 'refuse',
  };
}

/** With the contract's defaults where it says nothing. */
function toWaitlist(message: WaitlistMessage | undefined): WaitlistTerms {
  return {
    maxEntries: message?.maxEntries ?? 100_000,
    order: message?.order === WaitlistOrder.WAITLIST_ORDER_FIRST_FIT ? 'first_fit' : 'strict',
    maxSkips: message?.maxSkips ?? 3,
    accept: message?.accept === WaitlistAccept.WAITLIST_ACCEPT_OFFER ? 'offer' : 'auto',
    offerTtlSeconds: message?.offerTtlSeconds ?? 0,
  };
}

/** Where units are, from the wire. */
export function toUnits(message: Availability | undefined): SkuUnits {
  if (message === undefined) throw new Fault('INTERNAL', 'the gateway answered without availability');
  const { skuId: _skuId, state, ...units } = message;
  return { ...units, state: enumWord(AvailabilityState[state], 'AVAILABILITY_STATE_').toLowerCase() };
}

function toSkuMessage(sku: SkuDraft): SkuMessage {
  const { rate, onBusy, onSoldOut, latePayment, freeCancelSeconds, lateCancel, ...draft } = sku;
  return {
    startsAt: undefined,
    onSaleAt: undefined,
    offSaleAt: undefined,
    cancelledAt: undefined,
    limitGroup: '',
    ...draft,
    rateLimit: rate,
    overbooked: 0,
    paused: false,
    etag: '',
    ...(onBusy && { onBusy: onBusy === 'fail' ? OnBusyMessage.ON_BUSY_FAIL : OnBusyMessage.ON_BUSY_QUEUE }),
    ...(onSoldOut && {
      onSoldOut: onSoldOut === 'refuse' ? OnSoldOut.ON_SOLD_OUT_REFUSE : OnSoldOut.ON_SOLD_OUT_JOIN_WAITLIST,
    }),
    ...(latePayment && { latePayment: latePaymentMessages[latePayment] }),
    ...(freeCancelSeconds !== undefined && {
      freeCancelSeconds: freeCancelSeconds === 'always' ? -1 : freeCancelSeconds,
    }),
    ...(lateCancel && { lateCancel: lateCancelMessages[lateCancel] }),
  };
}

function toImported({ failures, ...counts }: ImportSkusResponse): ChunkImported {
  return {
    ...counts,
    failures: failures.map(({ position, skuId, error }) => ({
      position,
      skuId,
      fault: error === undefined ? new Fault('INTERNAL', 'refused without a reason') : fromStatus(error),
    })),
  };
}
