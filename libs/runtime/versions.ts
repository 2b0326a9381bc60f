/** The oldest servers that every part is tested with; older ones are refused at boot. */
export const minimumServerVersions = { postgres: '15', redis: '7.0', nats: '2.9' } as const;

/**
 * Compares dotted versions number by number: `isOlder('7.0.15', '7.0')` is false, `isOlder('6.2', '7.0')` true.
 * Anything after the leading numbers ("-beta", " (Debian 15.18)") is ignored.
 */
export function isOlder(version: string, minimum: string): boolean {
  const have = numbersOf(version);
  for (const [index, wanted] of numbersOf(minimum).entries()) {
    const given = have[index] ?? 0;
    if (given !== wanted) return given < wanted;
  }
  return false;
}

function numbersOf(version: string): number[] {
  const leading = /^\d+(\.\d+)*/.exec(version)?.[0] ?? '0';
  return leading.split('.').map(Number);
}
