import { type Command, CommanderError } from 'commander';
import { exitCodes, failureOf } from './adapters/failure.js';
import { Screen, type ScreenOptions } from './adapters/screen.js';
import { Session, type Surroundings } from './adapters/session.js';
import { UsageError } from './adapters/usage-error.js';
import { programOf } from './program.js';

export interface CliOptions extends ScreenOptions, Surroundings {
  /** Without the program's own name. */
  args: readonly string[];
  env: ScreenOptions['env'] & Surroundings['env'];
}

/** Runs one command; resolves with the exit code and leaves nothing open. */
export async function runCli(options: CliOptions): Promise<number> {
  const screen = new Screen(options);
  const session = new Session(screen, options);
  const program = speaking(programOf(session), options);
  try {
    await program.parseAsync([...options.args], { from: 'user' });
    return exitCodes.ok;
  } catch (error) {
    // Help and version were printed.
    if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.ok;
    // A group alone: its help was printed.
    if (error instanceof CommanderError && error.code === 'commander.help') return exitCodes.usage;
    screen.json ||= options.args.includes('--json');
    const failure = failureOf(usageOf(error), session.address, helpCommand(program, options.args));
    screen.fail(failure);
    return failure.exitCode;
  } finally {
    session.close();
  }
}

/** Commands print where the options say, and end nothing by themselves. */
function speaking(command: Command, { stdout, stderr }: Pick<ScreenOptions, 'stdout' | 'stderr'>): Command {
  command.exitOverride().configureOutput({
    writeOut: (text) => void stdout.write(text),
    writeErr: (text) => void stderr.write(text),
    outputError: () => undefined, // Told by `fail`, as every failure.
  });
  for (const inner of command.commands) speaking(inner, { stdout, stderr });
  return command;
}

/** What commander found wrong is a usage error as any other. */
function usageOf(error: unknown): unknown {
  if (!(error instanceof CommanderError)) return error;
  return new UsageError([error.message.replace(/^error: /, '')]);
}

/** `holdfast limits set --help`: the help of as many commands as were named. */
function helpCommand(program: Command, args: readonly string[]): string {
  const names = [program.name()];
  let command = program;
  for (const arg of args) {
    const named = command.commands.find((candidate) => candidate.name() === arg);
    if (named === undefined) continue; // An option or its value.
    command = named;
    names.push(command.name());
  }
  return `${names.join(' ')} --help`;
}
