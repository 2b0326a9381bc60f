import type { FastifyReply, FastifyRequest } from 'fastify';
import { Fault } from '#libs/refusal/fault.js';
import type { Join, Listener, Told } from '../app/feed.js';
import { EventStream, streamHeaders } from './event-stream.js';

export interface VisitOptions {
  request: FastifyRequest;
  reply: FastifyReply;
  heartbeatMs: number;
  lifetimeMs: number;
  /** How long the first word may take. */
  deadlineMs: number;
  /** It is over, once: the reader is answered or gone. */
  over: (isDropped: boolean) => void;
}

/** When a reader shall come back whose connection broke. */
const retryMs = 2_000;

/**
 * One reader of a feed. It waits for the first word, which decides what the answer is: a stream, 204 when the reader has seen the
 * last word, or a problem. From then on it passes on what it hears, until the feed, its life, the token, the reader or the process ends it.
 */
export class Visit implements Listener {
  readonly #options: VisitOptions;
  readonly #answered: Promise<FastifyReply>;
  #resolve: (reply: FastifyReply) => void = () => undefined;
  #reject: (fault: Fault) => void = () => undefined;
  #leaveFeed: () => void = () => undefined;
  #stream: EventStream | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(options: VisitOptions) {
    this.#options = options;
    this.#answered = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Resolves when the answer has begun, or need not; rejects when there is none. */
  begin(join: Join): Promise<FastifyReply> {
    const { reply, deadlineMs } = this.#options;
    reply.raw.once('close', this.#left);
    this.#timer = setTimeout(() => this.sendAway(new Fault('TOO_LATE', 'Nothing was heard in time')), deadlineMs);
    const leaveFeed = join(this);
    if (this.#isOver) leaveFeed();
    else this.#leaveFeed = leaveFeed;
    return this.#answered;
  }

  heard(told: Told): void {
    if (this.#isOver) return;
    if (this.#stream === undefined) this.#answer(told);
    else this.#stream.send(told.frame);
  }

  /** After the last word there is no hurry, and no crowd: the reader comes back once, to hear that it is over. */
  ended(fault: Fault | undefined): void {
    if (fault === undefined) this.#stream?.end();
    else this.sendAway(fault);
  }

  /** Ends the stream, so that the reader comes back; whoever still waits for the first word is told the fault. */
  sendAway(fault: Fault): void {
    if (this.#isOver) return;
    if (this.#stream === undefined) {
      this.#finish(false);
      this.#reject(fault);
    } else {
      this.#leaveFeed();
      this.#stream.end(comeBackMs());
    }
  }

  #answer(told: Told): void {
    const { request, reply } = this.#options;
    const isSeen = request.headers['last-event-id'] === told.id;
    if (told.isLast && isSeen) {
      this.#finish(false);
      this.#resolve(reply.code(204).header('cache-control', 'no-store').send());
    } else if (request.method === 'HEAD') {
      this.#finish(false);
      this.#resolve(reply.headers(streamHeaders).send());
    } else {
      this.#open(isSeen ? undefined : told);
      this.#resolve(reply);
    }
  }

  #open(told: Told | undefined): void {
    const { request, reply, heartbeatMs, lifetimeMs } = this.#options;
    clearTimeout(this.#timer);
    reply.raw.removeListener('close', this.#left);
    this.#stream = new EventStream(reply, { heartbeatMs, retryMs, closed: (isDropped) => this.#finish(isDropped) });
    if (told !== undefined) this.#stream.send(told.frame);
    // Those who came in one instant shall not come back in one.
    const spreadMs = lifetimeMs * (0.8 + 0.2 * Math.random());
    const { endsAtMs = Number.POSITIVE_INFINITY } = request.principal ?? {};
    const ownLifetimeMs = Math.min(spreadMs, endsAtMs - Date.now());
    this.#timer = setTimeout(() => this.sendAway(new Fault('TOO_LATE', 'The stream was long enough')), ownLifetimeMs);
  }

  /** The reader is gone before there was anything to tell. */
  readonly #left = (): void => {
    const { reply } = this.#options;
    this.#finish(false);
    reply.hijack();
    this.#resolve(reply);
  };

  #finish(isDropped: boolean): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#options.reply.raw.removeListener('close', this.#left);
    this.#leaveFeed();
    this.#options.over(isDropped);
  }
}

function comeBackMs(): number {
  return 1_000 + 4_000 * Math.random();
}
