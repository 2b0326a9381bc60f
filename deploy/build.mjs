// npm run build: compiles the sources into dist/ and puts everything they read at run time beside them.
import { copyFileSync, existsSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { dirname, extname, join, relative } from 'node:path';
import { ensureInstalled, filesUnder, root, runTool } from './toolchain.mjs';

const sources = ['libs', 'services', 'deploy', 'test', 'bench', 'examples', 'simulation'];
const assets = new Set(['.sql', '.lua', '.json', '.binpb', '.mjs']);
const dist = join(root, 'dist');

try {
  await ensureInstalled();
  if (!existsSync(join(dist, '.tsbuildinfo'))) console.log('compiling');
  removeStale();
  copyAssets();
  describeContracts();
  process.exitCode = runTool('tsc', ['--incremental', '--tsBuildInfoFile', 'dist/.tsbuildinfo']).code;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

// A test whose source was deleted must not run on from dist/. And tsc trusts its own notes about
// what it has written: without them it writes again what somebody removed.
function removeStale() {
  for (const file of filesUnder(dist, sources)) {
    const source = join(root, relative(dist, file));
    const kept = existsSync(source) || existsSync(source.replace(/\.js(\.map)?$/, '.ts'));
    if (!kept) rmSync(file);
  }
  const isCompiled = (file) => existsSync(join(dist, relative(root, file)).replace(/\.ts$/, '.js'));
  const typed = filesUnder(root, sources).filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'));
  if (!typed.every(isCompiled)) rmSync(join(dist, '.tsbuildinfo'), { force: true });
}

function copyAssets() {
  for (const file of filesUnder(root, sources)) {
    if (!assets.has(extname(file)) || dirname(file) === join(root, 'deploy')) continue;
    const copy = join(dist, relative(root, file));
    if (existsSync(copy) && statSync(copy).mtimeMs >= statSync(file).mtimeMs) continue;
    mkdirSync(dirname(copy), { recursive: true });
    copyFileSync(file, copy);
  }
}

// What gRPC reflection serves.
function describeContracts() {
  const descriptors = join(dist, 'holdfast.binpb');
  const inputs = [join(root, 'buf.yaml'), ...filesUnder(root, ['proto']).filter((file) => file.endsWith('.proto'))];
  const changedAt = Math.max(...inputs.map((file) => statSync(file).mtimeMs));
  if (existsSync(descriptors) && statSync(descriptors).mtimeMs > changedAt) return;
  mkdirSync(dist, { recursive: true });
  if (runTool('buf', ['build', '--as-file-descriptor-set', '-o', descriptors]).code !== 0) {
    throw new Error('the contracts do not build');
  }
}
