import { retryConflicts } from '#libs/postgres/errors.js';
import type { Statement } from '#libs/postgres/statement.js';
import { Fault, type Violation } from '#libs/refusal/fault.js';
import { changeViolations } from './control-violations.js';
import { functionCall, type LedgerPool } from './ledger-pool.js';
import type { ControlledBy } from './sku-control.js';
import { type PutRow, putResult, type SkuPutResult, toParameter } from './sku-put.js';
import { refuseMalformedSku, type SkuToPut, skuViolations } from './sku-violations.js';

const ATTEMPTS = 5;
const MAX_IMPORTED = 500;
const importAll = functionCall('skus_import', 4);
const importOnce = functionCall('skus_import_once', 5);

/** Skus that an operator imports. */
export interface SkusToImport {
  /** 1..500, each once. */
  skus: readonly SkuToPut[];
  /** Also changes skus that exist with other terms. One that is paused stays paused. */
  update: boolean;
}

/** What became of a sku of an import, or why nothing did. */
export type Imported = SkuPutResult['outcome'] | Fault;

interface ImportRow extends Omit<PutRow, 'outcome'> {
  place: number;
  outcome: PutRow['outcome'] | 'REQUEST_ID_REUSED';
}

/** The calls that put many skus. */
export function skuImportCalls(pool: LedgerPool) {
  function importByHand(skus: SkusToImport['skus'], statement: Statement, values: (puts: string[]) => unknown[]) {
    return importWellFormed<SkuToPut, SkuPutResult['outcome']>(skus, importFaults(skus), {
      call: (good) => retryConflicts(() => pool.query(statement, values(good.map(toParameter))), ATTEMPTS),
      resultOf: importOutcome,
    });
  }

  return {
    /**
     * Puts many skus (a few hundred a call) in one transaction, each on its own: a bad one stops nothing. The results
     * come in the order of the skus; of those that were not put, the Fault that skuPut would throw.
     */
    skusImport: (skus: readonly { sku: SkuToPut; etag?: string }[]): Promise<(SkuPutResult | Fault)[]> =>
      importWellFormed(skus, ({ sku, etag }) => faultIn(() => refuseMalformedSku(sku, etag)), {
        call(good) {
          const puts = [good.map(({ sku }) => toParameter(sku)), good.map(({ etag }) => etag ?? null)];
          return retryConflicts(() => pool.query<ImportRow>(importAll, [...puts, false, false]), ATTEMPTS);
        },
        resultOf: ({ sku }, row) => putResult(sku, row),
      }),

    /**
     * Imports skus by an operator's hand, in one transaction, kept as one change; the same request again is told the
     * same and does nothing. A bad sku stops nothing: in its place stands Fault INVALID_REQUEST with every violation,
     * SKU_EXISTS (with other terms and no update, or another store's) or CAPACITY_BELOW_TAKEN.
     *
     * Errors: Fault INVALID_REQUEST for what is not about one sku, REQUEST_ID_REUSED; BUSY and UNAVAILABLE as every call.
     */
    async skusImportOnce({ skus, update, ...by }: SkusToImport & ControlledBy): Promise<Imported[]> {
      refuse([...countViolations(skus), ...changeViolations(by)]);
      const { reason, operator, requestId } = by;
      return importByHand(skus, importOnce, (puts) => [puts, update, reason, operator, requestId]);
    },

    /** What skusImportOnce would do now. Changes nothing. */
    async skusRehearse({ skus, update }: SkusToImport): Promise<Imported[]> {
      refuse(countViolations(skus));
      return importByHand(skus, importAll, (puts) => [puts, puts.map(() => null), update, true]);
    },
  };
}

/** Puts what is well formed in one call; the Faults of the rest stand in their places. */
async function importWellFormed<Item, Result>(
  items: readonly Item[],
  faultOf: (item: Item, place: number) => Fault | undefined,
  parts: { call(good: Item[]): Promise<ImportRow[]>; resultOf(item: Item, row: PutRow): Result },
): Promise<(Result | Fault)[]> {
  const results: (Result | Fault | undefined)[] = items.map(faultOf);
  const places = [...results.keys()].filter((place) => results[place] === undefined);
  const good = places.flatMap((place) => items[place] ?? []);
  for (const { place: goodPlace, outcome, sku_row } of await parts.call(good)) {
    if (outcome === 'REQUEST_ID_REUSED') throw requestIdReused();
    const item = good[goodPlace - 1];
    const place = places[goodPlace - 1];
    if (!item || place === undefined) throw new RangeError(`no sku ${goodPlace}`);
    results[place] = faultIn(() => parts.resultOf(item, { outcome, sku_row }));
  }
  return results.map((result) => result ?? new Fault('INTERNAL', 'the sku was not put'));
}

/** Says of each sku, by its place, what is wrong with it before the ledger looks at it. */
function importFaults(skus: readonly SkuToPut[]): (sku: SkuToPut, place: number) => Fault | undefined {
  const firstPlaces = new Map<string, number>();
  for (const [place, { skuId }] of skus.entries()) if (!firstPlaces.has(skuId)) firstPlaces.set(skuId, place);
  return (sku, place) => {
    const violations = skuViolations(sku);
    const first = firstPlaces.get(sku.skuId);
    if (first !== place)
      violations.push({ field: 'sku_id', description: `must be there once, and is at ${first} too` });
    return violations.length > 0 ? malformed('the sku is not well formed', violations) : undefined;
  };
}

function importOutcome(sku: SkuToPut, row: PutRow): SkuPutResult['outcome'] {
  const { outcome } = row;
  if (outcome === 'CREATED' || outcome === 'CHANGED' || outcome === 'UNCHANGED') return outcome;
  const metadata = { sku_id: sku.skuId };
  if (outcome === 'OTHER_STORE') throw new Fault('SKU_EXISTS', 'the id belongs to another store', { metadata });
  if (outcome === 'ETAG_MISMATCH') throw new Fault('SKU_EXISTS', 'the sku exists with other terms', { metadata });
  return putResult(sku, row).outcome;
}

function countViolations(skus: readonly SkuToPut[]): Violation[] {
  const holds = skus.length >= 1 && skus.length <= MAX_IMPORTED;
  return holds ? [] : [{ field: 'skus', description: `must be 1 to ${MAX_IMPORTED}` }];
}

function refuse(violations: Violation[]): void {
  if (violations.length > 0) throw malformed('the import is not well formed', violations);
}

function malformed(message: string, violations: Violation[]): Fault {
  return new Fault('INVALID_REQUEST', message, { violations });
}

function requestIdReused(): Fault {
  return new Fault('REQUEST_ID_REUSED', 'the request id was used for another change');
}

/** What `work` gives, or the Fault it throws. */
function faultIn<Result>(work: () => Result): Result | Fault {
  try {
    return work();
  } catch (thrown) {
    if (thrown instanceof Fault) return thrown;
    throw thrown;
  }
}
