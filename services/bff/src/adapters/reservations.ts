import {
  ReservationServiceDefinition,
  type ReserveRequest,
  type ReserveResponse,
  type ReserveStreamItem,
  type ReserveStreamRequest,
  type ReserveStreamResponse,
  type ReserveStreamResult,
} from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import { Fault } from '#libs/refusal/fault.js';
import { BatchCaller } from '#libs/rpc/batch-caller.js';
import { fromStatus } from '#libs/rpc/status.js';
import type { GatewayOptions } from './gateway.js';

/** Reservations of users, whom the items of the stream name. */
export interface Reservations {
  /** The same user and request id may be sent again and again: they are the same order. Rejects with Faults. */
  reserve(userId: string, request: ReserveRequest): Promise<ReserveResponse>;
  /** Whether any gateway takes them. */
  isReachable(): boolean;
  close(): void;
}

/** A gateway that breaks off says nothing of the outcome: the item is sent again, to another one, so many times in all. */
const triesMax = 4;

/** One batched stream to each gateway. */
export function openReservations(options: GatewayOptions): Reservations {
  const { target, deadlineMs, maxInFlight, ownMetadata, logger, metrics } = options;
  const stream = new BatchCaller<ReserveStreamItem, ReserveStreamResult, ReserveStreamRequest, ReserveStreamResponse>({
    service: ReservationServiceDefinition,
    method: ReservationServiceDefinition.methods.reserveStream,
    target,
    wrap: (items) => ({ items }),
    results: ({ results }) => results,
    keyOf: ({ request }) => request?.storeId ?? '',
    metadata: ownMetadata,
    maxWaiting: maxInFlight,
    logger,
    metrics,
  });
  return {
    async reserve(userId, request) {
      const giveUpAt = performance.now() + deadlineMs;
      for (let tries = 1; ; tries += 1) {
        try {
          return responseOf(await stream.call({ userId, request }, giveUpAt - performance.now()));
        } catch (thrown) {
          const isUnknown = thrown instanceof Fault && thrown.reason === 'UNAVAILABLE';
          if (!isUnknown || tries === triesMax || performance.now() >= giveUpAt) throw thrown;
        }
      }
    },
    isReachable: () => stream.openPeers > 0,
    close: () => stream.close(),
  };
}

function responseOf({ result }: ReserveStreamResult): ReserveResponse {
  if (result?.$case === 'response') return result.value;
  throw result ? fromStatus(result.value) : new Fault('INTERNAL', 'The gateway gave a result that is not known here');
}
