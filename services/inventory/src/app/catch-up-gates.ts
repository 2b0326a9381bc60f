import type { Logger } from '#libs/runtime/logger.js';

/** Beyond so many the first are forgotten: they are set when they are asked for, like every gate. */
const MOST = 10_000;

/**
 * Skus whose gates are behind the ledger: orders went past them, or units came back. They are set as soon as the gate is
 * in use, so that it does not let in what was sold meanwhile.
 */
export class CatchUpGates {
  private behind = new Set<string>();

  constructor(
    private readonly syncSkus: (skuIds: readonly string[]) => Promise<unknown>,
    private readonly logger: Logger,
  ) {}

  add(skuIds: readonly string[]): void {
    for (const skuId of skuIds) this.behind.add(skuId);
    for (const skuId of this.behind) {
      if (this.behind.size <= MOST) break;
      this.behind.delete(skuId);
    }
  }

  /** Sets the gates of all of them; if that fails they stay for the next time. */
  async catchUp(): Promise<void> {
    if (this.behind.size === 0) return;
    const skuIds = [...this.behind];
    this.behind = new Set();
    try {
      await this.syncSkus(skuIds);
      this.logger.debug({ skus: skuIds.length }, 'gates that were behind the ledger were set');
    } catch (error) {
      this.add(skuIds);
      this.logger.debug({ err: error, skus: skuIds.length }, 'gates behind the ledger could not be set');
    }
  }
}
