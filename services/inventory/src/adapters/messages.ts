import type { Claim as ClaimMessage } from '#libs/contracts/gen/holdfast/event/v1/claim.js';
import type { OrderLine } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import { fromBookedByMessage, toBookedByMessage } from '#libs/contracts/order-messages.js';
import { fromOnSoldOutMessage, toOnSoldOutMessage } from '#libs/contracts/waitlist-messages.js';
import type { Claim } from '../app/placement.js';
import type { Line } from '../domain/lines.js';

export function toClaimMessage(claim: Claim, notAfter: Date): ClaimMessage {
  return {
    orderId: claim.orderId,
    storeId: claim.storeId,
    userId: claim.userId,
    requestId: claim.requestId,
    lines: claim.lines.map(toLineMessage),
    notAfter,
    onSoldOut: claim.onSoldOut && toOnSoldOutMessage(claim.onSoldOut),
    bookedBy: claim.staff && toBookedByMessage(claim.staff),
  };
}

export function fromClaimMessage({ notAfter: _, onSoldOut: said, bookedBy, ...claim }: ClaimMessage): Claim {
  const onSoldOut = fromOnSoldOutMessage(said);
  const staff = fromBookedByMessage(bookedBy);
  return {
    ...claim,
    lines: claim.lines.map(fromLineMessage),
    ...(onSoldOut && { onSoldOut }),
    ...(staff && { staff }),
  };
}

export function toLineMessage({ skuId, quantity, attendeeId }: Line): OrderLine {
  return { skuId, quantity, attendeeId, unitPriceMinor: 0 };
}

export function fromLineMessage({ skuId, quantity, attendeeId }: OrderLine): Line {
  return { skuId, quantity, attendeeId };
}
