const form = /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?$/i;
const formats = new Map<string, Intl.DateTimeFormat>();
const dayMs = 86_400_000;

/** Whether it is a name of the time-zone database, such as Europe/Berlin. */
export function isTimeZone(name: string): boolean {
  if (name === '') return false;
  try {
    formatOf(name);
    return true;
  } catch {
    return false;
  }
}

/**
 * The instant of a date-time: RFC 3339 with its offset, or the clock of a time zone. Else what is wrong with it, in words
 * that follow its name.
 */
export function readInstant(text: string, timeZone: string): Date | string {
  const [, year, month, day, hour, minute, second = '00', offset] = form.exec(text) ?? [];
  const clockMs = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second));
  if (year === undefined || !isSameClock(clockMs, `${year}-${month}-${day}T${hour}:${minute}:${second}`)) {
    return 'give a date and time such as 2026-03-02T10:00:00Z, or 2026-03-02 10:00 beside a time_zone';
  }
  if (offset !== undefined) return ofOffset(clockMs, offset.toUpperCase());
  if (timeZone === '') return 'give a time_zone beside it, or an offset as in 2026-03-02T10:00:00+01:00';
  if (!isTimeZone(timeZone)) return 'cannot be read, since time_zone is none';
  return ofZone(clockMs, timeZone);
}

/** February 30 is a date to Date.UTC, which makes March 2 of it. */
function isSameClock(clockMs: number, text: string): boolean {
  return Number.isFinite(clockMs) && new Date(clockMs).toISOString().startsWith(text);
}

function ofOffset(clockMs: number, offset: string): Date | string {
  if (offset === 'Z') return new Date(clockMs);
  const [hours, minutes] = [Number(offset.slice(1, 3)), Number(offset.slice(4, 6))];
  if (hours > 23 || minutes > 59) return `has the offset ${offset}, which is none`;
  const ms = (hours * 60 + minutes) * 60_000;
  return new Date(offset.startsWith('-') ? clockMs + ms : clockMs - ms);
}

/** A clock shows some times never and some twice, when it is put forward or back. */
function ofZone(clockMs: number, timeZone: string): Date | string {
  const offsets = new Set([offsetMs(clockMs - dayMs, timeZone), offsetMs(clockMs + dayMs, timeZone)]);
  const instants = [...offsets]
    .map((offset) => clockMs - offset)
    .filter((at) => at + offsetMs(at, timeZone) === clockMs);
  const [only, second] = instants;
  if (only === undefined) return `is never shown by the clocks of ${timeZone}: they are put forward over it`;
  if (second !== undefined) return `is shown twice by the clocks of ${timeZone}: give an offset as in ${'+01:00'}`;
  return new Date(only);
}

/** How far the clocks of a zone are ahead of UTC at an instant. */
function offsetMs(at: number, timeZone: string): number {
  const parts = Object.fromEntries(
    formatOf(timeZone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1_000) * 1_000;
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  let format = formats.get(timeZone);
  if (format === undefined) {
    const [numeric, hourCycle] = ['numeric', 'h23'] as const;
    const fields = { year: numeric, month: numeric, day: numeric, hour: numeric, minute: numeric, second: numeric };
    format = new Intl.DateTimeFormat('en-US', { timeZone, hourCycle, ...fields });
    formats.set(timeZone, format);
  }
  return format;
}
