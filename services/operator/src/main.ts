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
});
