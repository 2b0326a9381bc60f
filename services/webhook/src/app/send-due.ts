import type { Ledger } from '#libs/ledger/ledger.js';
import type { ClaimedWebhook } from '#libs/ledger/webhooks.js';
import type { Nudge } from '#libs/runtime/nudge.js';

/** What becomes due otherwise than by a nudge, as another try, is looked for so often. */
const lookAgainMs = 1_000;
/** A process that slept so close to the end of its lease does not send any more. */
const marginMs = 5_000;

export interface SendPorts {
  readonly ledger: Pick<Ledger, 'webhookClaim'>;
  /** Tells that something may be due now. */
  readonly nudge: Nudge;
  /** Sends one and notes how that ended. */
  readonly deliver: (claimed: ClaimedWebhook) => Promise<unknown>;
  readonly maxInFlight: number;
  /** The longest that sending takes. */
  readonly timeoutMs: number;
  readonly failed: (error: unknown) => void;
  readonly went: () => void;
  /** Monotonic, in ms. */
  readonly monotonic: () => number;
}

/** How long nobody else gets an endpoint. */
function leaseMsOf(timeoutMs: number): number {
  return 2 * timeoutMs + 15_000;
}

/** Sends what is due, at most one to each endpoint and `maxInFlight` in all, until `closing`; then waits for those. */
export async function sendDue(ports: SendPorts, closing: AbortSignal): Promise<void> {
  const inFlight = new Map<Promise<void>, ClaimedWebhook>();
  while (!closing.aborted) {
    const taken = await claimMore(ports, [...inFlight.values()]).catch((error: unknown) => {
      ports.failed(error);
      return { webhooks: [], notAfter: 0 };
    });
    for (const claimed of taken.webhooks) {
      const sending = sendOne(ports, claimed, taken.notAfter).finally(() => {
        inFlight.delete(sending);
        ports.nudge.give();
      });
      inFlight.set(sending, claimed);
    }
    if (taken.webhooks.length === 0) await ports.nudge.wait(lookAgainMs, closing);
  }
  await Promise.all(inFlight.keys());
}

async function claimMore(
  { ledger, maxInFlight, timeoutMs, monotonic, went }: SendPorts,
  inFlight: readonly ClaimedWebhook[],
): Promise<{ webhooks: ClaimedWebhook[]; notAfter: number }> {
  const atMost = maxInFlight - inFlight.length;
  if (atMost === 0) return { webhooks: [], notAfter: 0 };
  const failing = inFlight.filter((one) => one.failing).length;
  const leaseMs = leaseMsOf(timeoutMs);
  const notAfter = monotonic() + leaseMs - timeoutMs - marginMs;
  const atMostFailing = Math.max(0, Math.floor(maxInFlight / 2) - failing);
  const webhooks = await ledger.webhookClaim({ atMost, atMostFailing, leaseMs });
  went();
  return { webhooks, notAfter };
}

async function sendOne(ports: SendPorts, claimed: ClaimedWebhook, notAfter: number): Promise<void> {
  if (ports.monotonic() > notAfter) return;
  try {
    await ports.deliver(claimed);
  } catch (error) {
    // The lease ends, and it is sent again.
    ports.failed(error);
  }
}
