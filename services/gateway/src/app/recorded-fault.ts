import { randomUUID } from 'node:crypto';
import { Fault, faultOf } from '#libs/refusal/fault.js';
import type { Logger } from '#libs/runtime/logger.js';

/** The fault, with an id under which the log has what is behind it when it is one of ours. */
export function recordedFault(thrown: unknown, logger: Logger): Fault {
  const fault = faultOf(thrown);
  if (fault.reason !== 'INTERNAL' || fault.metadata.fault_id !== undefined) return fault;
  const faultId = randomUUID();
  logger.error({ faultId, err: fault.cause ?? fault }, 'a change failed inside');
  return new Fault('INTERNAL', fault.message, { metadata: { fault_id: faultId } });
}
