import { Command, CommanderError } from 'commander';
import { exitCodes, failureOf } from './adapters/failure.js';
import { addLimitsCommands } from './adapters/limits-commands.js';
import { Screen, type ScreenOptions } from './adapters/screen.js';
import { Session } from './adapters/session.js';
import { UsageError } from './adapters/usage-error.js';

export interface CliOptions extends ScreenOptions {
  /** Without the program's own name. */
  args: readonly string[];
  env: { readonly NO_COLOR?: string | undefined; readonly HOLDFAST_GATEWAY?: string | undefined };
  /** Where a mesh that runs on this machine leaves its mesh.json. */
  meshDirectory: string;
}

const epilogue = `
Run it in the clone of Holdfast: npx --no-install holdfast …, or npm run holdfast -- …. Elsewhere npx asks the public
registry for a package of that name, which is not this one.

The gateway is the one named with --gateway, else with HOLDFAST_GATEWAY, else that of the mesh which npm start runs on
this machine, else 127.0.0.1:7011.

Exit codes: 0 done; 1 the gateway said no; 2 the command is not right; 3 no gateway answered, or a part behind it is away.`;

/** Runs one command; resolves with the exit code and leaves nothing open. */
export async function runCli(options: CliOptions): Promise<number> {
  const screen = new Screen(options);
  const session = new Session(screen, options);
  const program = programOf(session, options);
  try {
    await program.parseAsync([...options.args], { from: 'user' });
    return exitCodes.ok;
  } catch (error) {
    // Help and version were printed.
    if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.ok;
    // A group alone: its help was printed.
    if (error instanceof CommanderError && error.code === 'commander.help') return exitCodes.usage;
    screen.json ||= options.args.includes('--json');
    const failure = failureOf(usageOf(error), session.gateway, helpCommand(program, options.args));
    screen.fail(failure);
    return failure.exitCode;
  } finally {
    session.close();
  }
}

function programOf(session: Session, { stdout, stderr }: CliOptions): Command {
  const program = new Command('holdfast')
    .description("The operators' commands of Holdfast: see and set how it sells.")
    .option('--gateway <host:port>', 'the gateway to ask')
    .option('--json', 'one JSON document on stdout, errors as JSON on stderr')
    .addHelpText('after', epilogue)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void stderr.write(text),
      outputError: () => undefined, // Told by `fail`, as every failure.
    })
    // Groups and their commands take the options of all, wherever they stand.
    .hook('preAction', (_program, command) => {
      const { gateway, json } = command.optsWithGlobals<{ gateway?: string; json?: boolean }>();
      session.given = gateway;
      session.screen.json = json ?? false;
    });
  addLimitsCommands(program, session);
  return program;
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
