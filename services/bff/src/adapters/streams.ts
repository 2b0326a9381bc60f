import type { FastifyReply, FastifyRequest } from 'fastify';
import { Fault } from '#libs/refusal/fault.js';
import type { Metrics } from '#libs/runtime/metrics.js';
import type { Join } from '../app/feed.js';
import { type StreamOwner, StreamRoom } from '../app/stream-room.js';
import { Visit } from './visit.js';

/** What is listened to, by whom. */
export interface Topic {
  /** The name of its events. */
  event: 'order' | 'entry' | 'place' | 'availability';
  owner: StreamOwner;
  join: Join;
}

export interface StreamsOptions {
  streamsMax: number;
  streamsPerUser: number;
  streamsPerAddress: number;
  streamHeartbeatMs: number;
  streamLifetimeMs: number;
  /** How long the first word may take. */
  deadlineMs: number;
  metrics: Metrics;
}

/** The streams of this process: how many there may be, how long each lasts, and their end. */
export class Streams {
  readonly #options: StreamsOptions;
  readonly #room: StreamRoom;
  readonly #visits = new Set<Visit>();
  readonly #dropped: (event: string) => void;
  #isClosing = false;

  constructor(options: StreamsOptions) {
    this.#options = options;
    const { streamsMax: max, streamsPerUser: maxOfUser, streamsPerAddress: maxOfAddress, metrics } = options;
    const refused = metrics.counter('streams_refused_total', 'Streams that were over a limit.', ['limit']);
    this.#room = new StreamRoom({ max, maxOfUser, maxOfAddress, refused: (limit) => refused.labels({ limit }).inc() });
    const dropped = metrics.counter('streams_dropped_total', 'Streams whose readers were too slow.', ['event']);
    this.#dropped = (event) => dropped.labels({ event }).inc();
    metrics.gauge('streams_open', 'Streams that somebody reads.', [], (gauge) => gauge.set(this.#room.count));
  }

  /**
   * Answers with a stream: the state of today unless the reader has seen it, then each change, until the last word, the end of its
   * life or of this process. 204 when the reader has seen the last word. Rejects with what stands in the way of the first word.
   */
  serve(request: FastifyRequest, reply: FastifyReply, { event, owner, join }: Topic): Promise<FastifyReply> {
    if (this.#isClosing) throw closing();
    const leaveRoom = this.#room.enter(owner);
    const { streamHeartbeatMs: heartbeatMs, streamLifetimeMs: lifetimeMs, deadlineMs } = this.#options;
    const over = (isDropped: boolean): void => {
      this.#visits.delete(visit);
      leaveRoom();
      if (isDropped) this.#dropped(event);
    };
    const visit = new Visit({ request, reply, heartbeatMs, lifetimeMs, deadlineMs, over });
    this.#visits.add(visit);
    return visit.begin(join);
  }

  /** Ends all streams and tells their readers to come back, each at a moment of its own. */
  close(): void {
    this.#isClosing = true;
    for (const visit of [...this.#visits]) visit.sendAway(closing());
  }
}

function closing(): Fault {
  return new Fault('UNAVAILABLE', 'This process is closing');
}
