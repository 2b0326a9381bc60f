import { type Logger, pino } from 'pino';

export type { Logger } from 'pino';

/** Levels from the most to the least talkative, then none at all. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

// Whoever read the log is gone. That must not end the process, and pino's own destination would write a fatal line to it
// again and again for ever.
process.stdout.on('error', () => undefined);

/** One JSON object a line on stdout, with `level` as a word, `time` in RFC 3339 and `err` as type, message and stack. */
export function createLogger(name: string, level: LogLevel): Logger {
  const options = {
    name,
    level,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return pino(options, process.stdout);
}
