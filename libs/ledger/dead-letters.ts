import { createHash } from 'node:crypto';
import { canonicalLines, linesHash } from '#libs/contracts/order-lines.js';
import { retryConflicts } from '#libs/postgres/errors.js';
import { type Decision, decisionOf } from './decision.js';
import { functionCall, type LedgerPool } from './ledger-pool.js';
import { type ClaimParts, claimViolations, isOrderId } from './lines.js';
import { type OrderRow, toOrder } from './rows.js';

const ATTEMPTS = 5;
const bury = functionCall('claim_bury', 11);
const addLetter = functionCall('dead_letter_add', 4);

/** A message that could not be processed: where it came from, its bytes, and what went wrong in words. */
export interface DeadLetter {
  subject: string;
  payload: Uint8Array;
  error: string;
}

/** The calls about what nobody could process. */
export function deadLetterCalls(pool: LedgerPool) {
  /** Keeps a message for a person to look at. The same message again adds nothing. */
  async function deadLetterAdd({ subject, payload, error }: DeadLetter): Promise<void> {
    await pool.query(addLetter, [subject, Buffer.from(payload), withoutNul(error), null]);
  }

  return {
    deadLetterAdd,

    /**
     * Ends a claim that cannot be processed: a refusal UNPROCESSABLE, recorded, and a dead letter, in one transaction.
     * A claim whose order is known is answered with it. One that does not even say whose it is leaves only the letter.
     */
    async claimBury({ claim, ...letter }: DeadLetter & { claim: ClaimParts & { orderId: string } }): Promise<Decision> {
      const { orderId, storeId, userId, requestId } = claim;
      const violations = claimViolations(claim);
      if (!isOrderId(orderId) || violations.some(({ field }) => !field.startsWith('lines'))) {
        await deadLetterAdd(letter);
        return { orderId, kind: 'REFUSED', refusal: { reason: 'UNPROCESSABLE', skuId: '' }, recorded: false };
      }
      const lines = violations.length === 0 ? canonicalLines(claim.lines) : [];
      const hash = violations.length === 0 ? linesHash(lines) : sha256(JSON.stringify(claim.lines));
      const values = [
        ...[orderId, storeId, userId, requestId, hash],
        lines.map((line) => line.skuId),
        lines.map((line) => line.attendeeId),
        lines.map((line) => line.quantity),
        ...[letter.subject, Buffer.from(letter.payload), withoutNul(letter.error)],
      ];
      const [row] = await retryConflicts(() => pool.query<OrderRow & { lines_hash: Buffer }>(bury, values), ATTEMPTS);
      if (!row) throw new Error('claim_bury gave no row');
      if (!hash.equals(row.lines_hash)) return { orderId, kind: 'FAULT', reason: 'REQUEST_ID_REUSED', metadata: {} };
      return decisionOf(toOrder(row));
    },
  };
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** The database takes no NUL in a text. */
function withoutNul(text: string): string {
  return text.replaceAll('\0', '\uFFFD');
}
