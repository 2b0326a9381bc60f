import type { PaymentProvider, RefundWanted } from './ports.js';

/** A refund that is due, and how to say what became of asking for it. */
export interface RefundAsk {
  /** Undefined: the message cannot be read. */
  readonly refund: (RefundWanted & { readonly provider: string }) | undefined;
  /** Asked for, or not for this one to ask. */
  done(): void;
  /** To be told again, a while later. */
  again(): void;
  /** Nobody can ask for it. */
  hopeless(reason: string): void;
}

/** Asks the provider for the refunds that are due, each under its own key: asking twice gives back once. */
export async function askRefunds(
  asks: readonly RefundAsk[],
  provider: PaymentProvider,
  failed: (error: unknown) => void,
): Promise<void> {
  await Promise.all(
    asks.map(async (ask) => {
      const { refund } = ask;
      if (refund === undefined) return ask.hopeless('not a RefundDue');
      // Whoever speaks for another provider hears it, too.
      if (refund.provider !== provider.name) return ask.done();
      try {
        await provider.refund(refund);
        ask.done();
      } catch (error) {
        failed(error);
        ask.again();
      }
    }),
  );
}
