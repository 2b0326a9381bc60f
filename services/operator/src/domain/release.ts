import type { StockedSku } from './sku.js';

/** One sku that is put on sale at an instant. */
export interface Release extends StockedSku {
  /** Whether the gate knows it already. */
  gateLoaded: boolean;
  /** auto, redis or postgres, as its switches say. */
  stockPath: string;
}

/** A gate is warmed up in the minute before a sale. */
const warmMs = 60_000;

/** What looks wrong with a sale that opens soon or is open, in words; `hasGate`: there is a gate that could know it. */
export function warningsOf({ sku, units, gateLoaded, stockPath }: Release, hasGate: boolean): string[] {
  const opensSoon = units.opensInMs > 0 && units.opensInMs <= warmMs;
  return [
    ...(sku.paused ? ['it is paused'] : []),
    ...(sku.capacity === 0 ? ['it has no units'] : []),
    ...(sku.overbooked > 0 ? [`${sku.overbooked} are overbooked`] : []),
    ...(sku.capacity > 0 && units.opensInMs > 0 && units.free === 0 ? ['none of its units is free'] : []),
    ...(hasGate && opensSoon && !gateLoaded && stockPath !== 'postgres' ? ['its gate is cold'] : []),
    ...(stockPath === 'postgres' && hasGate ? ['it goes round the gate'] : []),
  ];
}
