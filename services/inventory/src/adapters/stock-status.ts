import {
  BreakerState,
  OrderPathInUse,
  StockPathInUse,
  type StockStatus,
} from '#libs/contracts/gen/holdfast/status/v1/instance.js';
import { withinDeadline } from '#libs/runtime/within-deadline.js';
import { measureJournal } from '../app/measure-journal.js';
import type { PlaceHolds } from '../app/place-holds.js';
import type { Breaker, Gate } from '../app/ports.js';

/** A journal that cannot be read within this is told of as one that does not answer. */
const JOURNAL_MS = 400;
const UNKNOWN = -1;

export interface StockStatusParts {
  placeHolds: Pick<PlaceHolds, 'stats'>;
  /** Absent: there is no Redis. */
  gate: Gate | undefined;
  shards: number;
}

/** How orders go through this process. Redis is waited for a moment only. */
export async function readStockStatus({ placeHolds, gate, shards }: StockStatusParts): Promise<StockStatus> {
  const journal = gate ? await journalOf(gate, shards) : { size: 0, oldestMs: 0 };
  const { paths, breakers, inFlight, parked, undecided } = placeHolds.stats();
  return {
    stockPath: StockPathInUse[`STOCK_PATH_IN_USE_${paths.stock}`],
    orderPath: OrderPathInUse[`ORDER_PATH_IN_USE_${paths.order}`],
    gateBreaker: breakerState(breakers.gate),
    streamBreaker: breakerState(breakers.stream),
    journalSize: journal.size,
    journalOldestMs: journal.oldestMs,
    ...{ inFlight, parked, undecided },
  };
}

async function journalOf(gate: Gate, shards: number): Promise<{ size: number; oldestMs: number }> {
  try {
    return await withinDeadline(measureJournal(gate, shards), JOURNAL_MS, () => new Error('no answer in time'));
  } catch {
    return { size: UNKNOWN, oldestMs: UNKNOWN };
  }
}

function breakerState(state: Breaker['state'] | undefined): BreakerState {
  return state ? BreakerState[`BREAKER_STATE_${state}`] : BreakerState.BREAKER_STATE_UNSPECIFIED;
}
