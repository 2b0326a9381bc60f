import { type AccessRecord, AccessServiceDefinition } from '#libs/contracts/gen/holdfast/order/v1/access_service.js';
import { OrderState, RefusalReason } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import { connect } from '#libs/rpc/client.js';
import { fromStatus } from '#libs/rpc/status.js';
import type { Target } from '#libs/rpc/target.js';
import type { Logger } from '#libs/runtime/logger.js';
import type { Metrics } from '#libs/runtime/metrics.js';
import { Trouble } from '#libs/runtime/trouble.js';
import { type Access, AccessLog } from '../app/access-log.js';
import type { Answer } from '../app/answer.js';

const deadlineMs = 2_000;
const idMax = 128;
const requestIdMax = 255;
const skusMax = 20;

export interface AccessOptions {
  orderTarget: Target;
  instance: string;
  /** Yeses that may wait, and how much else is kept in a second. */
  bufferMax: number;
  sampledMax: number;
  logger: Logger;
  metrics: Metrics;
}

/** Notes answers, and gives them to the order service in batches. */
export function openAccessLog(options: AccessOptions): Pick<AccessLog, 'note' | 'close'> {
  const { orderTarget, instance, logger, metrics } = options;
  const client = connect(AccessServiceDefinition, orderTarget, { defaultDeadlineMs: deadlineMs });
  const lost = metrics.counter('access_records_lost_total', 'Answers of which no record was kept', ['why']);
  const trouble = new Trouble({ logger, wrong: 'answers are not recorded', well: 'answers are recorded again' });
  const log = new AccessLog({
    ...options,
    async record(batch) {
      try {
        await client.recordAccess({ instance, records: batch.map(toRecord) });
        trouble.well();
      } catch (error) {
        trouble.wrong({ err: error });
        throw error;
      }
    },
    lost: (count, why) => lost.inc({ why }, count),
  });
  return {
    note: (...noted) => log.note(...noted),
    async close() {
      await log.close();
      client.close();
    },
  };
}

function toRecord({ at, tookMs, userId, request, answer, weight }: Access): AccessRecord {
  return {
    at,
    tookMs,
    weight,
    storeId: plain(request.storeId, idMax),
    userId: plain(userId, idMax),
    skuIds: [...new Set(request.lines.slice(0, skusMax).map(({ skuId }) => plain(skuId, idMax)))],
    requestId: plain(request.requestId, requestIdMax),
    answer: wordOf(answer),
    isReplay: answer.$case === 'response' && answer.isReplay === true,
  };
}

/** Requests that were refused for their form are recorded, too. */
function plain(text: string, max: number): string {
  return text.slice(0, max).replace(/[^\x21-\x7e]/g, '?');
}

/** What the answer was, in a word. */
function wordOf(answer: Answer): string {
  if (answer.$case === 'error') return fromStatus(answer.value).reason;
  const { outcome } = answer.value;
  switch (outcome?.$case) {
    case 'held': {
      const { state = OrderState.ORDER_STATE_UNSPECIFIED } = outcome.value.order ?? {};
      return (OrderState[state] ?? String(state)).replace('ORDER_STATE_', '');
    }
    case 'refused': {
      const { reason = RefusalReason.REFUSAL_REASON_UNSPECIFIED } = outcome.value.refusal ?? {};
      return (RefusalReason[reason] ?? String(reason)).replace('REFUSAL_REASON_', '');
    }
    default:
      return outcome?.$case.toUpperCase() ?? 'NOTHING';
  }
}
