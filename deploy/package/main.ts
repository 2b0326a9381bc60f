// npm run package: writes dist/client-package and packs it into holdfast-client-VERSION.tgz, which npm install takes as it is.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { packageClient } from './package-client.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const folder = fileURLToPath(new URL('../../client-package/', import.meta.url));
packageClient(folder);
const { status } = spawnSync('npm', ['pack', '--silent', '--pack-destination', root], {
  cwd: folder,
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
