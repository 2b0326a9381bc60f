import { claimStreams } from '../claim-streams.js';
import type { Drill } from '../drill.js';
import type { Stage } from '../stage.js';

/** As the order service makes them. */
const ROOM_BYTES = 16 * 1024 * 1024;

export const natsStreamFull: Drill = {
  name: 'nats-stream-full',
  about: 'every stream of claims is full and takes no more',
  recovery: 'streams have room again',
  fault: (stage) => bound(stage, 1),
  heal: (stage) => bound(stage, ROOM_BYTES),
};

async function bound(stage: Stage, maxBytes: number): Promise<void> {
  for (const name of claimStreams) await stage.streams.streams.update(name, { max_bytes: maxBytes });
}
