import { setTimeout as pause } from 'node:timers/promises';
import { claimStreams } from './claim-streams.js';
import type { Stage } from './stage.js';

const LOOK_EVERY_MS = 50;
const OUTBOX = 'SELECT id FROM ledger.outbox WHERE published_at IS NULL';

/** What waits to be done, by what it waits for. */
export interface Backlog {
  /** Ids of orders with an undecided claim in the gate's journal, promised ones with them. */
  journal: string[];
  /** Messages of claims that nobody acknowledged: `stream sequence`. */
  stream: string[];
  /** Ids of events that are not published. */
  outbox: string[];
}

/** Looks past all services; rejects while a server does not answer. */
async function readBacklog({ redis, streams, sql }: Pick<Stage, 'redis' | 'streams' | 'sql'>): Promise<Backlog> {
  const gates = await redis.keys('hf:*:gate:*');
  const claims = await Promise.all(gates.map((key) => redis.hkeys(key)));
  const promised = await Promise.all((await redis.keys('hf:*:promised')).map((key) => redis.hkeys(key)));
  const undecided = claims.flat().flatMap((field) => (field.startsWith('c:') ? [field.slice(2)] : []));
  const messages = await Promise.all(
    claimStreams.map(async (name) => {
      const { state } = await streams.streams.info(name, { deleted_details: true });
      if (state.messages === 0) return [];
      const gone = new Set(state.deleted);
      const left = range(state.first_seq, state.last_seq).filter((sequence) => !gone.has(sequence));
      return left.map((sequence) => `${name} ${sequence}`);
    }),
  );
  const events = await sql<{ id: string }>(OUTBOX);
  return {
    journal: [...new Set([...undecided, ...promised.flat()])],
    stream: messages.flat(),
    outbox: events.map(({ id }) => id),
  };
}

/** How long each part of what waited at the beginning took to be done, in ms since then; null: it was not in time. */
export type Drained = Record<keyof Backlog, number | null>;

/**
 * Takes what waits now, and looks until all of that is done; what comes later is not waited for. Never rejects: a
 * server that does not answer yet is asked again.
 */
export async function drained(stage: Stage, since: number, patienceMs: number): Promise<Drained> {
  const took: Drained = { journal: null, stream: null, outbox: null };
  const parts = Object.keys(took) as (keyof Backlog)[];
  let waiting: Backlog | undefined;
  while (Date.now() - since < patienceMs && parts.some((part) => took[part] === null)) {
    const now = await readBacklog(stage).catch(() => undefined);
    waiting ??= now;
    for (const part of now && waiting ? parts : []) {
      const still = new Set(now?.[part]);
      if (took[part] === null && !waiting?.[part].some((id) => still.has(id))) took[part] = Date.now() - since;
    }
    await pause(LOOK_EVERY_MS);
  }
  return took;
}

/** Resolves what is left as soon as that is nothing, at the latest after `patienceMs`. Undefined: it cannot be read. */
export async function atRest(stage: Stage, patienceMs: number): Promise<Backlog | undefined> {
  const giveUpAt = Date.now() + patienceMs;
  for (;;) {
    const left = await readBacklog(stage).catch(() => undefined);
    const isEmpty = left !== undefined && Object.values(left).every((part) => part.length === 0);
    if (isEmpty || Date.now() >= giveUpAt) return left;
    await pause(LOOK_EVERY_MS);
  }
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
}
