import type { Rate } from './limit-change.js';
import { minorUnits } from './money.js';
import type { SkuDraft } from './sku.js';
import { skuColumns } from './sku-columns.js';
import { durationSeconds } from './typed.js';
import { isTimeZone, readInstant } from './zoned-time.js';

/** A row of a file, and the line that it ends on. */
export interface SheetRow {
  line: number;
  cells: readonly string[];
}

/** What is wrong with a cell, or with a whole row when `column` is empty. */
export interface SheetProblem {
  line: number;
  column: string;
  skuId: string;
  text: string;
}

/** A good row. */
export interface SheetDraft {
  line: number;
  draft: SkuDraft;
}

/** The good rows of a file and what is wrong with the others. */
export interface Sheet {
  drafts: SheetDraft[];
  problems: SheetProblem[];
}

const id = /^[\x21-\x7e]{1,128}$/;
const million = 1_000_000;

/** Reads rows under a row of column names. `problems` alone: the columns are wrong, and nothing can be read. */
export function readSkuSheet([header, ...rows]: readonly SheetRow[]): Sheet | { problems: string[] } {
  if (header === undefined) return { problems: [`the file is empty: its first line names the columns`] };
  const names = header.cells.map((name) => name.toLowerCase());
  const problems = headerProblems(names);
  if (problems.length > 0) return { problems };
  if (rows.length === 0) return { problems: ['the file has no rows under its column names'] };
  const sheet: Sheet = { drafts: [], problems: [] };
  for (const { line, cells } of rows) {
    const row = new RowReader(line, names, cells);
    const draft = row.draft();
    if (row.problems.length === 0) sheet.drafts.push({ line, draft });
    sheet.problems.push(...row.problems);
  }
  return withoutTwins(sheet);
}

function headerProblems(names: readonly string[]): string[] {
  const known = skuColumns.map(({ name }) => name);
  const needed = skuColumns.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  return [
    ...names.filter((name) => !known.includes(name)).map((name) => `line 1: ${JSON.stringify(name)} is no column`),
    ...names.filter((name, at) => names.indexOf(name) !== at).map((name) => `line 1: column ${name} is there twice`),
    ...needed.filter((name) => !names.includes(name)).map((name) => `line 1: column ${name} is missing`),
  ];
}

/** Of rows for the same sku nobody knows which is meant: none is taken. */
function withoutTwins({ drafts, problems }: Sheet): Sheet {
  const lines = new Map<string, number[]>();
  for (const { line, draft } of drafts) lines.set(draft.skuId, [...(lines.get(draft.skuId) ?? []), line]);
  const twins = [...lines].filter(([, its]) => its.length > 1);
  const found = twins.flatMap(([skuId, its]) =>
    its.map((line) => ({ line, column: 'sku_id', skuId, text: `${skuId} stands on lines ${its.join(' and ')}` })),
  );
  return {
    drafts: drafts.filter(({ draft }) => lines.get(draft.skuId)?.length === 1),
    problems: [...problems, ...found].sort((a, b) => a.line - b.line),
  };
}

/** Reads the cells of one row by their columns, and notes every one that is wrong. */
class RowReader {
  readonly problems: SheetProblem[] = [];

  constructor(
    private readonly line: number,
    private readonly names: readonly string[],
    private readonly cells: readonly string[],
  ) {
    if (cells.length !== names.length) {
      this.#note('', `has ${cells.length} cells, the first line has ${names.length}: is a comma not in quotes?`);
    }
  }

  draft(): SkuDraft {
    const currency = this.#currency();
    const priceMinor = this.#price(currency);
    const timeZone = this.#timeZone();
    const rate = this.#rate();
    const onBusy = this.#word('on_busy', ['queue', 'fail']);
    const onSoldOut = this.#word('on_sold_out', ['refuse', 'join_waitlist']);
    const latePayment = this.#word('late_payment', ['retake_if_free', 'refund']);
    const freeCancelSeconds = this.#freeCancel();
    const lateCancel = this.#word('late_cancel', ['refuse', 'no_refund']);
    const limitGroup = this.#cell('limit_group') === '' ? '' : this.#id('limit_group');
    return {
      skuId: this.#id('sku_id'),
      storeId: this.#id('store_id'),
      title: this.#title(),
      capacity: this.#capacity(),
      startsAt: this.#instant('starts_at', timeZone),
      timeZone,
      onSaleAt: this.#instant('on_sale_at', timeZone),
      offSaleAt: this.#instant('off_sale_at', timeZone),
      perUserLimit: this.#whole('per_user_limit', 1, million),
      maxPerOrder: this.#whole('max_per_order', 1, million),
      holdTtlSeconds: this.#holdTtl(),
      paymentRequired: this.#paymentRequired(priceMinor),
      priceMinor,
      currency,
      ...(rate && { rate }),
      ...(onBusy && { onBusy }),
      ...(onSoldOut && { onSoldOut }),
      ...(latePayment && { latePayment }),
      ...(freeCancelSeconds !== undefined && { freeCancelSeconds }),
      ...(lateCancel && { lateCancel }),
      ...(limitGroup !== '' && { limitGroup }),
    };
  }

  #cell(column: string): string {
    return this.cells[this.names.indexOf(column)] ?? '';
  }

  #note(column: string, text: string): void {
    // A row that is cut short or too long would only repeat itself cell by cell.
    if (this.problems.some((problem) => problem.column === '')) return;
    this.problems.push({ line: this.line, column, skuId: this.#cell('sku_id'), text });
  }

  #wrong(column: string, advice: string): void {
    const cell = this.#cell(column);
    this.#note(column, cell === '' ? `is empty: ${advice}` : `${JSON.stringify(cell)}: ${advice}`);
  }

  #id(column: string): string {
    const text = this.#cell(column);
    if (!id.test(text)) this.#wrong(column, 'an id has 1 to 128 printable ASCII characters without spaces');
    return text;
  }

  #title(): string {
    const text = this.#cell('title');
    if (!/^\P{Cc}{1,500}$/u.test(text))
      this.#wrong('title', 'give 1 to 500 characters, none of them a control character');
    return text;
  }

  #capacity(): number {
    if (this.#cell('capacity') === '') this.#wrong('capacity', 'give a whole number from 0 to 1000000000');
    return this.#whole('capacity', 0, 1_000_000_000);
  }

  /** 0 for an empty cell, which stands for the default. */
  #whole(column: string, low: number, high: number): number {
    const text = this.#cell(column);
    if (text === '') return 0;
    const value = /^\d{1,10}$/.test(text) ? Number(text) : -1;
    if (value < low || value > high) this.#wrong(column, `give a whole number from ${low} to ${high}`);
    return value;
  }

  #currency(): string {
    const text = this.#cell('currency').toUpperCase();
    if (!/^[A-Z]{3}$/.test(text)) this.#wrong('currency', 'give the three letters of ISO 4217, as in EUR');
    return text;
  }

  #price(currency: string): number {
    const text = this.#cell('price');
    if (text === '') return 0;
    const minor = minorUnits(text, currency);
    if (minor === undefined) this.#wrong('price', `give an amount of ${currency || 'the currency'} such as 12.50`);
    return minor ?? 0;
  }

  #paymentRequired(priceMinor: number): boolean {
    const text = this.#cell('payment_required').toLowerCase();
    if (text === '') return priceMinor > 0;
    if (!['yes', 'no', 'true', 'false'].includes(text)) this.#wrong('payment_required', 'give yes or no');
    return text === 'yes' || text === 'true';
  }

  #timeZone(): string {
    const text = this.#cell('time_zone');
    if (text !== '' && !isTimeZone(text)) this.#wrong('time_zone', 'give a name such as Europe/Berlin');
    if (text === '' && this.#cell('starts_at') !== '')
      this.#wrong('time_zone', 'starts_at needs one, as in Europe/Berlin');
    return text;
  }

  #instant(column: string, timeZone: string): Date | undefined {
    const text = this.#cell(column);
    if (text === '') return undefined;
    const instant = readInstant(text, timeZone);
    if (instant instanceof Date) return instant;
    this.#wrong(column, instant);
    return undefined;
  }

  #holdTtl(): number {
    const text = this.#cell('hold_ttl');
    if (text === '') return 0;
    const seconds = durationSeconds(text) ?? 0;
    if (seconds < 1 || seconds > 31 * 86_400)
      this.#wrong('hold_ttl', 'give a duration such as 90s, 15m or 2h, up to 31d');
    return seconds;
  }

  #freeCancel(): SkuDraft['freeCancelSeconds'] {
    const text = this.#cell('free_cancel').toLowerCase();
    if (text === '') return undefined;
    if (text === 'always') return text;
    const seconds = durationSeconds(text) ?? -1;
    if (seconds < 0 || seconds > 366 * 86_400)
      this.#wrong('free_cancel', 'give a duration such as 0s, 24h or 7d, up to 366d, or always');
    return seconds;
  }

  /** One of the words; undefined for an empty cell. */
  #word<Word extends string>(column: string, words: readonly Word[]): Word | undefined {
    const text = this.#cell(column).toLowerCase();
    const word = words.find((each) => each === text);
    if (word === undefined && text !== '') this.#wrong(column, `give ${words.join(' or ')}`);
    return word;
  }

  #rate(): Rate | undefined {
    const [perSecond, burst] = [this.#whole('rate_per_second', 1, million), this.#whole('rate_burst', 1, million)];
    if (perSecond === 0 && burst === 0) return undefined;
    if (burst === 0) this.#wrong('rate_burst', 'goes with rate_per_second');
    if (perSecond === 0) this.#wrong('rate_per_second', 'goes with rate_burst');
    return { perSecond, burst };
  }
}
