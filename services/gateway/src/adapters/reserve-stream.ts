import {
  ReservationServiceDefinition,
  type ReserveRequest,
  type ReserveStreamItem,
  type ReserveStreamRequest,
  type ReserveStreamResponse,
  type ReserveStreamResult,
} from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import { Fault } from '#libs/refusal/fault.js';
import { BatchResponder } from '#libs/rpc/batch-responder.js';
import { pathOf } from '#libs/rpc/definition.js';
import type { BidiHandler } from '#libs/rpc/service.js';
import { endServed, itemSpan } from '#libs/rpc/spans.js';
import type { Metrics } from '#libs/runtime/metrics.js';
import type { AccessLog } from '../app/access-log.js';
import type { Answer } from '../app/answer.js';
import type { CallLimits } from '../app/limits/call-limits.js';
import { sharedStatus } from '../app/limits/limited-faults.js';
import type { Reserve } from '../app/reserve.js';
import { callerOf, principalOf } from './identity.js';

const expired = new Fault('TOKEN_EXPIRED', 'The time of the token is over');
const path = pathOf(ReservationServiceDefinition, ReservationServiceDefinition.methods.reserveStream);
const nothing: ReserveRequest = { storeId: '', lines: [], requestId: '' };

export interface StreamParts {
  count: (answer: Answer) => void;
  callLimits: CallLimits;
  metrics: Metrics;
  accesses: Pick<AccessLog, 'note'>;
}

/**
 * Reservations in batches; each pays for itself, and is answered as soon as it is known, together with all that fall in the same tick.
 * Once the token that opened the stream has expired, what comes is refused; what came before is answered.
 */
export function reserveStream(
  reserve: Reserve,
  { count, callLimits, metrics, accesses }: StreamParts,
): BidiHandler<ReserveStreamRequest, ReserveStreamResponse> {
  return (stream, call) => {
    const caller = callerOf(call);
    const { endsAtMs = Number.POSITIVE_INFINITY } = principalOf(call);
    const responder = new BatchResponder<
      ReserveStreamItem,
      ReserveStreamResult,
      ReserveStreamRequest,
      ReserveStreamResponse
    >({
      stream,
      name: 'ReserveStream',
      items: ({ items }) => items,
      wrap: (results) => ({ results }),
      onItems: (items) => {
        for (const item of items) {
          const span = item.traceparent === undefined ? undefined : itemSpan(path, item.traceparent);
          if (span === undefined) void answer(item);
          else void span.within(() => answer(item)).then((result) => endServed(span, codeOf(result)));
        }
      },
      metrics,
    });
    const answer = async ({ itemId, userId, remainingMs, request = nothing }: ReserveStreamItem): Promise<Answer> => {
      const startedAt = performance.now();
      const no = Date.now() < endsAtMs ? callLimits.spendCaller(caller) : expired;
      const fault = no && (await no);
      const result =
        fault === undefined ? await reserve(userId, request, remainingMs || Number.POSITIVE_INFINITY) : faulty(fault);
      count(result);
      accesses.note(userId, request, result, startedAt);
      responder.add({ itemId, result });
      return result;
    };
  };
}

function codeOf(answer: Answer): number {
  return answer.$case === 'error' ? answer.value.code : 0;
}

function faulty(fault: Fault): Answer {
  return { $case: 'error', value: sharedStatus(fault) };
}
