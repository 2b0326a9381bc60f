import { userInfo } from 'node:os';
import { MESH_DIRECTORY } from '#libs/mesh/mesh-file.js';
import { runCli } from './cli.js';

// Whoever reads through `head` has read enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

process.exitCode = await runCli({
  args: process.argv.slice(2),
  env: process.env,
  stdout: process.stdout,
  stderr: process.stderr,
  meshDirectory: MESH_DIRECTORY,
  loginName: loginName(),
  watchEveryMs: 1_000,
  interrupted,
});

/** Ctrl-C ends a watch in order; a command that does not ask for this ends as processes do. */
function interrupted(): AbortSignal {
  const controller = new AbortController();
  process.once('SIGINT', () => controller.abort());
  return controller.signal;
}

/** Undefined in a container whose user has no name. */
function loginName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}
