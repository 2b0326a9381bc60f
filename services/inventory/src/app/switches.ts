import type { Logger } from '#libs/runtime/logger.js';
import {
  boardOf,
  type OrderSetting,
  type StockSetting,
  type SwitchBoard,
  type Switched,
  stockSetting,
} from '../domain/path.js';

const POLL_MS = 500;

export interface SwitchesOptions {
  switchesInForce(): Promise<Switched[]>;
  ledgerNow(): Date;
  logger: Logger;
}

/**
 * What operators have switched, polled twice a second. While the ledger is away its last word holds, and what expires
 * meanwhile does so by its clock.
 */
export class Switches {
  private inForce: readonly Switched[] = [];
  private board: SwitchBoard = boardOf([], new Date(0));
  private timer: NodeJS.Timeout | undefined;
  private closed = false;
  private readonly listeners: (() => void)[] = [];

  constructor(private readonly options: SwitchesOptions) {}

  /** Resolves after the first look; goes on looking until closed. */
  async start(): Promise<void> {
    await this.look();
    if (!this.closed) this.timer = setTimeout(() => void this.start(), POLL_MS);
  }

  /** How an order for these skus shall reach admission. */
  stock(storeId: string, skuIds: Iterable<string>): StockSetting {
    return stockSetting(this.current(), storeId, skuIds);
  }

  /** How claims that the gate let in shall be carried. */
  get orderPath(): OrderSetting {
    return this.current().orderPath;
  }

  /** How orders shall reach admission when no narrower switch says otherwise. */
  get stockPath(): StockSetting {
    return this.current().all;
  }

  /** How many are in force. */
  get size(): number {
    return this.inForce.length;
  }

  /** Called each time something is switched, or has expired. */
  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
  }

  private async look(): Promise<void> {
    try {
      const inForce = await this.options.switchesInForce();
      if (JSON.stringify(inForce) !== JSON.stringify(this.inForce)) this.change(inForce);
    } catch (error) {
      this.options.logger.debug({ err: error }, 'the switches were not read, the last word holds');
    }
  }

  private current(): SwitchBoard {
    const { holdsUntilMs } = this.board;
    if (holdsUntilMs !== Number.POSITIVE_INFINITY && this.options.ledgerNow().getTime() >= holdsUntilMs) {
      this.change(this.inForce);
    }
    return this.board;
  }

  private change(inForce: readonly Switched[]): void {
    const { ledgerNow, logger } = this.options;
    this.inForce = inForce;
    this.board = boardOf(inForce, ledgerNow());
    const switches = inForce.map(({ name, scope, setting }) => `${name} ${scope.skuId || scope.storeId} ${setting}`);
    logger.info({ switches: switches.slice(0, 20), count: switches.length }, 'switches changed');
    for (const listener of this.listeners) listener();
  }
}
