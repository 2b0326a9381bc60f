import type { Ledger } from '#libs/ledger/ledger.js';
import type { Logger } from '#libs/runtime/logger.js';
import type { Breaker, Callee } from './ports.js';

const LOOK_EVERY_MS = 5000;
/** Somebody should look at what is away for longer than a restart takes. */
const ALERT_AFTER_MS = 30_000;

export interface AlertBreakersOptions {
  /** Those that there are. */
  breakers: Partial<Record<Callee, Pick<Breaker, 'openSinceMs' | 'onClosed'>>>;
  ledger: Pick<Ledger, 'alertRaise' | 'alertClear'>;
  /** Whose breakers they are. */
  instance: string;
  logger: Logger;
  /** By default 30 s. */
  afterMs?: number;
  lookEveryMs?: number;
}

/** Raises an alert for a breaker that stays open, and clears it when it has closed. What fails is tried again. */
export class AlertBreakers {
  /** Those about which an alert may be open: at first all, for a process of this name may have died with one. */
  private readonly raised: Set<Callee>;
  private readonly afterMs: number;
  private readonly timer: NodeJS.Timeout;
  private looking: Promise<void> = Promise.resolve();

  constructor(private readonly options: AlertBreakersOptions) {
    const { breakers, afterMs = ALERT_AFTER_MS, lookEveryMs = LOOK_EVERY_MS } = options;
    this.raised = new Set(Object.keys(breakers) as Callee[]);
    this.afterMs = afterMs;
    this.timer = setInterval(() => this.look(), lookEveryMs);
    for (const breaker of Object.values(breakers)) breaker.onClosed(() => this.look());
    this.look();
  }

  /** What is open goes with the process: the next one finds out by itself. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.looking;
    for (const callee of this.raised) await this.clear(callee, 'the process ended').catch(() => undefined);
  }

  private look(): void {
    this.looking = this.looking.then(() => this.lookAtAll());
  }

  private async lookAtAll(): Promise<void> {
    for (const [callee, { openSinceMs }] of Object.entries(this.options.breakers) as [Callee, Breaker][]) {
      try {
        if (openSinceMs === undefined) await this.clear(callee, 'it has closed');
        else if (performance.now() - openSinceMs >= this.afterMs) await this.raise(callee, openSinceMs);
      } catch (error) {
        this.options.logger.debug({ err: error, callee }, 'the ledger was not told of a breaker, it will be');
      }
    }
  }

  private async raise(callee: Callee, openSinceMs: number): Promise<void> {
    const { ledger, instance } = this.options;
    this.raised.add(callee);
    const openSeconds = Math.round((performance.now() - openSinceMs) / 1000);
    await ledger.alertRaise({
      kind: 'BREAKER_OPEN',
      subject: this.subject(callee),
      facts: { instance, callee, open_seconds: openSeconds },
      command: 'holdfast status',
    });
  }

  private async clear(callee: Callee, why: string): Promise<void> {
    if (!this.raised.has(callee)) return;
    await this.options.ledger.alertClear('BREAKER_OPEN', this.subject(callee), 'system', why);
    this.raised.delete(callee);
  }

  private subject(callee: Callee): string {
    return `${this.options.instance} ${callee}`;
  }
}
