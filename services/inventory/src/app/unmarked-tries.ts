import type { Ledger } from '#libs/ledger/ledger.js';
import type { Logger } from '#libs/runtime/logger.js';

/** Noted for so long ahead, and again when half of it is over. */
const NOTE_MS = 2000;
/** This process's idea of the ledger's time may be off by so much. */
const CLOCK_MS = 100;
/** A ledger that does not answer keeps nobody waiting for longer, and is asked again so much later. */
const WAIT_MS = 250;

export interface UnmarkedTriesOptions {
  unmarkedNote: Ledger['unmarkedNote'];
  ledgerNow(): Date;
  logger: Logger;
}

/**
 * Tries that no mark knows of: the edge could not ask for marks, or has none. The ledger is told before the first of
 * them goes on, so that no other try of the same order is taken for the first, in whatever process. See
 * docs/adr/0011-a-no-without-a-row.md.
 */
export class UnmarkedTries {
  private notedUntilMs = Number.NEGATIVE_INFINITY;
  private noting = false;
  /** The ledger cannot be told. It is as soon as it can be, and what is noted then covers whoever went on meanwhile. */
  private away = false;
  private waiting: (() => void)[] = [];
  private timer: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(private readonly options: UnmarkedTriesOptions) {}

  /** Calls `goOn` when the ledger knows, in the order of the calls; at once while it cannot be told. */
  pass(goOn: () => void): void {
    const leftMs = this.notedUntilMs - this.options.ledgerNow().getTime();
    if (leftMs < NOTE_MS / 2 && !this.noting && !this.away) void this.note();
    if (leftMs > CLOCK_MS || this.away) goOn();
    else this.waiting.push(goOn);
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
    this.goOn();
  }

  private async note(): Promise<void> {
    clearTimeout(this.timer);
    this.noting = true;
    this.timer = setTimeout(() => this.goOnUnnoted(), WAIT_MS);
    try {
      this.notedUntilMs = (await this.options.unmarkedNote(NOTE_MS)).getTime();
      clearTimeout(this.timer);
      this.away = false;
    } catch (error) {
      this.options.logger.debug({ err: error }, 'the ledger could not be told of tries without a mark');
      clearTimeout(this.timer);
      this.away = true;
      if (!this.closed) this.timer = setTimeout(() => void this.note(), WAIT_MS);
    }
    this.noting = false;
    this.goOn();
  }

  private goOnUnnoted(): void {
    this.away = true;
    this.goOn();
  }

  private goOn(): void {
    const waiting = this.waiting;
    this.waiting = [];
    for (const goOn of waiting) goOn();
  }
}
