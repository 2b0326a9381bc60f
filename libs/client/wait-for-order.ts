import { type Order, OrderState } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import { Fault } from '#libs/refusal/fault.js';
import type { Watching } from './follow.js';
import type { Patience } from './insist.js';
import { type OrderOutcome, outcomeOfOrder } from './order-outcome.js';

/** What an order is waited for. */
export interface OrderWait extends Patience {
  /** `DECIDED` (default): no longer PENDING. `PAID`: no longer HELD either; it was paid, or it is lost. */
  until?: 'DECIDED' | 'PAID';
}

const WAIT_MS = 60_000;

/** Follows an order until it is what was waited for, or the time is over: then the outcome is what was seen last. */
export async function waitForOrder(
  watch: (watching: Watching) => AsyncIterable<Order>,
  { until = 'DECIDED', deadlineMs = WAIT_MS, signal, onWait }: OrderWait,
): Promise<OrderOutcome> {
  const time = AbortSignal.timeout(Math.max(0, deadlineMs));
  let last: Order | undefined;
  let fault = new Fault('TOO_LATE', 'Nothing was heard of the order in time');
  const watching: Watching = {
    signal: signal ? AbortSignal.any([time, signal]) : time,
    onWait(waiting) {
      if (waiting.why !== 'QUEUED') fault = waiting.fault;
      onWait?.(waiting);
    },
  };
  try {
    for await (const order of watch(watching)) {
      last = order;
      if (!isOpen(order.state, until)) break;
    }
  } catch (thrown) {
    if (!time.aborted || signal?.aborted) throw thrown;
  }
  return last ? outcomeOfOrder(last) : { kind: 'UNDECIDED', fault };
}

function isOpen(state: OrderState, until: 'DECIDED' | 'PAID'): boolean {
  return state === OrderState.ORDER_STATE_PENDING || (until === 'PAID' && state === OrderState.ORDER_STATE_HELD);
}
