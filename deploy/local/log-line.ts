const LOUD = new Set(['warn', 'error', 'fatal']);
/** Terminal colours told apart at a glance; red is left to errors. */
const COLOURS = [36, 33, 35, 32, 34];

/**
 * What a person is shown of a line that a service wrote: its name before it, and of structured lines only warnings and
 * worse; undefined for the rest. What is no JSON is shown as it is, for a process that writes so is in trouble.
 */
export function shownLine(name: string, line: string, colours: boolean): string | undefined {
  const prefix = colours ? `\u001b[${colourOf(name)}m${name}\u001b[0m` : name;
  const entry = parse(line);
  if (!entry) return `${prefix} ${line}`;
  const { level, msg, err } = entry;
  if (!LOUD.has(String(level))) return undefined;
  const cause = err?.message ? `: ${err.message}` : '';
  const word = colours && level !== 'warn' ? `\u001b[31m${level}\u001b[0m` : level;
  return `${prefix} ${word} ${msg ?? ''}${cause}`;
}

function parse(line: string): { level?: unknown; msg?: string; err?: { message?: string } } | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function colourOf(name: string): number {
  const sum = [...name.replace(/-\d+$/, '')].reduce((total, letter) => total + letter.charCodeAt(0), 0);
  return COLOURS[sum % COLOURS.length] ?? 36;
}
