import { type Order, OrderState, RefusalReason } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import { ReserveResponse } from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import type { WaitlistEntry } from '#libs/contracts/gen/holdfast/waitlist/v1/waitlist.js';
import { canonicalLines, linesHash } from '#libs/contracts/order-lines.js';
import { type Answer, refused, type Told, told, waiting } from './answer.js';
import type { Begun, Hold } from './ports.js';
import { rowOrClaim } from './row-or-claim.js';

/** An answer HELD is repeated for so long; afterwards the order is read, for it may have become another thing. */
const repeatedForMs = 30_000;

export interface ReplayOptions {
  /** Undefined when there is none, or when it cannot be read now. */
  ownOrder: (orderId: string, userId: string) => Promise<Order | undefined>;
  /** The undecided claim; undefined when there is none. */
  findClaim: (orderId: string) => Promise<Order | undefined>;
  /** Rejects when there is none, or when it cannot be read now. */
  findEntry: (entry: { entryId: string; userId: string }) => Promise<WaitlistEntry | undefined>;
}

type Done = Extract<Begun, { kind: 'DONE' }>;
type Replay = (hold: Hold, done: Done) => Answer | undefined | Promise<Answer | undefined>;

/** What a reservation that was answered before is told: the same no, or its order as it is today. Undefined when that is not known now. */
export function createReplay({ ownOrder, findClaim, findEntry }: ReplayOptions): Replay {
  return function replay(hold, { outcome, ageMs, answer }) {
    const stored = answer.length > 0 ? decoded(answer) : undefined;
    if (outcome === 'REFUSED') return stored !== undefined && mayBeReplayed(stored) ? today(hold) : stored;
    if (outcome === 'PENDING') return decided(hold);
    if (outcome === 'WAITLISTED') return place(hold, stored);
    return stored !== undefined && ageMs < repeatedForMs && isStillHeld(stored) ? stored : today(hold);
  };

  async function today({ orderId, userId }: Hold): Promise<Answer | undefined> {
    const order = await ownOrder(orderId, userId);
    return order && answerOf(order);
  }

  /** The entry as it is today, or the order that it was offered. What cannot be read is asked for as at first. */
  async function place({ orderId, userId }: Hold, stored: Told | undefined): Promise<Answer | undefined> {
    const outcome = stored?.value.outcome;
    const entryId = outcome?.$case === 'waiting' ? outcome.value.entryId : orderId;
    const entry = await findEntry({ entryId, userId }).catch(() => undefined);
    if (entry === undefined || entry.orderId === '') return entry && waiting(entry);
    const order = await ownOrder(entry.orderId, userId);
    return order && answerOf(order);
  }

  /** The row of an order that was PENDING, or the claim that still is. */
  async function decided({ orderId, userId, lines }: Hold): Promise<Answer | undefined> {
    try {
      const found = await rowOrClaim(
        orderId,
        () => ownOrder(orderId, userId),
        () => findClaim(orderId),
      );
      if (!('row' in found)) return told({ $case: 'pending', value: { orderId } });
      // A try without a mark may have been admitted for other lines before: then it is for inventory to say.
      return hashOf(found.row.lines).equals(hashOf(lines)) ? await answerOf(found.row) : undefined;
    } catch {
      return undefined;
    }
  }

  /** Inventory says the same of an order that it knows. */
  async function answerOf(order: Order): Promise<Answer | undefined> {
    if (order.state !== OrderState.ORDER_STATE_REFUSED) return told({ $case: 'held', value: { order } });
    if (order.refusal === undefined) return undefined;
    const { ownOrderId } = order.refusal;
    return refused(order.refusal, ownOrderId === '' ? undefined : await ownOrder(ownOrderId, order.userId));
  }
}

function hashOf(lines: Hold['lines']): Buffer {
  return linesHash(canonicalLines(lines));
}

function decoded(bytes: Uint8Array): Told | undefined {
  try {
    const { outcome } = ReserveResponse.decode(bytes);
    return outcome && told(outcome);
  } catch {
    return undefined;
  }
}

/** What could not be processed is a dead letter, which an operator may have admitted since. */
function mayBeReplayed({ value: { outcome } }: Told): boolean {
  const refusal = outcome?.$case === 'refused' ? outcome.value.refusal : undefined;
  return refusal?.reason === RefusalReason.REFUSAL_REASON_UNPROCESSABLE;
}

function isStillHeld({ value: { outcome } }: Told): boolean {
  const expiresAt = outcome?.$case === 'held' ? outcome.value.order?.expiresAt : undefined;
  return expiresAt === undefined || expiresAt.getTime() > Date.now();
}
