import { Fault } from '#libs/refusal/fault.js';

/** Which part of a list is asked for. */
export interface PageQuery {
  /** 1..500; absent or 0: 50; more is taken for 500. */
  pageSize?: number;
  /** nextPageToken of the page before; absent or empty: the first page. */
  pageToken?: string;
}

/** A page's size, and where it begins in the list that is named. */
export interface Page {
  size: number;
  /** The last item of the page before, as `nextPageToken` was given it; undefined: the list begins. */
  after: string[] | undefined;
}

const DEFAULT_SIZE = 50;
const MAX_SIZE = 500;

/** Says of one part of a row's key whether it can be one: whoever made a token up must not reach the database. */
export type KeyCheck = (part: string) => boolean;

/** Reads what is asked for. Throws Fault INVALID_REQUEST for a negative size and for a token of another list. */
export function readPage(list: string, { pageSize = 0, pageToken = '' }: PageQuery, keyChecks: KeyCheck[]): Page {
  if (!Number.isInteger(pageSize) || pageSize < 0) throw invalid('page_size', 'must be a whole number, 0 to 500');
  const size = Math.min(pageSize || DEFAULT_SIZE, MAX_SIZE);
  if (pageToken === '') return { size, after: undefined };
  const [ofList, ...after] = decode(pageToken);
  const isKey = after.length === keyChecks.length && keyChecks.every((check, place) => check(after[place] ?? ''));
  if (ofList !== list || !isKey)
    throw invalid('page_token', 'must be the next_page_token of the page before, of the same list');
  return { size, after };
}

/**
 * Cuts a page out of rows, of which one more than its size was asked for. The token is empty at the end of the list,
 * else it names the list and `keyOf` its last row.
 */
export function cutPage<Row>(
  list: string,
  rows: readonly Row[],
  { size, keyOf }: { size: number; keyOf: (row: Row) => string[] },
): { rows: Row[]; nextPageToken: string } {
  const page = rows.slice(0, size);
  const last = page.at(-1);
  const isEnd = rows.length <= size || last === undefined;
  return { rows: page, nextPageToken: isEnd ? '' : encode([list, ...keyOf(last)]) };
}

/** Whether a part of a token is the number of a row. */
export function isRowNumber(text: string): boolean {
  return /^[1-9]\d{0,15}$/.test(text);
}

function encode(parts: readonly string[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

function decode(token: string): string[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(token, 'base64url').toString());
    if (Array.isArray(parts) && parts.every((part) => typeof part === 'string')) return parts;
  } catch {
    // Not one of ours: no list has an empty name.
  }
  return [];
}

function invalid(field: string, description: string): Fault {
  return new Fault('INVALID_REQUEST', 'the page is not valid', { violations: [{ field, description }] });
}
