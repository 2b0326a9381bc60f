import { setTimeout as pause } from 'node:timers/promises';
import type { Stage } from '../stage.js';

const LOOK_EVERY_MS = 20;

/** Resolves when the lock is held. It is, until the session is ended. */
export async function keepLocked({ sql }: Stage, statement: string): Promise<void> {
  void sql(`BEGIN; ${statement}; SELECT pg_sleep(25)`).catch(() => {}); // Its end is that of the session.
  while ((await holders({ sql })).length === 0) await pause(LOOK_EVERY_MS);
}

/** Ends the session that holds the lock. */
export async function letGo({ sql }: Stage): Promise<void> {
  for (const pid of await holders({ sql })) await sql('SELECT pg_terminate_backend($1)', [pid]);
}

async function holders({ sql }: Pick<Stage, 'sql'>): Promise<number[]> {
  const rows = await sql<{ pid: number }>("SELECT pid FROM pg_stat_activity WHERE wait_event = 'PgSleep'");
  return rows.map(({ pid }) => pid);
}
