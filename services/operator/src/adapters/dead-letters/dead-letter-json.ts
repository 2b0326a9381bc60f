import type { DeadLetter } from '../../domain/dead-letter.js';
import { factsJson } from '../facts.js';
import { instantJson } from '../time-text.js';

/** A letter without its message, as `dead-letters list --json` prints it; names as in the contracts. */
export function letterJson(letter: DeadLetter): object {
  return {
    dead_letter_id: letter.deadLetterId,
    order_id: letter.orderId,
    subject: letter.subject,
    error: letter.error,
    at: instantJson(letter.at),
    resolved_at: instantJson(letter.resolvedAt),
    resolved_by: letter.resolvedBy,
    resolution: letter.resolution,
  };
}

/** A letter with its message, as `dead-letters show --json` prints it. */
export function wholeLetterJson(letter: DeadLetter): object {
  const { payload, payloadJson } = letter;
  return {
    ...letterJson(letter),
    payload: factsJson(payloadJson),
    payload_base64: Buffer.from(payload).toString('base64'),
  };
}
