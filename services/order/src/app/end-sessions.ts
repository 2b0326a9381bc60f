import type { Ledger } from '#libs/ledger/ledger.js';
import type { PaymentProvider } from './ports.js';

export interface EndSessionsPorts {
  readonly ledger: Pick<Ledger, 'paymentSessionsToEnd' | 'paymentSessionEnded'>;
  readonly provider: PaymentProvider | undefined;
  readonly failed: (error: unknown) => void;
}

/**
 * Tells the provider to take no more money by sessions whose order was paid otherwise, ended or was given up. Two at once
 * tell twice, which does no harm. Those of another provider than the one that is set up wait for it.
 */
export function endSessions({ ledger, provider, failed }: EndSessionsPorts) {
  return async (atMost: number): Promise<{ ended: number; failed: number }> => {
    if (provider === undefined) return { ended: 0, failed: 0 };
    const attempts = await ledger.paymentSessionsToEnd(atMost);
    const told = await Promise.allSettled(
      attempts.map(async ({ orderId, attempt, sessionId = '', provider: owner }) => {
        if (owner !== provider.name) throw new Error(`a session of ${owner} is to end, which is not set up`);
        await provider.endSession(sessionId);
        await ledger.paymentSessionEnded(orderId, attempt);
      }),
    );
    const failures = told.filter((each) => each.status === 'rejected');
    if (failures[0]) failed(failures[0].reason);
    return { ended: told.length - failures.length, failed: failures.length };
  };
}
