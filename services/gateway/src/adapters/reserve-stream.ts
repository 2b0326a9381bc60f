import type {
  ReserveRequest,
  ReserveStreamItem,
  ReserveStreamRequest,
  ReserveStreamResponse,
  ReserveStreamResult,
} from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import { BatchResponder } from '#libs/rpc/batch-responder.js';
import type { BidiHandler } from '#libs/rpc/service.js';
import type { Metrics } from '#libs/runtime/metrics.js';
import type { Answer } from '../app/answer.js';
import type { Reserve } from '../app/reserve.js';

const nothing: ReserveRequest = { storeId: '', lines: [], requestId: '' };

/** Reservations in batches; each is answered as soon as it is known, together with all that fall in the same tick. */
export function reserveStream(
  reserve: Reserve,
  { count, metrics }: { count: (answer: Answer) => void; metrics: Metrics },
): BidiHandler<ReserveStreamRequest, ReserveStreamResponse> {
  return (stream) => {
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
        for (const item of items) void answer(item);
      },
      metrics,
    });
    const answer = async ({ itemId, userId, remainingMs, request = nothing }: ReserveStreamItem): Promise<void> => {
      const result = await reserve(userId, request, remainingMs || Number.POSITIVE_INFINITY);
      count(result);
      responder.add({ itemId, result });
    };
  };
}
