import { setTimeout as sleep } from 'node:timers/promises';
import type { Ledger } from '#libs/ledger/ledger.js';

const rowsPerRound = 1_000;
const restMs = 250;
const restAfterFailureMs = 1_000;
const relayedWords =
  'an order service has NATS_URL and relays: give this service the same NATS_URL, without WEBHOOK_FOLLOW_OUTBOX';

export interface FollowPorts {
  readonly ledger: Pick<Ledger, 'outboxTake' | 'outboxMarkPublished' | 'outboxRelays'>;
  /** Whether this process is the one that takes events out; tries to become it when nobody is. */
  readonly isMine: () => Promise<boolean>;
  /** Lets another be the one. */
  readonly giveUp: () => Promise<void>;
  readonly failed: (error: unknown) => void;
  readonly went: () => void;
}

/**
 * Where there is no stream, nobody relays: notes the events in the outbox as told in the place of the relay until
 * `closing`. A relay that is seen all the same ends it for good: what were taken from it would be missing in the stream.
 */
export async function followOutbox(ports: FollowPorts, closing: AbortSignal): Promise<void> {
  let isRelayed = false;
  const look = async (): Promise<void> => {
    isRelayed ||= (await ports.ledger.outboxRelays()) > 0;
    if (!isRelayed) return;
    await ports.giveUp();
    throw new Error(relayedWords);
  };
  while (!closing.aborted) {
    const isMore = await takeRound(ports, look).catch((error: unknown) => {
      ports.failed(error);
      return undefined;
    });
    if (isMore === true) continue;
    const ms = isMore === undefined ? restAfterFailureMs : restMs;
    await sleep(ms, undefined, { signal: closing }).catch(() => undefined);
  }
}

async function takeRound({ ledger, isMine, went }: FollowPorts, look: () => Promise<void>): Promise<boolean> {
  await look();
  if (!(await isMine())) return false;
  const news = await ledger.outboxTake(rowsPerRound);
  await ledger.outboxMarkPublished(news.map(({ id }) => id));
  went();
  return news.length === rowsPerRound;
}
