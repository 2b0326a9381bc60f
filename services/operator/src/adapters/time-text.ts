/** `2026-03-02 10:00:01Z`, or `-` when there is none. */
export function instantText(instant: Date | undefined): string {
  return instant === undefined ? '-' : `${instant.toISOString().slice(0, 19).replace('T', ' ')}Z`;
}

/** `10:00:01Z` of today. */
export function clockText(instant: Date): string {
  return `${instant.toISOString().slice(11, 19)}Z`;
}

/** About how long: `340 ms`, `1.2 s`, `45 s`, `10 min`, `3 h`, `2 d`. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${(ms / 1_000).toFixed(1)} s`;
  if (ms < 90_000) return `${Math.round(ms / 1_000)} s`;
  if (ms < 90 * 60_000) return `${Math.round(ms / 60_000)} min`;
  if (ms < 36 * 3_600_000) return `${Math.round(ms / 3_600_000)} h`;
  return `${Math.round(ms / 86_400_000)} d`;
}

/** Exactly how long: `15 min`, `1 min 35 s`, `36 h`, `2 d 1 h`, `0 s`. */
export function exactText(seconds: number): string {
  const units = [
    ...(seconds < 2 * 86_400 ? [] : [['d', 86_400] as const]),
    ...([
      ['h', 3_600],
      ['min', 60],
      ['s', 1],
    ] as const),
  ];
  const parts: string[] = [];
  let left = seconds;
  for (const [unit, size] of units) {
    if (left >= size) parts.push(`${Math.floor(left / size)} ${unit}`);
    left %= size;
  }
  return parts.join(' ') || '0 s';
}

/** When it ends, and how long that is: `2026-03-02 10:10:00Z (in 10 min)`. */
export function untilText(end: Date | undefined, now: Date): string {
  if (end === undefined) return '-';
  const left = end.getTime() - now.getTime();
  return `${instantText(end)} (${left > 0 ? `in ${durationText(left)}` : 'over'})`;
}

/** As JSON tells it; null when there is none. */
export function instantJson(instant: Date | undefined): string | null {
  return instant?.toISOString() ?? null;
}
