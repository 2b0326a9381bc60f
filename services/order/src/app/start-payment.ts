import type { Ledger } from '#libs/ledger/ledger.js';
import type { PaymentAttempt } from '#libs/ledger/payment-rows.js';
import type { LedgerOrder } from '#libs/ledger/rows.js';
import { Fault } from '#libs/refusal/fault.js';
import { refuseImpossible } from './get-order.js';
import type { PaymentProvider } from './ports.js';

export interface StartPaymentPorts {
  readonly ledger: Pick<Ledger, 'paymentStart' | 'paymentSessionSet'>;
  /** Absent: nobody takes money here. */
  readonly provider: PaymentProvider | undefined;
}

/** A way to pay, and what it pays. */
export interface StartedPayment {
  readonly attempt: PaymentAttempt;
  readonly order: LedgerOrder;
}

/**
 * The way to pay a HELD order: the one that is open, or a new one.
 *
 * 1. one transaction opens the attempt, or finds the open one; 2. outside of any, the provider opens its session under the
 * key of order and attempt; 3. one statement notes it. If the process dies between 1 and 3, the next call finds the
 * attempt without a session and asks the provider again under the same key. If the hold ends between 1 and 3, the session
 * is noted on an attempt that has ended, and is among those the provider is told to end.
 */
export function startPayment({ ledger, provider }: StartPaymentPorts) {
  return async (wanted: { orderId: string; userId: string; requestId: string }): Promise<StartedPayment> => {
    refuseImpossible(wanted.orderId);
    if (provider === undefined) throw new Fault('PAYMENTS_NOT_OFFERED', 'No payment provider is set up here');
    const { attempt, order } = await ledger.paymentStart({ ...wanted, provider: provider.name });
    if (attempt.sessionId !== undefined) return { attempt, order };
    const { orderId, amountMinor, currency } = order;
    const session = await provider.createSession({
      ...{ orderId, amountMinor, currency },
      attempt: attempt.attempt,
      endsAt: attempt.endsAt,
    });
    const noted = await ledger.paymentSessionSet(orderId, attempt.attempt, session);
    // Another call was told of another one, which only a provider without the key does.
    if (noted.sessionId !== session.sessionId) await provider.endSession(session.sessionId);
    if (noted.state === 'OPEN' || noted.state === 'CAPTURED') return { attempt: noted, order };
    throw new Fault('ORDER_STATE', 'the order ended while the provider was asked', {
      metadata: { order_id: orderId },
    });
  };
}
