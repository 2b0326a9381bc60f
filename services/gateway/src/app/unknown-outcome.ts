import { Fault } from '#libs/refusal/fault.js';

/** Nobody here knows what became of the order. Its id does: the caller asks again with the same request. */
export function unknownOutcome(cause?: unknown): Fault {
  return new Fault('UNAVAILABLE', 'The outcome is not known yet: send the same request again', { cause });
}
