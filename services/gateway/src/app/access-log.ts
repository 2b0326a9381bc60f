import type { ReserveRequest } from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import { Reservoir } from '../domain/reservoir.js';
import type { Answer } from './answer.js';

/** Records go so often, and so many yeses at a time. */
const flushMs = 1_000;
const batchMax = 1_000;

/** One reservation that was answered. */
export interface Access {
  /** When it came, and after how many ms it was answered. */
  readonly at: Date;
  readonly tookMs: number;
  readonly userId: string;
  readonly request: ReserveRequest;
  readonly answer: Answer;
  /** For how many of its kind it stands. */
  weight: number;
}

export interface AccessLogOptions {
  /** Keeps a batch. */
  readonly record: (batch: readonly Access[]) => Promise<void>;
  /** Yeses that may wait to be recorded. */
  readonly bufferMax: number;
  /** Of all else so many are kept in a second. */
  readonly sampledMax: number;
  /** So many are lost: there was no room for them, or nobody recorded them. */
  readonly lost: (count: number, why: 'full' | 'unrecorded') => void;
}

/**
 * What was answered to whom, kept in batches. Noting costs an answer nothing but a push; what finds no room, or nobody to keep
 * it, is lost and counted. Every yes is kept; of refusals, places in line, faults and what was told before, an even sample.
 */
export class AccessLog {
  readonly #options: AccessLogOptions;
  readonly #sample: Reservoir<Access>;
  readonly #timer: NodeJS.Timeout;
  #yeses: Access[] = [];
  #sending: Promise<void> | undefined;

  constructor(options: AccessLogOptions) {
    this.#options = options;
    this.#sample = new Reservoir(options.sampledMax);
    this.#timer = setInterval(() => this.#flush(true), flushMs);
    this.#timer.unref();
  }

  /** Notes an answer to a request that came at `startedAt` of performance.now(). */
  note(userId: string, request: ReserveRequest, answer: Answer, startedAt: number): void {
    const make = (): Access => {
      const tookMs = performance.now() - startedAt;
      return { at: new Date(Date.now() - tookMs), tookMs: Math.round(tookMs), userId, request, answer, weight: 1 };
    };
    if (!isYes(answer)) this.#sample.offer(make);
    else if (this.#yeses.length < this.#options.bufferMax) this.#yeses.push(make());
    else this.#options.lost(1, 'full');
    if (this.#yeses.length >= batchMax) this.#flush(false);
  }

  /** Resolves when what was noted is recorded or lost. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#sending;
    do {
      this.#flush(true);
      await this.#sending;
    } while (this.#yeses.length > 0);
  }

  #flush(withSample: boolean): void {
    if (this.#sending !== undefined) return;
    const batch = this.#yeses.splice(0, batchMax);
    if (withSample) batch.push(...this.#sampled());
    if (batch.length === 0) return;
    this.#sending = this.#options
      .record(batch)
      .catch(() => this.#options.lost(batch.length, 'unrecorded'))
      .finally(() => {
        this.#sending = undefined;
        if (this.#yeses.length >= batchMax) this.#flush(false);
      });
  }

  #sampled(): Access[] {
    const { kept, weight } = this.#sample.take();
    for (const access of kept) access.weight = weight;
    return kept;
  }
}

/** A unit, a promise of a decision, or a place in a waitlist, told for the first time. */
function isYes(answer: Answer): boolean {
  if (answer.$case !== 'response' || answer.isReplay === true) return false;
  const { outcome } = answer.value;
  return outcome?.$case === 'held' || outcome?.$case === 'pending' || outcome?.$case === 'waiting';
}
