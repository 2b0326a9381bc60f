import { setTimeout as sleep } from 'node:timers/promises';
import type { Ledger } from '#libs/ledger/ledger.js';

const rowsPerRound = 1_000;
const restMs = 250;
const restAfterFailureMs = 1_000;

export interface FollowPorts {
  readonly ledger: Pick<Ledger, 'outboxTake' | 'outboxMarkPublished'>;
  /** Whether this process is the one that takes events out; tries to become it when nobody is. */
  readonly isMine: () => Promise<boolean>;
  readonly failed: (error: unknown) => void;
  readonly went: () => void;
}

/**
 * Where there is no stream, nobody relays: takes the events out of the outbox in the place of the relay until `closing`.
 * Noting them as told writes the deliveries, in one transaction.
 */
export async function followOutbox(ports: FollowPorts, closing: AbortSignal): Promise<void> {
  while (!closing.aborted) {
    const isMore = await takeRound(ports).catch((error: unknown) => {
      ports.failed(error);
      return undefined;
    });
    if (isMore === true) continue;
    const ms = isMore === undefined ? restAfterFailureMs : restMs;
    await sleep(ms, undefined, { signal: closing }).catch(() => undefined);
  }
}

async function takeRound({ ledger, isMine, went }: FollowPorts): Promise<boolean> {
  if (!(await isMine())) return false;
  const news = await ledger.outboxTake(rowsPerRound);
  await ledger.outboxMarkPublished(news.map(({ id }) => id));
  went();
  return news.length === rowsPerRound;
}
