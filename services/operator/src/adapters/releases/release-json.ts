import type { ReleaseSeen } from '../../app/list-releases.js';
import { skuJson, unitsJson } from '../skus/sku-json.js';

/** As `releases --json` prints one; names as in the contracts. */
export function releaseJson({ sku, units, gateLoaded, stockPath, warnings }: ReleaseSeen): object {
  return {
    sku: skuJson(sku),
    availability: unitsJson(units),
    gate_loaded: gateLoaded,
    stock_path: stockPath,
    warnings,
  };
}
