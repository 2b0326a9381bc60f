import type { OrderStatus } from '#libs/contracts/gen/holdfast/status/v1/instance.js';
import type { Ledger } from '#libs/ledger/ledger.js';
import type { ShardStanding } from '../app/check-alerts.js';

/** Shorter than whoever asks for a status waits. */
const deadlineMs = 500;

/** How orders get from the stream into the ledger, and news out of it. What cannot be asked now is -1. */
export async function orderStatus(
  ledger: Pick<Ledger, 'backlogRead'>,
  shards: readonly ShardStanding[],
): Promise<OrderStatus> {
  const unknown = { events: -1, oldestMs: -1, letters: -1 };
  const { events, oldestMs, letters } = await ledger.backlogRead({ deadlineMs }).catch(() => unknown);
  return { consumerLag: lagOf(shards), outboxLag: events, outboxOldestMs: oldestMs, deadLetters: letters };
}

function lagOf(shards: readonly ShardStanding[]): number {
  if (shards.some(({ stillMs }) => stillMs === undefined)) return -1;
  return shards.reduce((sum, { waiting }) => sum + waiting, 0);
}
