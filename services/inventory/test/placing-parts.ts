import { createLogger } from '#libs/runtime/logger.js';
import { createMetrics } from '#libs/runtime/metrics.js';
import { OpossumBreaker } from '../src/adapters/opossum-breaker.js';
import type { PlaceHoldsOptions } from '../src/app/place-holds.js';
import type { ClaimStream, OpenBreaker } from '../src/app/ports.js';
import type { OrderSetting, StockSetting } from '../src/domain/path.js';

/** A stream that takes every claim; nobody decides them. */
export const silentStream: ClaimStream = { store: async () => undefined, probe: async () => undefined };

/** Switches in the hands of a test. */
export class TestSwitches
  implements Pick<PlaceHoldsOptions['switches'], 'stock' | 'stockPath' | 'orderPath' | 'onChange'>
{
  stockPath: StockSetting = 'AUTO';
  orderPath: OrderSetting = 'AUTO';
  #changed: () => void = () => undefined;

  stock(): StockSetting {
    return this.stockPath;
  }

  onChange(listener: () => void): void {
    this.#changed = listener;
  }

  set(paths: { stockPath?: StockSetting; orderPath?: OrderSetting }): void {
    Object.assign(this, paths);
    this.#changed();
  }
}

/** The real breaker, probed often. */
export const openTestBreaker: OpenBreaker = (callee, probe) =>
  new OpossumBreaker({
    callee,
    probe,
    resetMs: 200,
    metrics: createMetrics(),
    logger: createLogger('test', 'silent'),
  });
