/** How many characters a reason may have. */
const longestReason = 500;
const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };
const id = /^[\x21-\x7e]{1,128}$/;

/** A whole number between bounds, as it was typed. */
export interface TypedNumber {
  /** What it is called on the command line: `--limit`, or `VERSION`. */
  name: string;
  text: string | undefined;
  low: number;
  high: number;
}

/** An id of a store or a sku, noted among the problems when it is none. */
export function readId(name: string, text: string | undefined, problems: string[]): string | undefined {
  if (text === undefined || id.test(text)) return text;
  problems.push(`${name} ${JSON.stringify(text)}: an id has 1 to 128 printable ASCII characters without spaces`);
  return undefined;
}

/** Why something is changed; without a reason nothing is. */
export function readReason(text: string | undefined, problems: string[]): string {
  if (text === undefined || text.trim() === '') {
    problems.push(
      '--reason is missing: say why for those who read the history, for example --reason "upgrade of Redis"',
    );
    return '';
  }
  if (text.length > longestReason || /\p{Cc}/u.test(text)) {
    problems.push(`--reason: say it in up to ${longestReason} characters, none of them a control character`);
  }
  return text;
}

/** A whole number, noted among the problems when it is none or out of bounds. */
export function readNumber({ name, text, low, high }: TypedNumber, problems: string[]): number | undefined {
  if (text === undefined) return undefined;
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= low && value <= high) return value;
  problems.push(`${name} ${JSON.stringify(text)}: give a whole number from ${low} to ${high}`);
  return undefined;
}

/** Seconds of a duration such as 30s, 10m, 2h or 1h30m, from one second to a year. */
export function readDuration(name: string, text: string | undefined, problems: string[]): number | undefined {
  if (text === undefined) return undefined;
  const seconds = durationSeconds(text);
  if (seconds !== undefined && seconds >= 1 && seconds <= 365 * 86_400) return seconds;
  problems.push(`${name} ${JSON.stringify(text)}: give a duration such as 30s, 10m, 2h or 1h30m, up to 365d`);
  return undefined;
}

/** Seconds of a text such as 10m or 1h30m; undefined when it is no duration. */
export function durationSeconds(text: string): number | undefined {
  if (!/^(?:\d{1,9}[dhms])+$/.test(text)) return undefined;
  const parts = [...text.matchAll(/(\d+)([dhms])/g)];
  return parts.reduce((sum, [, figure, unit = '']) => sum + Number(figure) * (unitSeconds[unit] ?? 0), 0);
}
