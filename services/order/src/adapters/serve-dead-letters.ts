import {
  type DeadLetter,
  DeadLetterServiceDefinition,
} from '#libs/contracts/gen/holdfast/control/v1/dead_letter_service.js';
import { toOrderMessage } from '#libs/contracts/order-messages.js';
import { changeViolations } from '#libs/ledger/control-violations.js';
import type { KeptLetter, LetterResolution } from '#libs/ledger/dead-letter-desk.js';
import type { Ledger } from '#libs/ledger/ledger.js';
import { actorNameOf } from '#libs/rpc/actor.js';
import type { CallContext } from '#libs/rpc/call-context.js';
import { implement, type ServiceImplementation } from '#libs/rpc/service.js';
import { replayLetter } from '../app/see-to-letters.js';
import { readLetter } from './claims-message.js';
import { failureOf } from './failure.js';
import { RequestCheck } from './requests.js';

export interface DeadLetterOptions {
  readonly ledger: Ledger;
  /** Hears of orders whose state this process changed. */
  readonly changed: (orderIds: readonly string[]) => void;
}

/** The DeadLetterService on the wire. */
export function deadLetterService({ ledger, changed }: DeadLetterOptions): ServiceImplementation {
  const ports = { ledger, failureOf, changed, claimIn: (payload: Uint8Array) => readLetter(payload).claim };
  return implement(DeadLetterServiceDefinition, {
    async listDeadLetters({ withResolved, pageSize, pageToken }) {
      const { letters, nextPageToken } = await ledger.deadLettersList({ withResolved }, { pageSize, pageToken });
      return { deadLetters: letters.map((letter) => toLetterMessage(letter)), nextPageToken };
    },

    async getDeadLetter({ deadLetterId }) {
      namedLetter(deadLetterId).done();
      const { payload, ...letter } = await ledger.deadLetterGet(deadLetterId);
      return { deadLetter: toLetterMessage(letter, payload) };
    },

    async replayDeadLetter(request, call) {
      const { letter, order } = await replayLetter(ports, resolutionOf(request, call));
      return { deadLetter: toLetterMessage(letter), order: toOrderMessage(order) };
    },

    async discardDeadLetter(request, call) {
      return { deadLetter: toLetterMessage(await ledger.deadLetterDiscard(resolutionOf(request, call))) };
    },
  });
}

function namedLetter(deadLetterId: number): RequestCheck {
  return new RequestCheck().that(deadLetterId > 0, 'dead_letter_id', 'must name a letter');
}

function resolutionOf(
  { deadLetterId, reason, requestId }: { deadLetterId: number; reason: string; requestId: string },
  call: CallContext,
): LetterResolution {
  const by = actorNameOf(call);
  namedLetter(deadLetterId).also(changeViolations({ reason, requestId })).done();
  return { letterId: deadLetterId, by, reason, requestId };
}

function toLetterMessage({ resolved, ...letter }: KeptLetter, payload: Uint8Array = new Uint8Array()): DeadLetter {
  return {
    deadLetterId: letter.letterId,
    orderId: letter.orderId ?? '',
    subject: letter.subject,
    error: letter.error,
    at: letter.at,
    payload: Buffer.from(payload),
    payloadJson: payload.length > 0 ? readLetter(payload).json : '',
    resolvedAt: resolved?.at,
    resolvedBy: resolved?.by ?? '',
    resolution: resolved ? `${resolved.as}: ${resolved.reason}` : '',
  };
}
