import { runCli } from '../src/cli.js';

/** What one command printed and ended with. */
export interface Printed {
  code: number;
  out: string;
  err: string;
}

export interface Surroundings {
  env?: Record<string, string>;
  meshDirectory?: string;
  /** Whether the output goes to a terminal. */
  isTTY?: boolean;
}

/** Runs `holdfast …args` in this process. */
export async function holdfast(args: readonly string[], around: Surroundings = {}): Promise<Printed> {
  const { env = {}, meshDirectory = '/nowhere', isTTY = false } = around;
  const printed = { out: '', err: '' };
  const sink = (name: 'out' | 'err') => ({
    isTTY,
    write: (text: string): void => {
      printed[name] += text;
    },
  });
  const code = await runCli({ args, env, meshDirectory, stdout: sink('out'), stderr: sink('err') });
  return { code, ...printed };
}
