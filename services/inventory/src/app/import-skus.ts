import type { Ledger } from '#libs/ledger/ledger.js';
import type { SkuToPut } from '#libs/ledger/sku-violations.js';
import { Fault } from '#libs/refusal/fault.js';

const PUT_AT_ONCE = 200;
const LISTED_FAILURES = 1000;

export interface ImportReport {
  created: number;
  changed: number;
  unchanged: number;
  /** The first 1000. */
  failures: { position: number; skuId: string; fault: Fault }[];
}

/** Puts skus as they come, some at a time; a bad one stops nothing and is listed. `etag` as for a single put. */
export async function importSkus(
  ledger: Pick<Ledger, 'skusImport'>,
  batches: AsyncIterable<readonly { sku: SkuToPut; etag?: string }[]>,
): Promise<ImportReport> {
  const report: ImportReport = { created: 0, changed: 0, unchanged: 0, failures: [] };
  let position = 0;
  for await (const batch of batches) {
    for (let at = 0; at < batch.length; at += PUT_AT_ONCE) {
      const skus = batch.slice(at, at + PUT_AT_ONCE);
      const results = await ledger.skusImport(skus);
      for (const [i, { sku }] of skus.entries()) add(report, position + i, sku.skuId, results[i]);
      position += skus.length;
    }
  }
  return report;
}

type ImportResult = Awaited<ReturnType<Ledger['skusImport']>>[number];

function add(report: ImportReport, position: number, skuId: string, result: ImportResult | undefined): void {
  if (result instanceof Fault) {
    if (report.failures.length < LISTED_FAILURES) report.failures.push({ position, skuId, fault: result });
  } else if (result?.outcome === 'CREATED') report.created += 1;
  else if (result?.outcome === 'CHANGED') report.changed += 1;
  else report.unchanged += 1;
}
