import { type CliOptions, runCli } from '../src/cli.js';
import { meshDirectory as meshHere } from './mesh-here.js';

/** What one command printed and ended with. */
export interface Printed {
  code: number;
  out: string;
  err: string;
}

export interface Surroundings {
  env?: Record<string, string>;
  meshDirectory?: string;
  loginName?: string | undefined;
  /** Whether the output goes to a terminal. */
  isTTY?: boolean;
  /** Lines of the terminal. */
  rows?: number;
}

/** A command that runs on until it is stopped. */
export interface Watching {
  /** What it has printed so far. */
  printed: { out: string; err: string };
  /** As Ctrl-C; resolves when the command has ended. */
  stop(): Promise<Printed>;
}

/** Runs `holdfast …args` in this process. */
export async function holdfast(args: readonly string[], around: Surroundings = {}): Promise<Printed> {
  const { options, printed } = optionsOf(args, around);
  const code = await runCli(options);
  return { code, ...printed };
}

/** Runs a command that watches, looking again every few milliseconds. */
export function watching(args: readonly string[], around: Surroundings = {}): Watching {
  const { options, printed, interrupt } = optionsOf(args, around);
  const ended = runCli(options);
  return {
    printed,
    async stop() {
      interrupt();
      return { code: await ended, ...printed };
    },
  };
}

function optionsOf(args: readonly string[], around: Surroundings) {
  const { env = {}, meshDirectory = meshHere, isTTY = false, rows = 0 } = around;
  const loginName = 'loginName' in around ? around.loginName : 'anna';
  const printed = { out: '', err: '' };
  const sink = (name: 'out' | 'err') => ({
    isTTY,
    rows,
    write: (text: string): void => {
      printed[name] += text;
    },
  });
  const interrupt = new AbortController();
  const options: CliOptions = {
    args,
    env,
    meshDirectory,
    loginName,
    stdout: sink('out'),
    stderr: sink('err'),
    watchEveryMs: 5,
    interrupted: () => interrupt.signal,
  };
  return { options, printed, interrupt: () => interrupt.abort() };
}
