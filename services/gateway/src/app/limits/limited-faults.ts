import { Fault } from '#libs/refusal/fault.js';
import { toStatus } from '#libs/rpc/status.js';
import type { Metrics } from '#libs/runtime/metrics.js';
import type { Limited } from '../ports.js';
import { RecentMap } from './recent-map.js';

/** Faults that are kept ready. A crowd at one sku is told one of at most some thousand different times. */
const keptMax = 5_000;

/** What says no: a bucket, or the room. */
export type LimitName = Limited['limit'] | 'IN_FLIGHT';

type Status = ReturnType<typeof toStatus>;

const statuses = new WeakMap<Fault, Status>();

/**
 * Makes the fault of whoever is refused by a limit, and counts it. All who are told the same, which is the same limit to
 * the millisecond, get the same fault: refusing must be cheapest when it happens most. It names nobody.
 */
export class LimitedFaults {
  readonly #faults = new RecentMap<string, Fault>(keptMax);
  readonly #counters: Record<LimitName, { inc(): void }>;

  constructor(metrics: Pick<Metrics, 'counter'>) {
    const counter = metrics.counter('limited_total', 'Requests refused with RATE_LIMITED, by the limit that said so.', [
      'limit',
    ]);
    this.#counters = {
      STORE_SKU: counter.labels({ limit: 'STORE_SKU' }),
      USER: counter.labels({ limit: 'USER' }),
      CALLER: counter.labels({ limit: 'CALLER' }),
      IN_FLIGHT: counter.labels({ limit: 'IN_FLIGHT' }),
    };
  }

  /** One request was refused. `faultOf` counts by itself; this is for the room's own fault. */
  count(limit: LimitName): void {
    this.#counters[limit].inc();
  }

  /** The fault of one refusal. `storeId` is told with STORE_SKU. */
  faultOf(limited: Limited, storeId = ''): Fault {
    this.count(limited.limit);
    const { limit, skuId = '', perSecond, burst } = limited;
    const retryAfterMs = Math.max(1, Math.ceil(limited.retryAfterMs));
    // Ids have no spaces.
    const key = `${limit} ${retryAfterMs} ${perSecond} ${burst} ${storeId} ${skuId}`;
    let fault = this.#faults.get(key);
    if (fault === undefined) {
      fault = newFault({ ...limited, retryAfterMs }, storeId);
      this.#faults.set(key, fault);
    }
    return fault;
  }
}

/** The status of a fault that many share, made once. */
export function sharedStatus(fault: Fault): Status {
  let status = statuses.get(fault);
  if (status === undefined) {
    status = toStatus(fault);
    statuses.set(fault, status);
  }
  return status;
}

function newFault({ limit, skuId, perSecond, burst, retryAfterMs }: Limited, storeId: string): Fault {
  const of = limit === 'STORE_SKU' ? `sku ${skuId}` : limit === 'USER' ? 'the user' : 'the caller';
  const metadata = {
    limit,
    ...(limit === 'STORE_SKU' && { store: storeId, sku: skuId ?? '' }),
    rate: String(perSecond),
    burst: String(burst),
    remaining: '0',
    // When one is let through it has one token: so long after that it is full again, if nobody comes.
    reset_ms: String(Math.ceil(retryAfterMs + ((burst - 1) * 1_000) / perSecond)),
  };
  return new Fault('RATE_LIMITED', `Too many requests of ${of}: at most ${perSecond} per second`, {
    metadata,
    retryAfterMs,
  });
}
