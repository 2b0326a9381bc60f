import { renderTable } from '#libs/terminal/table.js';
import { FUZZ_HELP, type FuzzArguments, readArguments } from './arguments.js';
import type { Findings } from './findings.js';
import { type FuzzReport, runFuzz } from './fuzz.js';
import { onPrivateMesh } from './private-mesh.js';

const PROGRESS_EVERY = 1_000;
const COMMONEST = 40;

await main();

async function main(): Promise<void> {
  let given: FuzzArguments | undefined;
  try {
    given = readArguments(process.argv.slice(2));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(2);
  }
  if (given === undefined) {
    process.stdout.write(FUZZ_HELP);
    return;
  }
  const { count, seed, json } = given;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));
  try {
    const { report, findings } = await onPrivateMesh(console.error, (mesh) =>
      runFuzz({ mesh: () => mesh.describe(), count, seed, onProgress: (sent) => showProgress(sent, count) }),
    );
    print(report, findings, json);
    process.exitCode = report.wrong === 0 ? 0 : 1;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}

function showProgress(sent: number, count: number): void {
  if (process.stderr.isTTY && sent % PROGRESS_EVERY === 0) process.stderr.write(`\r\u001b[K${sent}/${count} sent`);
}

function print(report: FuzzReport, { answers, kept }: Findings, json: boolean): void {
  for (const { target, wrong, sent } of kept) console.error(`${target}: ${wrong}\n  sent: ${sent}`);
  if (json) {
    console.log(JSON.stringify(report));
    return;
  }
  const commonest = [...answers].sort(([, a], [, b]) => b - a).slice(0, COMMONEST);
  const rows = commonest.map(([answer, times]) => [answer, String(times)]);
  console.log(renderTable([{ title: 'answer' }, { title: 'times', side: 'right' }], rows));
  const { sent, wrong, orders_told, restarted, seed } = report;
  console.log(
    `\n${sent} sent (seed ${seed}), ${wrong} wrong, ${orders_told} orders told, ${restarted.length} processes restarted`,
  );
}
