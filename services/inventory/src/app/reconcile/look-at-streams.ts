import type { Finding } from '#libs/ledger/reconcile-plans.js';
import { admitPromises } from '../sweep-journal.js';
import type { GateParts, ReconcileLedger, StreamFigures } from './ports.js';

/** What is promised is decided within five seconds of the last fault healing. */
const PROMISE_LATE_MS = 10_000;
/** News and claims that lie so long are not on their way any more. */
const LATE_MS = 30_000;

export interface StreamsLookOptions {
  readonly ledger: Pick<ReconcileLedger, 'outboxLag' | 'claimsAdmit'>;
  readonly ledgerNow: () => Date;
  readonly shards: number;
  /** Absent without NATS: then nobody publishes. */
  readonly streams?: StreamFigures | undefined;
}

/** What lies in streams and outbox for longer than it should. Nothing here is mended: alerts of their own speak of it. */
export async function lookAtStreams(options: StreamsLookOptions): Promise<Finding[]> {
  const { ledger, streams, shards, ledgerNow } = options;
  if (!streams) return [];
  const findings: Finding[] = [];
  const found = (kind: string, count: object, oldestAt: Date | undefined): void => {
    const ageMs = oldestAt ? ledgerNow().getTime() - oldestAt.getTime() : 0;
    if (ageMs < LATE_MS) return;
    findings.push({ kind, detail: { ...count, oldest_seconds: Math.round(ageMs / 1_000) }, remedy: '', mended: false });
  };
  const { events, oldestAt } = await ledger.outboxLag();
  found('EVENTS_UNPUBLISHED', { events }, oldestAt);
  for (let shard = 0; shard < shards; shard += 1) {
    const claims = await streams.claims(shard);
    found('CLAIMS_LATE', { shard, messages: claims.messages }, claims.oldestAt);
  }
  return findings;
}

/** Keeps promises that nobody kept in time, and drops keys of a shard that cannot be read. */
export async function lookAtShards(
  { gate, inspection, shards }: GateParts,
  ledger: Pick<ReconcileLedger, 'claimsAdmit'>,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (let shard = 0; shard < shards; shard += 1) {
    for (const key of await inspection.dropUnreadable(shard))
      findings.push({ kind: 'KEY_UNREADABLE', detail: { key }, remedy: '', mended: true });
    const late = await gate.promises(shard, PROMISE_LATE_MS);
    if (late.length === 0) continue;
    await admitPromises(gate, ledger, shard);
    const left = new Set((await gate.promises(shard, PROMISE_LATE_MS)).map(({ orderId }) => orderId));
    for (const { orderId, lines } of late) {
      const skuId = lines[0]?.skuId;
      const mended = !left.has(orderId);
      findings.push({ kind: 'PROMISE_LATE', ...(skuId && { skuId }), orderId, detail: {}, remedy: '', mended });
    }
  }
  return findings;
}
