import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const entry = 'libs/client/index.js';

interface Package {
  version: string;
  license: string;
  engines: Record<string, string>;
  dependencies: Record<string, string>;
}

/**
 * Writes @holdfast/client into `folder`, which is emptied before: the compiled modules that its face reaches and no others, their
 * types, and a package.json with the packages that they import in the exact versions of this tree. Throws with what does not compile.
 */
export function packageClient(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const { files, packages } = reachedFrom(entry);
  for (const file of files) cpSync(join(root, 'dist', file), join(folder, file), { recursive: true });
  writeTypes(folder);
  for (const name of ['LICENSE', 'libs/client/README.md']) cpSync(join(root, name), join(folder, posix.basename(name)));
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest(packages), null, 2)}\n`);
}

/** The modules of dist that a module imports, itself included, and the packages. */
function reachedFrom(first: string): { files: string[]; packages: string[] } {
  const files = new Set([first]);
  const packages = new Set<string>();
  // A set that grows while it is walked is walked to its end.
  for (const file of files) {
    for (const module of importsOf(readFileSync(join(root, 'dist', file), 'utf8'))) {
      if (module.startsWith('#libs/')) files.add(module.slice(1));
      else if (module.startsWith('.')) files.add(posix.join(dirname(file), module));
      else if (!module.startsWith('node:')) packages.add(/^(@[^/]+\/)?[^/]+/.exec(module)?.[0] ?? module);
    }
  }
  return { files: [...files], packages: [...packages].sort() };
}

function importsOf(text: string): string[] {
  return [...text.matchAll(/^(?:import|export) (?:[^'"]*? from )?['"]([^'"]+)['"]/gm)].map(
    ([, module]) => module ?? '',
  );
}

/** The types of all that the face reaches; they name each other by the `imports` of the package, as the code does. */
function writeTypes(folder: string): void {
  const scratch = mkdtempSync(join(root, 'dist', 'types-'));
  const config = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: { declaration: true, emitDeclarationOnly: true, sourceMap: false, rootDir: root, outDir: folder },
    files: [join(root, entry.replace(/js$/, 'ts'))],
    include: [],
  };
  writeFileSync(join(scratch, 'tsconfig.json'), JSON.stringify(config));
  const { status, stdout } = spawnSync(join(root, 'node_modules', '.bin', 'tsc'), ['-p', scratch], {
    encoding: 'utf8',
  });
  rmSync(scratch, { recursive: true });
  if (status !== 0) throw new Error(`the types of the client cannot be written\n${stdout}`);
}

function manifest(packages: string[]): object {
  const { version, license, engines, dependencies } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  ) as Package;
  const path = `./${entry}`;
  return {
    ...{ name: '@holdfast/client', version, license, engines, type: 'module' },
    description:
      'Books with Holdfast over gRPC: one request id for each intent, its place in line kept, streams that go on.',
    exports: { '.': { types: path.replace(/js$/, 'd.ts'), default: path } },
    imports: { '#libs/*': './libs/*' },
    dependencies: Object.fromEntries(packages.map((name) => [name, dependencies[name]])),
  };
}
