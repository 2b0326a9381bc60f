import { stripVTControlCharacters } from 'node:util';

/** One column: its title, and on which side its texts stand; figures stand on the right. */
export interface Column {
  title: string;
  side?: 'left' | 'right';
}

/** Rows under titles, as wide as they must be; colours do not count. */
export function renderTable(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const titles = columns.map(({ title }) => title);
  const widths = columns.map((_, at) => Math.max(...[titles, ...rows].map((row) => visibleLength(row[at] ?? ''))));
  const line = (row: readonly string[]): string =>
    columns
      .map(({ side }, at) => padded(row[at] ?? '', widths[at] ?? 0, side))
      .join('  ')
      .trimEnd();
  return [titles, ...rows].map(line).join('\n');
}

/** Facts with their names before them, indented by two. */
export function renderFacts(facts: readonly (readonly [name: string, text: string])[]): string {
  const width = Math.max(...facts.map(([name]) => name.length));
  return facts.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`).join('\n');
}

function padded(text: string, width: number, side: Column['side']): string {
  const room = ' '.repeat(width - visibleLength(text));
  return side === 'right' ? room + text : text + room;
}

function visibleLength(text: string): number {
  return stripVTControlCharacters(text).length;
}
