import { type LimitsFile, readLimitsFile } from '#libs/mesh/limits-file.js';
import type { LimitChange } from '../../domain/limit-change.js';
import { UsageError } from '../usage-error.js';

const formatAdvice = 'docs/limits.md shows what such a file looks like, under "The file"';

/** What a limits file has for stores and skus. Throws UsageError with all that is wrong with the file. */
export function readChanges(path: string): LimitChange[] {
  return read(path).limits.map(({ store_id, sku_id, per_second, burst }) => ({
    storeId: store_id,
    ...(sku_id !== undefined && { skuId: sku_id }),
    rate: { perSecond: per_second, burst },
  }));
}

function read(path: string): LimitsFile {
  let file: LimitsFile | undefined;
  try {
    file = readLimitsFile(path);
  } catch (error) {
    throw new UsageError((error instanceof Error ? error.message : String(error)).split('\n'), formatAdvice);
  }
  if (file === undefined) throw new UsageError([`there is no file ${path}; npm run calibrate makes one`]);
  return file;
}
