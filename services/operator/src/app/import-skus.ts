import { type Fault, faultOf } from '#libs/refusal/fault.js';
import type { SheetDraft } from '../domain/sku-sheet.js';
import type { ImportHow, Skus } from './ports.js';

const chunkSize = 500;

/** How skus are imported. */
export interface ImportOptions extends ImportHow {
  /** Also when some cannot be imported. */
  partial: boolean;
  /** Told after each chunk. */
  onProgress(doing: 'checked' | 'imported', done: number, of: number): void;
}

/** A row that was not, or would not be, imported. */
export interface RowFailure {
  line: number;
  skuId: string;
  fault: Fault;
}

/** What became of the rows, or would have. */
export interface Imported {
  /** Whether anything was to be changed: not on a dry run, nor when some row failed the check. */
  isImported: boolean;
  created: number;
  changed: number;
  unchanged: number;
  failures: RowFailure[];
}

/** The gateway was lost on the way; what had been imported stays. */
export class ImportBroken extends Error {
  override readonly name = 'ImportBroken';

  constructor(
    readonly fault: Fault,
    readonly soFar: Imported,
  ) {
    super(fault.message, { cause: fault });
  }
}

/** Checks all rows first, unless partial work is welcome, and imports when none fails. Rejects with ImportBroken. */
export async function importSkus(skus: Skus, drafts: readonly SheetDraft[], options: ImportOptions): Promise<Imported> {
  if (options.dryRun || !options.partial) {
    const checked = await inChunks(skus, drafts, { ...options, dryRun: true });
    if (options.dryRun || checked.failures.length > 0) return checked;
  }
  return inChunks(skus, drafts, { ...options, dryRun: false });
}

async function inChunks(skus: Skus, drafts: readonly SheetDraft[], options: ImportOptions): Promise<Imported> {
  const { dryRun, update, reason, onProgress } = options;
  const total: Imported = { isImported: !dryRun, created: 0, changed: 0, unchanged: 0, failures: [] };
  for (let at = 0; at < drafts.length; at += chunkSize) {
    const chunk = drafts.slice(at, at + chunkSize);
    try {
      const part = await skus.importSkus(
        chunk.map(({ draft }) => draft),
        { dryRun, update, reason },
      );
      total.created += part.created;
      total.changed += part.changed;
      total.unchanged += part.unchanged;
      for (const { position, skuId, fault } of part.failures) {
        total.failures.push({ line: chunk[position]?.line ?? 0, skuId, fault });
      }
    } catch (error) {
      throw new ImportBroken(faultOf(error), total);
    }
    onProgress(dryRun ? 'checked' : 'imported', at + chunk.length, drafts.length);
  }
  return total;
}
