import type { BatchQueueOptions } from '#libs/lane/batch-queue.js';
import { Fault } from '#libs/refusal/fault.js';
import type { Placement } from './placement.js';

/** Lines in a batch at most. */
export const MAX_LINES = 500;
const answered = new Fault('TOO_LATE', 'the caller was answered meanwhile');

/** How placements wait in a lane: batches end at 500 lines, stores take turns, and whoever was answered goes no further. */
export const placementQueue: BatchQueueOptions<Placement> = {
  maxBatch: MAX_LINES,
  maxWeight: MAX_LINES,
  weigh: (placement) => placement.claim.lines.length,
  keyOf: (placement) => placement.claim.storeId,
  droppedIf: (placement) => (placement.answered ? answered : undefined),
};
