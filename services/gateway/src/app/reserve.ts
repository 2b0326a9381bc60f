import { setTimeout as pause } from 'node:timers/promises';
import { OnBusy } from '#libs/contracts/gen/holdfast/inventory/v1/sku.js';
import type { ReserveRequest } from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import { orderId, shardOfStore } from '#libs/contracts/order-id.js';
import { canonicalLines, linesHash } from '#libs/contracts/order-lines.js';
import { Fault } from '#libs/refusal/fault.js';
import { invalidRequest } from '../domain/fields.js';
import { validateReserve } from '../domain/validate-reserve.js';
import { type Answer, failed, told } from './answer.js';
import type { IssuedRequestIds } from './issued-request-ids.js';
import { type LimitedFaults, sharedStatus } from './limits/limited-faults.js';
import { nextOwner } from './marks.js';
import { Once, type OnceOptions, type Verb } from './once.js';
import type { Beginning, Hold, SkuLimit } from './ports.js';

/** Past this many milliseconds an attempt has no effect any more. */
const notAfterMs = 3_000;
/** The part of the waiting that an attempt may use; the rest is for its answer to come back. */
export const attemptShare = 0.9;
const waitMaxMs = notAfterMs / attemptShare;

/** Who says the limits of a sku is who would place the order: it is worth the same waiting. */
const askAgainMs = 100;
const limitsNotKnown = new Fault('UNAVAILABLE', 'The limits of the sku are not known yet: send the same request again');

const mayNotForce = new Fault('PERMISSION_DENIED', 'Only staff of the store may pass over what one person may have', {
  metadata: { field: 'force_reason' },
});

/** Never rejects. `remainingMs` is what the caller will wait; the outcome of one user's request_id is the same for ever. */
export type Reserve = (
  userId: string,
  request: ReserveRequest,
  remainingMs: number,
  /** Staff who book it for the user. */
  staffId?: string,
) => Promise<Answer>;

export interface ReserveOptions extends Omit<OnceOptions<Hold, Answer>, 'verb'> {
  placeOrder: Verb<Hold, Answer>['carryOut'];
  replay: Verb<Hold, Answer>['replay'];
  /** What holds for each of the skus, in their order; undefined when that is not known. */
  limitsOf: (
    storeId: string,
    skuIds: readonly string[],
  ) => readonly SkuLimit[] | Promise<readonly SkuLimit[] | undefined>;
  issuedRequestIds: Pick<IssuedRequestIds, 'mayUse'>;
  shards: number;
  limitedFaults: LimitedFaults;
}

/**
 * One reservation: checked, given its id and its limits, then carried out once for that id. If this process dies here, the
 * caller's own retry finds the order.
 */
export function createReserve(options: ReserveOptions): { reserve: Reserve; close(): void } {
  const { limitsOf, issuedRequestIds, shards } = options;
  const once = new Once({ ...options, verb: verbOf(options) });
  return { reserve, close: () => once.close() };

  function reserve(userId: string, request: ReserveRequest, remainingMs: number, staffId?: string): Promise<Answer> {
    const fault = faultIn(userId, request, staffId);
    if (fault !== undefined) return Promise.resolve(failed(fault));
    const giveUpAt = performance.now() + Math.min(waitMaxMs, remainingMs);
    const hold = holdOf(userId, request, staffId);
    const limits = limitsOf(request.storeId, skusOf(hold));
    return 'then' in limits ? beginOnceKnown(limits) : begin(hold, request, limits, giveUpAt);

    async function beginOnceKnown(asked: ReturnType<ReserveOptions['limitsOf']>): Promise<Answer> {
      let known = await asked;
      while (known === undefined && performance.now() + askAgainMs < giveUpAt) {
        await pause(askAgainMs);
        known = await limitsOf(request.storeId, skusOf(hold));
      }
      if (known === undefined) return { $case: 'error', value: sharedStatus(limitsNotKnown) };
      return begin(hold, request, known, giveUpAt);
    }
  }

  function begin(
    hold: Hold,
    { onBusy }: ReserveRequest,
    limits: readonly SkuLimit[],
    giveUpAt: number,
  ): Promise<Answer> {
    const { orderId: markId, storeId, userId, lines } = hold;
    const change: Beginning = {
      markId,
      shard: shardOfStore(storeId, shards),
      fingerprint: linesHash(canonicalLines(lines)).toString('base64'),
      owner: nextOwner(),
      userId,
      storeId,
      skus: limitsAsked(limits, onBusy),
      knownOnly: !mayBegin(hold, limits),
    };
    return once.run(hold, change, giveUpAt);
  }

  /** What an id that was not issued began before its store asked for issued ones, or before it was over, is still told. */
  function mayBegin({ requestId, userId, storeId }: Hold, limits: readonly SkuLimit[]): boolean {
    if (!limits.some(({ issuedOnly }) => issuedOnly)) return true;
    return issuedRequestIds.mayUse(requestId, { userId, storeId, skuIds: limits.map(({ skuId }) => skuId) });
  }
}

function verbOf({ placeOrder, replay, limitedFaults }: ReserveOptions): Verb<Hold, Answer> {
  return {
    makesOrders: true,
    carryOut: placeOrder,
    replay,
    fail: (fault) => {
      if (fault.reason !== 'RATE_LIMITED') return failed(fault);
      // The room's, the same for all that it turns away.
      limitedFaults.count('IN_FLIGHT');
      return { $case: 'error', value: sharedStatus(fault) };
    },
    again: (answer) => (answer.$case === 'response' ? { ...answer, isReplay: true } : answer),
    queue: ({ skuId, peopleAhead, retryAfterMs }) =>
      told({ $case: 'queued', value: { skuId, peopleAhead, retryAfterMs: Math.ceil(retryAfterMs) } }),
    limit: ({ storeId }, limited) => ({
      $case: 'error',
      value: sharedStatus(limitedFaults.faultOf(limited, storeId)),
    }),
  };
}

function faultIn(userId: string, request: ReserveRequest, staffId: string | undefined): Fault | undefined {
  if (request.forceReason && staffId === undefined) return mayNotForce;
  const violations = validateReserve(userId, request);
  return violations.length > 0 ? invalidRequest(violations) : undefined;
}

function holdOf(userId: string, request: ReserveRequest, staffId: string | undefined): Hold {
  const { storeId, requestId, lines, onSoldOut, forceReason } = request;
  return {
    orderId: orderId(storeId, userId, requestId),
    storeId,
    userId,
    requestId,
    lines: lines.map(({ skuId, quantity, attendeeId }) => {
      return { skuId, quantity, attendeeId: attendeeId === '' ? userId : attendeeId, unitPriceMinor: 0 };
    }),
    firstForMs: undefined,
    onSoldOut,
    bookedBy: staffId === undefined ? undefined : { staffId, forceReason: forceReason ?? '' },
  };
}

function skusOf({ lines: [first, ...others] }: Hold): string[] {
  if (first === undefined) return [];
  return others.length === 0 ? [first.skuId] : [...new Set([first.skuId, ...others.map(({ skuId }) => skuId)])];
}

/** The request's own word on what to do beyond a limit goes before the sku's. */
function limitsAsked(limits: readonly SkuLimit[], onBusy: OnBusy | undefined): readonly SkuLimit[] {
  if (onBusy === OnBusy.ON_BUSY_FAIL) return limits.map((limit) => ({ ...limit, onBusy: 'FAIL' }));
  if (onBusy === OnBusy.ON_BUSY_QUEUE) return limits.map((limit) => ({ ...limit, onBusy: 'QUEUE' }));
  return limits;
}
