import { readFileSync } from 'node:fs';
import type { Sale } from '#libs/mesh/limits-file.js';
import { JsonPart } from '#libs/runtime/json-part.js';
import { sampleSkus } from '../local/samples.js';

/** A sale of one sku, as somebody expects it. */
export interface ExpectedSale extends Sale {
  storeId: string;
  skuId: string;
}

const targetSeconds = 10;
const columns = ['store', 'sku', 'units', 'crowd', 'over_seconds'] as const;
const optionalColumns = ['target_seconds'] as const;
const most = 1_000_000_000;
const id = /^[\x21-\x7e]{1,128}$/;

/** How many come for one sku of each sample store, and how fast. */
const sampleCrowds: Record<string, Pick<Sale, 'crowd' | 'over_seconds'>> = {
  lindenhof: { crowd: 120, over_seconds: 10 },
  aurora: { crowd: 30, over_seconds: 20 },
  kiln: { crowd: 1_000, over_seconds: 5 },
};

/** The sales of the sample stores that `npm start` puts up. */
export function sampleSales(now: Date): ExpectedSale[] {
  return sampleSkus(now).flatMap(({ storeId, skuId, capacity }) => {
    const crowd = sampleCrowds[storeId];
    return crowd ? [{ storeId, skuId, units: capacity, target_seconds: targetSeconds, ...crowd }] : [];
  });
}

/** Reads sales from JSON or CSV; throws with all that is wrong, one line each. */
export function readSalesFile(path: string): ExpectedSale[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`--sales: ${path} cannot be read`, { cause: error });
  }
  return parseSales(text, path);
}

/**
 * A JSON list of objects, or CSV with a line of titles: store, sku, units, crowd, over_seconds, and target_seconds if it
 * is not 10. `source` names it in problems.
 */
export function parseSales(text: string, source: string): ExpectedSale[] {
  const problems: string[] = [];
  const rows = /^\s*[[{]/.test(text) ? fromJson(text, source, problems) : fromCsv(text, source, problems);
  const sales = rows.map(readSale);
  if (sales.length === 0 && problems.length === 0) problems.push(`${source}: has no sale`);
  const keys = sales.map(({ storeId, skuId }) => `${storeId} ${skuId}`);
  for (const twice of new Set(keys.filter((key, index) => keys.indexOf(key) !== index))) {
    problems.push(`${source}: has ${twice} twice`);
  }
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return sales;
}

function readSale(row: JsonPart): ExpectedSale {
  row.demandOnly(...columns, ...optionalColumns);
  const [storeId, skuId] = [row.text('store', ''), row.text('sku', '')];
  for (const [name, value] of Object.entries({ store: storeId, sku: skuId })) {
    row.demand(id.test(value), `${name} is not 1 to 128 printable ASCII characters without spaces`);
  }
  const target = row.number('target_seconds', targetSeconds);
  row.demand(target > 0, 'target_seconds is not above 0');
  return {
    storeId,
    skuId,
    units: row.integer('units', 1, most),
    crowd: row.integer('crowd', 1, most),
    over_seconds: row.number('over_seconds', 0),
    target_seconds: target,
  };
}

function fromJson(text: string, source: string, problems: string[]): JsonPart[] {
  try {
    return new JsonPart({ sales: JSON.parse(text) }, source, problems).list('sales');
  } catch (error) {
    problems.push(`${source} is no JSON: ${error instanceof Error ? error.message : error}`);
    return [];
  }
}

/** Without quotes: ids have no commas in practice, and figures none at all. */
function fromCsv(text: string, source: string, problems: string[]): JsonPart[] {
  const [titles = [], ...lines] = text
    .split(/\r?\n/)
    .map((line) => line.split(',').map((cell) => cell.trim()))
    .filter((cells) => cells.some((cell) => cell !== ''));
  const missing = columns.filter((column) => !titles.includes(column));
  if (missing.length > 0) {
    problems.push(`${source}: the first line lacks ${missing.join(', ')}; it reads ${columns.join(',')}`);
    return [];
  }
  return lines.map((cells, index) => {
    const row = Object.fromEntries(titles.map((title, at) => [title, typed(title, cells[at] ?? '')]));
    return new JsonPart(row, `${source} row ${index + 1}`, problems);
  });
}

function typed(title: string, cell: string): string | number | undefined {
  if (cell === '') return undefined;
  return title === 'store' || title === 'sku' || Number.isNaN(Number(cell)) ? cell : Number(cell);
}
