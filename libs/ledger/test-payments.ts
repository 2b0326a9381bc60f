import { barrier } from '#libs/testing/barrier.js';
import type { CapturedPayment } from './payments.js';
import type { LedgerOrder } from './rows.js';

/** The payment that an order asks for, under an id of its own or one that is given. */
export function paymentOf(
  { orderId, amountMinor, currency }: LedgerOrder,
  providerPaymentId: string = orderId,
): CapturedPayment {
  return { orderId, provider: 'bank', providerPaymentId, amountMinor, currency };
}

/** Runs all at one moment. */
export async function together<Result>(acts: readonly (() => Promise<Result>)[]): Promise<Result[]> {
  const arrive = barrier(acts.length);
  return await Promise.all(acts.map((act) => arrive().then(act)));
}

/** All orders in which things can happen. */
export function permutations<Item>(items: readonly Item[]): Item[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, place) => permutations(items.toSpliced(place, 1)).map((rest) => [item, ...rest]));
}
