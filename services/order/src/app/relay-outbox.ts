import { setTimeout as sleep } from 'node:timers/promises';
import type { AlertNews } from '#libs/ledger/alerts.js';
import type { OutboxEntry } from '#libs/ledger/outbox.js';
import type { Nudge } from '#libs/runtime/nudge.js';
import { groupBy } from '../domain/group-by.js';

/** Rows published together at most. */
const rowsPerRound = 1_000;
const alertsPerRound = 100;
/** Between two rounds: what happens meanwhile is told together, and admission has the processor first. */
const restMs = 100;
const restAfterFailureMs = 500;
/** What other processes wrote is looked for so often. */
const pollMs = 500;

export interface RelayPorts {
  /** Whether this process is the one that relays; tries to become it when nobody is. */
  isMine(): Promise<boolean>;
  /** Whether the stream can be written; makes it when it is not there. */
  streamReady(): Promise<boolean>;
  outboxTake(limit: number): Promise<OutboxEntry[]>;
  /** Resolves when the stream has the event for certain. */
  store(row: OutboxEntry): Promise<void>;
  outboxMarkPublished(entries: readonly OutboxEntry[]): Promise<void>;
  /** At most one thing of each alert, so that what is stored at once has no order. */
  alertsUntold(limit: number): Promise<AlertNews[]>;
  /** Resolves when the stream has the event for certain. */
  storeAlert(news: AlertNews): Promise<void>;
  alertsMarkTold(told: readonly AlertNews[]): Promise<void>;
  failed(error: unknown): void;
}

/**
 * Publishes what is in the outbox until `closing`. It always begins with the lowest row that is not marked, so a row that
 * became visible late is not skipped. A row is marked only after the stream has it: if the process dies between, it is
 * published again under the same message id.
 */
export async function relayOutbox(ports: RelayPorts, nudge: Nudge, closing: AbortSignal): Promise<void> {
  while (!closing.aborted) {
    try {
      const more = await relayRound(ports);
      await rest(restMs, closing);
      if (!more) await nudge.wait(pollMs, closing);
    } catch (error) {
      ports.failed(error);
      await rest(restAfterFailureMs, closing);
    }
  }
}

async function rest(ms: number, closing: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal: closing }).catch(() => undefined);
}

/** One round; true when more rows are left. What fails of the one kind holds up nothing of the other. */
export async function relayRound(ports: RelayPorts): Promise<boolean> {
  if (!(await ports.isMine()) || !(await ports.streamReady())) return false;
  const rounds = await Promise.allSettled([relayChanges(ports), relayAlerts(ports)]);
  return rounds.map(orThrow).some((isMoreLeft) => isMoreLeft);
}

async function relayChanges(ports: RelayPorts): Promise<boolean> {
  const rows = await ports.outboxTake(rowsPerRound);
  const byOrder = groupBy(rows, (row) => row.orderId);
  const outcomes = await Promise.all([...byOrder.values()].map((events) => storeInTurn(ports, events)));
  const stored = outcomes.flatMap((outcome) => outcome.stored);
  if (stored.length > 0) await ports.outboxMarkPublished(stored);
  const failure = outcomes.find((outcome) => outcome.error !== undefined);
  if (failure) throw failure.error;
  return rows.length === rowsPerRound;
}

async function relayAlerts(ports: RelayPorts): Promise<boolean> {
  const untold = await ports.alertsUntold(alertsPerRound);
  const stored = await Promise.allSettled(untold.map((news) => ports.storeAlert(news)));
  await ports.alertsMarkTold(untold.filter((_, index) => stored[index]?.status === 'fulfilled'));
  for (const each of stored) orThrow(each);
  return untold.length > 0;
}

function orThrow<Value>(settled: PromiseSettledResult<Value>): Value {
  if (settled.status === 'rejected') throw settled.reason;
  return settled.value;
}

/** Stores the events of one order one after the other; the first that fails keeps the later ones back. */
async function storeInTurn(
  ports: RelayPorts,
  events: readonly OutboxEntry[],
): Promise<{ stored: OutboxEntry[]; error?: unknown }> {
  const stored: OutboxEntry[] = [];
  for (const row of events) {
    try {
      await ports.store(row);
    } catch (error) {
      return { stored, error };
    }
    stored.push(row);
  }
  return { stored };
}
