import { performance } from 'node:perf_hooks';
import { claimsStream } from '#libs/contracts/subjects.js';
import type { Messaging } from '#libs/messaging/messaging.js';
import type { Logger } from '#libs/runtime/logger.js';
import type { ClaimsAge } from '../app/ports.js';

const POLL_MS = 1000;
/** A shard that nobody asked about for so long is not polled. */
const IN_USE_MS = 10_000;

/** Of one shard's stream. */
interface Polled {
  askedAtMs: number;
  /** Not known: never polled, or the last poll failed. */
  oldest?: { storedAt: Date } | { emptyAtMs: number };
}

/**
 * How old the oldest claim is in each shard's stream that is asked about, polled once a second. Between two polls it is
 * taken to be there still, so that what is told is never too young.
 */
export class PolledClaimsAge implements ClaimsAge {
  readonly #shards = new Map<number, Polled>();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly messaging: Pick<Messaging, 'oldestStoredAt'>,
    /** The clock by which messages count as too late. */
    private readonly ledgerNow: () => Date,
    private readonly logger: Logger,
  ) {}

  oldestMs(shard: number): number | undefined {
    const now = performance.now();
    const known = this.#shards.get(shard);
    if (!known) {
      this.#shards.set(shard, { askedAtMs: now });
      void this.#poll(shard);
      this.#timer ??= setInterval(() => this.#pollAll(), POLL_MS);
      return undefined;
    }
    known.askedAtMs = now;
    if (!known.oldest) return undefined;
    if ('emptyAtMs' in known.oldest) return now - known.oldest.emptyAtMs;
    return this.ledgerNow().getTime() - known.oldest.storedAt.getTime();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#shards.clear();
  }

  #pollAll(): void {
    const unusedBeforeMs = performance.now() - IN_USE_MS;
    for (const [shard, { askedAtMs }] of this.#shards) {
      if (askedAtMs < unusedBeforeMs) this.#shards.delete(shard);
      else void this.#poll(shard);
    }
    if (this.#shards.size === 0) this.close();
  }

  async #poll(shard: number): Promise<void> {
    const polled = this.#shards.get(shard);
    if (!polled) return;
    const beganAtMs = performance.now();
    try {
      const storedAt = await this.messaging.oldestStoredAt(claimsStream(shard));
      polled.oldest = storedAt ? { storedAt } : { emptyAtMs: beganAtMs };
    } catch (error) {
      delete polled.oldest;
      this.logger.debug({ err: error, shard }, 'the stream of claims could not be asked for its oldest');
    }
  }
}
