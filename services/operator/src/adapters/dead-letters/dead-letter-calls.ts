import { randomUUID } from 'node:crypto';
import {
  type DeadLetter as DeadLetterMessage,
  DeadLetterServiceDefinition,
} from '#libs/contracts/gen/holdfast/control/v1/dead_letter_service.js';
import { Fault } from '#libs/refusal/fault.js';
import type { DeadLetters } from '../../app/ports.js';
import type { DeadLetter } from '../../domain/dead-letter.js';
import { toStoryOrder } from '../stories/story-calls.js';
import type { Wire } from '../wire.js';

/** Dead letters as the gateway tells them. */
export function deadLetterCalls({ connect, options }: Wire): DeadLetters {
  const service = connect(DeadLetterServiceDefinition);
  return {
    async listDeadLetters(withResolved, pageSize, pageToken) {
      const { deadLetters, nextPageToken } = await service.listDeadLetters(
        { withResolved, pageSize, pageToken },
        options,
      );
      return { items: deadLetters, nextPageToken };
    },
    async getDeadLetter(deadLetterId) {
      return sure((await service.getDeadLetter({ deadLetterId }, options)).deadLetter);
    },
    async replayDeadLetter(deadLetterId, reason) {
      const request = { deadLetterId, reason, requestId: randomUUID() };
      const { deadLetter, order } = await service.replayDeadLetter(request, options);
      return { letter: sure(deadLetter), ...(order && { order: toStoryOrder(order) }) };
    },
    async discardDeadLetter(deadLetterId, reason) {
      const request = { deadLetterId, reason, requestId: randomUUID() };
      return sure((await service.discardDeadLetter(request, options)).deadLetter);
    },
  };
}

function sure(letter: DeadLetterMessage | undefined): DeadLetter {
  if (letter === undefined) throw new Fault('INTERNAL', 'the gateway answered without the letter');
  return letter;
}
