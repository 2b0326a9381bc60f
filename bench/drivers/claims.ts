import { type Claim, ClaimsPlaced } from '#libs/contracts/gen/holdfast/event/v1/claim.js';
import { orderId } from '#libs/contracts/order-id.js';

/** Far enough that no claim is late however slow the machine is. */
const notAfterMs = 60_000;

export interface ClaimsPlan {
  storeId: string;
  /** One unit of one of these each, in turn. */
  skuIds: string[];
  /** Begins every user and request id. */
  tag: string;
  /** Orders, each with a user of its own. */
  orders: number;
  claimsPerMessage: number;
  /** Every so many messages one comes that was stored before, as after a lost ack. Absent: none does. */
  repeatEvery?: number;
}

/** The messages that carry so many orders, in the order in which the gate let them in. */
export function claimsMessages(plan: ClaimsPlan): Uint8Array[] {
  const { orders, claimsPerMessage, repeatEvery } = plan;
  const messages: Uint8Array[] = [];
  for (let from = 0; from < orders; from += claimsPerMessage) {
    const count = Math.min(claimsPerMessage, orders - from);
    const claims = Array.from({ length: count }, (_, index) => claimOf(plan, from + index));
    messages.push(ClaimsPlaced.encode({ claims }).finish());
  }
  if (repeatEvery === undefined) return messages;
  return messages.flatMap((message, index) => {
    const earlier = messages[index + 1 - repeatEvery];
    return (index + 1) % repeatEvery === 0 && earlier !== undefined ? [message, earlier] : [message];
  });
}

/** The n-th of those orders. */
export function claimOf({ storeId, skuIds, tag }: Pick<ClaimsPlan, 'storeId' | 'skuIds' | 'tag'>, n: number): Claim {
  const userId = `${tag}-u${n}`;
  const requestId = `${tag}-r${n}`;
  return {
    orderId: orderId(storeId, userId, requestId),
    storeId,
    userId,
    requestId,
    lines: [{ skuId: skuIds[n % skuIds.length] ?? '', quantity: 1, attendeeId: userId, unitPriceMinor: 0 }],
    notAfter: new Date(Date.now() + notAfterMs),
  };
}
