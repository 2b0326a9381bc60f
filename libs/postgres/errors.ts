import { setTimeout as delay } from 'node:timers/promises';
import { DatabaseError } from 'pg';
import { Fault } from '#libs/refusal/fault.js';

/** The database's own code of what went wrong, also from within a Fault's causes; undefined when it said nothing. */
export function sqlState(error: unknown): string | undefined {
  if (error instanceof DatabaseError) return error.code;
  return error instanceof Error ? sqlState(error.cause) : undefined;
}

/**
 * True for what is no fault of the statement or its data: the connection was lost, the server is away or shutting
 * down, a deadline passed, nobody had a connection to spare, or the locks were taken. Whether it took effect is
 * unknown when the Fault says UNAVAILABLE; BUSY surely had none.
 */
export function transient(error: unknown): boolean {
  return error instanceof Fault && (error.reason === 'UNAVAILABLE' || error.reason === 'BUSY');
}

const SERIALIZATION_FAILURE = '40001';
const DEADLOCK_DETECTED = '40P01';
const LOCK_NOT_AVAILABLE = '55P03';
/** A prepared statement whose result changed its shape under a migration. */
const STALE_PLAN = '0A000';
const QUERY_CANCELED = '57014';

const CONFLICTS = [SERIALIZATION_FAILURE, DEADLOCK_DETECTED, LOCK_NOT_AVAILABLE, STALE_PLAN];
/** Connection exceptions, out of resources, operator intervention (shutdown, crash, starting up). */
const UNAVAILABLE_CLASSES = ['08', '53', '57'];

/**
 * What a caller gets for what the driver threw. A connection that broke, a server that goes and a statement cut by its
 * timeout become Fault UNAVAILABLE; locks that others hold and plans gone stale become BUSY, the database has rolled
 * back. Everything else is about the statement or its data and stays as it is.
 */
export function toFault(error: unknown, connectionBroke: boolean): unknown {
  if (error instanceof Fault) return error;
  const state = sqlState(error);
  if (state && CONFLICTS.includes(state)) {
    return new Fault('BUSY', 'the database had a conflict', { cause: error });
  }
  if (connectionBroke || (state && UNAVAILABLE_CLASSES.includes(state.slice(0, 2)))) {
    const message = state === QUERY_CANCELED ? 'the database took too long' : 'the database cannot be reached';
    return new Fault('UNAVAILABLE', message, { cause: error });
  }
  return error;
}

/**
 * Whether a connection may not be used after this error: it broke or owes an answer, or it holds a stale plan, which it
 * would use for ever. One whose statement the server cut is as good as before.
 */
export function spoilsConnection(error: unknown): boolean {
  const state = sqlState(error);
  if (state === STALE_PLAN) return true;
  return error instanceof Fault && error.reason === 'UNAVAILABLE' && state !== QUERY_CANCELED;
}

/**
 * Runs `work` again, at most `attempts` times in all, while the database refuses it as in conflict with another
 * transaction (40001, 40P01): nothing of it happened. What fails the last time is thrown, a Fault BUSY.
 */
export async function retryConflicts<Result>(work: () => Promise<Result>, attempts: number): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const state = sqlState(error);
      const conflict = state === SERIALIZATION_FAILURE || state === DEADLOCK_DETECTED;
      if (!conflict || attempt >= attempts) throw error;
      // Full jitter, so that those who collided do not collide again.
      await delay(Math.random() * Math.min(2 ** attempt, 50));
    }
  }
}
