// npm test [-- NAME…]: builds, then runs the test files, or those whose path contains a NAME.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const built = spawnSync(process.execPath, [fileURLToPath(new URL('build.mjs', import.meta.url))], { stdio: 'inherit' });
if (built.status === 0) await import('../dist/libs/testing/run.js');
else process.exitCode = 1;
