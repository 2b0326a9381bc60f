import type { Command } from 'commander';
import { renderFacts } from '#libs/terminal/table.js';
import { ImportBroken, type Imported, importSkus, type RowFailure } from '../../app/import-skus.js';
import { columnOf, skuColumns } from '../../domain/sku-columns.js';
import { readSkuSheet, type Sheet, type SheetProblem } from '../../domain/sku-sheet.js';
import { readReason } from '../../domain/typed.js';
import { CommandFailed } from '../failure.js';
import type { Session } from '../session.js';
import { UsageError } from '../usage-error.js';
import { badFile, readRows } from './sku-file.js';

interface ImportTyped {
  dryRun?: boolean;
  partial?: boolean;
  update?: boolean;
  reason?: string;
}

/** A row that was not imported, and why. */
interface BadCell {
  line: number;
  skuId: string;
  column: string;
  reason: string;
  text: string;
}

const columnHelp = renderFacts(
  skuColumns.map(({ name, isRequired, meaning }) => [name, isRequired ? `${meaning} (needed)` : meaning]),
);

const examples = `
Examples:
  holdfast sku import examples/skus.csv --dry-run       says what would become of each row
  holdfast sku import examples/skus.csv --reason "the spring programme"
  holdfast sku import examples/skus.csv --update        also changes skus that exist with other terms
  holdfast sku import spring.csv --partial --json | jq '.failures[]'

The first line names the columns, in any order:
${columnHelp}

Times are RFC 3339, or a date and time by the clock of the row's time_zone: 2026-03-02 10:00.

Every row is checked first, here and by the gateway; when one is wrong all of them are listed with line and column, and
nothing is imported. With --partial the good ones are imported all the same. What is there already stays unchanged, so
that a file may be imported again after any interruption. docs/sku-import.md has more.`;

/** `holdfast sku import FILE`. */
export function addImportCommand(sku: Command, session: Session): void {
  sku
    .command('import')
    .description('creates or changes the skus of a CSV file')
    .argument('<file>', 'with the names of the columns in its first line')
    .option('--dry-run', 'changes nothing and says what would become of them')
    .option('--partial', 'imports the good rows also when others are bad')
    .option('--update', 'also changes skus that exist with other terms')
    .option('--reason <why>', 'why, for the history')
    .addHelpText('after', examples)
    .action((path: string, typed: ImportTyped) => run(session, path, typed));
}

async function run(session: Session, path: string, typed: ImportTyped): Promise<void> {
  const { dryRun = false, partial = false, update = false } = typed;
  const sheet = readSkuSheet(readRows(path));
  const wrong: string[] = [];
  const reason = typed.reason === undefined ? '' : readReason(typed.reason, wrong);
  if (wrong.length > 0) throw new UsageError(wrong);
  if (!('drafts' in sheet)) throw badFile(sheet.problems);
  if (sheet.problems.length > 0 && !partial) throw badFile(sheet.problems.map(problemText), nothingSent(sheet));
  const { screen } = session;
  const onProgress = (doing: string, done: number, of: number): void =>
    screen.progress(done === of ? '' : `${doing} ${figure(done)} of ${figure(of)} rows`);
  const options = { dryRun, partial, update, reason, onProgress };
  try {
    const imported = await importSkus(session.gateway().skus, sheet.drafts, options);
    show(session, sheet, imported);
    refuseBad(badCells(sheet, imported), imported, { dryRun });
  } catch (error) {
    if (!(error instanceof ImportBroken)) throw error;
    screen.progress('');
    if (error.soFar.isImported) {
      show(session, sheet, error.soFar);
      screen.warn('it ended there: import the file again, what is there already stays unchanged');
    }
    throw error.fault;
  }
}

function nothingSent({ problems }: Sheet): string {
  const rows = new Set(problems.map(({ line }) => line)).size;
  return `${rows} ${rows === 1 ? 'row is' : 'rows are'} not right and nothing was sent; --partial imports the others; `;
}

function show(session: Session, sheet: Sheet, imported: Imported): void {
  const { isImported, created, changed, unchanged } = imported;
  const bad = badCells(sheet, imported);
  const failed = new Set(bad.map(({ line }) => line)).size;
  const failures = bad.map(({ line, skuId, column, reason, text }) => {
    return { line, sku_id: skuId, column, reason, message: text };
  });
  session.show({ imported: isImported, created, changed, unchanged, failed, failures }, () => {
    const counts: [string, string][] = [
      ['created', figure(created)],
      ['changed', figure(changed)],
      ['unchanged', figure(unchanged)],
      ['failed', figure(failed)],
    ];
    return `${isImported ? 'imported' : 'nothing was changed; it would be'}\n${renderFacts(counts)}`;
  });
}

function refuseBad(bad: readonly BadCell[], { isImported }: Imported, { dryRun }: { dryRun: boolean }): void {
  if (bad.length === 0) return;
  const isThere = bad.some(({ reason }) => reason === 'SKU_EXISTS');
  const advice = [
    isImported ? 'the others were imported' : 'nothing was imported',
    ...(isImported || dryRun ? [] : ['--partial imports the others']),
    ...(isThere ? ['--update changes those that exist with other terms'] : []),
  ].join('; ');
  throw new CommandFailed('NOT_ALL_IMPORTED', bad.map(cellText), advice);
}

/** Everything that is wrong, in the order of the lines. */
function badCells({ problems }: Sheet, { failures }: Imported): BadCell[] {
  const here = problems.map((problem) => ({ ...problem, reason: 'INVALID_ROW' }));
  return [...here, ...failures.flatMap(cellsOf)].sort((a, b) => a.line - b.line);
}

function cellsOf({ line, skuId, fault }: RowFailure): BadCell[] {
  const { reason, message, violations } = fault;
  if (violations.length === 0) return [{ line, skuId, reason, column: '', text: message }];
  return violations.map(({ field, description }) => {
    const column = columnOf(field.replace(/^(?:skus?(?:\[\d+\])?\.)/, ''));
    return { line, skuId, reason, column, text: description };
  });
}

function problemText(problem: SheetProblem): string {
  return cellText({ ...problem, reason: '' });
}

function cellText({ line, column, skuId, text }: BadCell): string {
  const place = column === '' ? (skuId === '' ? '' : `, sku ${skuId}`) : `, ${column}`;
  return `line ${line}${place}: ${text}`;
}

function figure(value: number): string {
  return value.toLocaleString('en-US');
}
