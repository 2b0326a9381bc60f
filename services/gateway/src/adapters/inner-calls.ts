import { Fault } from '#libs/refusal/fault.js';
import { actorMetadata } from '#libs/rpc/actor.js';
import type { CallContext } from '#libs/rpc/call-context.js';
import type { CallOptions } from '#libs/rpc/client.js';

/** No inner call is waited for longer than this. */
export const defaultDeadlineMs = 5_000;
/** When nobody asked for the call itself. */
const callerlessDeadlineMs = 1_000;
/** A watcher comes again after an hour. */
const watchDeadlineMs = 3_600_000;

/** An inner call ends with the call that it serves, and says for whom it is. */
export function within(caller: CallContext | undefined): CallOptions {
  if (caller === undefined) return { deadlineMs: callerlessDeadlineMs };
  const { principal, signal } = caller;
  return { call: caller, signal, ...(principal && { metadata: actorMetadata(principal) }) };
}

export function whileWatched(caller: CallContext): CallOptions {
  return { ...within(caller), deadlineMs: watchDeadlineMs };
}

/** Undefined for ORDER_NOT_FOUND: an order that one peer does not have may be with another. */
export async function ifFound<Response>(response: Promise<Response>): Promise<Response | undefined> {
  try {
    return await response;
  } catch (error) {
    if (error instanceof Fault && error.reason === 'ORDER_NOT_FOUND') return undefined;
    throw error;
  }
}
