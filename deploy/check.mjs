// npm run check: all that CI does. The static checks first, then the tests; the last line counts both.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { ensureInstalled, filesUnder, root, runTool } from './toolchain.mjs';

const program =
  (name, ...args) =>
  () =>
    runTool(name, args, { capture: true });
const formatted = ['format', '--diff', '--exit-code', '--exclude-path', 'proto/google'];
const onlyTested = ['--no-progress', '--production', '--include', 'files,dependencies'];
const checks = [
  { name: 'build', run: program(process.execPath, join('deploy', 'build.mjs')) },
  { name: 'lint and format', run: program('biome', 'ci', '--error-on-warnings', '--colors=off') },
  { name: 'unused code', run: program('knip', '--no-progress') },
  { name: 'used by tests alone', run: program('knip', ...onlyTested) },
  { name: 'contracts: lint', run: program('buf', 'lint') },
  { name: 'contracts: format', run: program('buf', ...formatted) },
  { name: 'contracts: breaking', run: program('buf', 'breaking', '--against', join('proto', 'baseline.binpb')) },
  { name: 'contracts: generated', run: generatedCode },
];

await ensureInstalled();
const rows = [];
for (const { name, run } of checks) {
  const startedAt = performance.now();
  const { code, output } = run();
  if (code !== 0) console.log(`\n✘ ${name}\n${output.trimEnd()}\n`);
  rows.push({ name, verdict: code === 0 ? 'ok' : 'FAILED', seconds: (performance.now() - startedAt) / 1000 });
}
const startedAt = performance.now();
const tests = await runTests(rows[0].verdict === 'ok');
const verdict = tests.code === 0 ? 'ok' : 'FAILED';
rows.push({ name: `tests (${tests.passed})`, verdict, seconds: (performance.now() - startedAt) / 1000 });
process.exitCode = conclude(rows, tests);

// Generated again elsewhere and compared, so that the code in the tree is the one the contracts give.
function generatedCode() {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-generate-'));
  try {
    const generated = program('buf', 'generate', '-o', folder)();
    if (generated.code !== 0) return generated;
    const [now, committed] = [folder, root].map((base) => contents(join(base, 'libs', 'contracts', 'gen')));
    const names = [...new Set([...now.keys(), ...committed.keys()])].sort();
    const differing = names.filter((name) => now.get(name) !== committed.get(name));
    const output = differing.map((name) => `libs/contracts/gen/${name} differs: npm run generate`).join('\n');
    return { code: differing.length === 0 ? 0 : 1, output };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function contents(folder) {
  return new Map(filesUnder(folder, ['.']).map((file) => [relative(folder, file), readFileSync(file, 'utf8')]));
}

// The code of a failed build is not worth testing.
async function runTests(built) {
  if (!built) return { code: 1, passed: 0, failed: 1, skipped: 0 };
  const child = spawn(process.execPath, [join(root, 'dist', 'libs', 'testing', 'run.js')], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.on('data', (chunk) => {
    printed += chunk;
    process.stdout.write(chunk);
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  const [, passed, failed, skipped] = /(\d+) passed, (\d+) failed, (\d+) skipped\n$/.exec(printed) ?? [0, 0, 1, 0];
  return { code, passed: Number(passed), failed: Number(failed), skipped: Number(skipped) };
}

function conclude(rows, tests) {
  const checked = rows.slice(0, -1);
  const passed = checked.filter((row) => row.verdict === 'ok').length;
  const testsFailed = tests.code === 0 ? 0 : Math.max(1, tests.failed);
  const failed = checked.length - passed + testsFailed;
  console.log('');
  for (const row of rows)
    console.log(`${row.name.padEnd(24)} ${row.verdict.padEnd(8)} ${row.seconds.toFixed(1).padStart(6)} s`);
  console.log(`${tests.passed + passed} passed, ${failed} failed, ${tests.skipped} skipped`);
  return failed === 0 ? 0 : 1;
}
