import { performance } from 'node:perf_hooks';
import { sqlFile } from '#libs/postgres/statement.js';
import type { LedgerPool } from './ledger-pool.js';

const read = sqlFile(new URL('./sql/clock_read.sql', import.meta.url));

/** The call that asks for the time. */
export function clockCalls(pool: LedgerPool) {
  return {
    /** The ledger's clock, the one that decides about deadlines and openings. */
    async clockRead(): Promise<Date> {
      const [row] = await pool.query<{ now: Date }>(read);
      if (!row) throw new Error('clock_read gave no row');
      return row.now;
    },
  };
}

/** How a process learns the ledger's time. */
export interface LedgerClockOptions {
  /** Asks the ledger. */
  clockRead: () => Promise<Date>;
  /** Between two measurements. */
  refreshMs?: number;
  /** Told when a measurement failed; the clock goes on with the last one. */
  onError?: (error: unknown) => void;
}

/** A measurement that took longer says too little, unless there is no better one of late. */
const GOOD_ROUND_TRIP_MS = 50;
const GOOD_FOR_MS = 60_000;

/**
 * The ledger's time in this process: asked for every few seconds, the answer taken for the middle of the round trip,
 * and counted on by a clock that nobody sets. Wrong by half a round trip at most.
 */
export class LedgerClock {
  readonly #options: Required<LedgerClockOptions>;
  #offsetMs = 0;
  #measuredAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor({ refreshMs = 5_000, onError = () => {}, ...options }: LedgerClockOptions) {
    this.#options = { refreshMs, onError, ...options };
  }

  /** Measures once, then every few seconds until `stop`. Rejects when the first measurement fails. */
  async start(): Promise<void> {
    await this.#measure();
    this.#timer = setInterval(() => {
      this.#measure().catch(this.#options.onError);
    }, this.#options.refreshMs);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Now, by the ledger's clock. Throws before the first measurement. */
  now(): Date {
    if (this.#measuredAt === Number.NEGATIVE_INFINITY) throw new Error('the ledger clock was not measured yet');
    return new Date(performance.now() + this.#offsetMs);
  }

  async #measure(): Promise<void> {
    const askedAt = performance.now();
    const ledgerMs = (await this.#options.clockRead()).getTime();
    const answeredAt = performance.now();
    const isGood = answeredAt - askedAt <= GOOD_ROUND_TRIP_MS;
    if (!isGood && answeredAt - this.#measuredAt < GOOD_FOR_MS) return;
    this.#offsetMs = ledgerMs - (askedAt + answeredAt) / 2;
    this.#measuredAt = answeredAt;
  }
}
