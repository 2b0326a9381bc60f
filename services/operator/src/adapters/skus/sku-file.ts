import { readFileSync } from 'node:fs';
import { CsvError, type Info, parse } from 'csv-parse/sync';
import type { SheetRow } from '../../domain/sku-sheet.js';
import { UsageError } from '../usage-error.js';

const advice = 'docs/sku-import.md says what such a file looks like, examples/skus.csv is one';

/** The rows of a CSV file, the names of the columns first. Throws UsageError when it cannot be read. */
export function readRows(path: string): SheetRow[] {
  const text = read(path);
  const [firstLine = ''] = text.split('\n', 1);
  // Spreadsheets of some countries write semicolons.
  const delimiter = !firstLine.includes(',') && firstLine.includes(';') ? ';' : ',';
  const options = { info: true, delimiter, relax_column_count: true, skip_empty_lines: true, trim: true };
  try {
    // With `info` each row comes with where it stands; the types of the package do not say so.
    const rows = parse(text, options) as unknown as { record: string[]; info: Info }[];
    return rows.map(({ record, info }) => ({ line: info.lines, cells: record }));
  } catch (error) {
    if (error instanceof CsvError) throw new UsageError([`${path}: ${error.message}`], advice);
    throw error;
  }
}

/** A UsageError about a file of skus; `first` stands before the advice on files. */
export function badFile(problems: readonly string[], first = ''): UsageError {
  return new UsageError(problems, `${first}${advice}`);
}

function read(path: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw badFile([code === 'ENOENT' ? `there is no file ${path}` : `${path} cannot be read: ${code}`]);
  }
  try {
    // It leaves out a byte order mark.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw badFile([`${path} is no UTF-8 text: save it as CSV in UTF-8`]);
  }
}
