import { Claim, ClaimsPlaced } from '#libs/contracts/gen/holdfast/event/v1/claim.js';
import { orderId } from '#libs/contracts/order-id.js';
import { fromBookedByMessage } from '#libs/contracts/order-messages.js';
import { fromOnSoldOutMessage } from '#libs/contracts/waitlist-messages.js';
import type { ClaimToAdmit } from '#libs/ledger/claims-batch.js';
import type { ClaimInHand } from '../app/admit-claims.js';
import type { ClaimsDelivery, ClaimsMessage } from '../app/consume-claims.js';
import { storedTooLate } from '../domain/claim-lateness.js';

/**
 * Reads a message into its claims. Only a claim that names an order can be decided: one whose id is not what its store,
 * user and request_id make is as unreadable as bytes that are no message. Everything else about it is for the ledger to judge.
 */
export function readClaims(delivery: ClaimsDelivery, ackWaitMs: number): ClaimsMessage {
  const claims: ClaimInHand[] = [];
  const unreadable: { payload: Uint8Array; error: string }[] = [];
  const messages = decoded(delivery, unreadable);
  const bytes = Math.ceil(delivery.data.length / messages.length);
  const stale = (): boolean => delivery.unansweredMs() >= ackWaitMs;
  for (const message of messages) {
    const payload = (): Uint8Array => Claim.encode(message).finish();
    const error = faultIn(message);
    if (error) unreadable.push({ payload: payload(), error });
    else claims.push({ claim: toClaim(message, delivery.storedAt), subject: delivery.subject, bytes, payload, stale });
  }
  return { claims, unreadable };
}

/**
 * A message of the dead letters: as JSON, as far as it can be read, and its claim, when it is one of the order that it names.
 * Whoever admits it by hand is stopped by no not-after.
 */
export function readLetter(payload: Uint8Array): { readonly json: string; readonly claim?: ClaimToAdmit } {
  const message = asClaim(payload);
  if (message === undefined || message.orderId === '') return { json: '' };
  const claim = toClaim({ ...message, notAfter: undefined }, new Date(0));
  return { json: toJson(message), ...(faultIn(message) === undefined && { claim }) };
}

function asClaim(payload: Uint8Array): Claim | undefined {
  try {
    return Claim.decode(payload);
  } catch {
    return undefined;
  }
}

/** In the words of the contract. */
function toJson({ orderId: id, storeId, userId, requestId, lines, notAfter, bookedBy }: Claim): string {
  return JSON.stringify({
    order_id: id,
    store_id: storeId,
    user_id: userId,
    request_id: requestId,
    lines: lines.map(({ skuId, quantity, attendeeId }) => ({ sku_id: skuId, quantity, attendee_id: attendeeId })),
    not_after: notAfter,
    ...(bookedBy && { booked_by: { staff_id: bookedBy.staffId, force_reason: bookedBy.forceReason } }),
  });
}

function decoded({ data }: ClaimsDelivery, unreadable: { payload: Uint8Array; error: string }[]): Claim[] {
  try {
    return ClaimsPlaced.decode(data).claims;
  } catch (error) {
    unreadable.push({ payload: data, error: `not a ClaimsPlaced: ${String(error)}` });
    return [];
  }
}

function faultIn({ orderId: id, storeId, userId, requestId }: Claim): string | undefined {
  if (storeId === '' || userId === '' || requestId === '') return 'the claim lacks its store, user or request_id';
  if (id !== orderId(storeId, userId, requestId)) return 'the order id is not that of the store, user and request_id';
  return undefined;
}

function toClaim(message: Claim, storedAt: Date): ClaimToAdmit {
  const { orderId: id, storeId, userId, requestId, notAfter } = message;
  const onSoldOut = fromOnSoldOutMessage(message.onSoldOut);
  const staff = fromBookedByMessage(message.bookedBy);
  return {
    orderId: id,
    storeId,
    userId,
    requestId,
    lines: message.lines.map(({ skuId, quantity, attendeeId }) => ({ skuId, quantity, attendeeId })),
    record: true,
    ...(onSoldOut && { onSoldOut }),
    ...(staff && { staff }),
    // A claim stored in time is decided however long it lay there. Of a late one the ledger only looks up whether an
    // earlier copy was decided.
    ...(notAfter && storedTooLate(storedAt, notAfter) && { notAfter }),
  };
}
