const width = 120;

/** A heading of Markdown. */
export function heading(level: number, text: string): string {
  return `${'#'.repeat(level)} ${text}`;
}

/** The text in lines that fit; how it was broken before is of no matter. */
export function paragraph(text: string): string {
  return filled(text, '');
}

/** The text as an item of a list. */
export function bullet(text: string): string {
  return `- ${filled(text, '  ')}`;
}

/** A table whose columns stand below each other in the source as well. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((cell, column) => Math.max(cell.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `| ${widths.map((cellWidth, column) => (cells[column] ?? '').padEnd(cellWidth)).join(' | ')} |`;
  return [line(head), line(widths.map((cellWidth) => '-'.repeat(cellWidth))), ...rows.map(line)].join('\n');
}

function filled(text: string, indent: string): string {
  const lines: string[] = [];
  for (const word of text.trim().split(/\s+/)) {
    const last = lines.at(-1);
    const room = width - indent.length;
    if (last === undefined || last.length + 1 + word.length > room) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.join(`\n${indent}`);
}
