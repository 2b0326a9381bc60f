import { openTracing } from '#libs/tracing/open-tracing.js';
import type { TracingConfig } from '#libs/tracing/tracing-settings.js';
import { ConfigError, type Env } from './config.js';
import { Lifecycle } from './lifecycle.js';
import { createLogger, type LogLevel } from './logger.js';

/** What a configuration may say to whoever runs it. */
interface CommonConfig {
  readonly logLevel?: LogLevel;
  readonly instance?: string;
  readonly tracing?: TracingConfig | undefined;
}

/**
 * Runs one service as the process: reads its configuration, starts it, and serves until a signal.
 *
 * SIGTERM or SIGINT: closes in reverse order within the grace time and exits 0, or 1 with what failed or hung in the
 * log. A second signal exits at once. A configuration that cannot be used is printed problem by problem, exit 1; a start
 * that fails, a rejection or an exception nobody caught is logged, exit 1.
 *
 * The only place that reads `process.env`.
 */
export async function runService<Config extends CommonConfig>(
  name: string,
  readConfig: (env: Env) => Config,
  start: (config: Config, life: Lifecycle) => Promise<unknown>,
): Promise<void> {
  const config = configOrExit(name, () => readConfig(process.env));
  const logger = createLogger(name, config.logLevel ?? 'info');
  const life = new Lifecycle(logger);

  for (const event of ['unhandledRejection', 'uncaughtException'] as const) {
    process.on(event, (error: unknown) => {
      logger.fatal({ err: error }, event);
      process.exit(1);
    });
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (life.closing.aborted) process.exit(1);
      logger.info({ signal }, 'closing');
      void life.close().then((clean) => process.exit(clean ? 0 : 1));
    });
  }

  try {
    const { tracing, instance = `${name}-${process.pid}` } = config;
    if (tracing !== undefined) await openTracing(tracing, { service: name, instance }, life);
    await start(config, life);
    life.ready();
    logger.info('ready');
  } catch (error) {
    if (life.closing.aborted) return;
    logger.fatal({ err: error }, 'could not start');
    await life.close();
    process.exit(1);
  }
}

function configOrExit<Config>(name: string, read: () => Config): Config {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${name} cannot start with this configuration:\n${error.message}\n`);
    process.exit(1);
  }
}
