import { type Logger, pino } from 'pino';

export type { Logger } from 'pino';

/** Levels from the most to the least talkative, then none at all. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** One JSON object a line on stdout, with `level` as a word, `time` in RFC 3339 and `err` as type, message and stack. */
export function createLogger(name: string, level: LogLevel): Logger {
  return pino({
    name,
    level,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
  });
}
