import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Lifecycle } from '#libs/runtime/lifecycle.js';
import { createLogger } from '#libs/runtime/logger.js';
import { assert, suite } from '#libs/testing/suite.js';
import type { Benchmark } from './benchmark.js';
import type { RunFacts } from './report.js';
import { runBenchmarks } from './run-benchmarks.js';
import { describeSummary, summaryLine, summaryPage } from './summary.js';
import type { Survey } from './survey.js';

const test = suite('running benchmarks');

const facts: RunFacts = {
  ...{ commit: 'abc-dirty', quick: true },
  machine: {
    ...{ cores: 2, cpu: 'a cpu', memory_gb: 8, node: 'v20', postgres: '15', redis: '7', nats: '2.9', fsync_us: 300 },
  },
};

function benchmark(id: string, rate: number, more: Partial<Benchmark> = {}): Benchmark {
  const arm = (name: string, items: number, busy = 0) => ({
    name,
    run: async () => ({ items, durationMs: 1_000, counters: { driver_busy_share: busy }, violations: [] }),
  });
  const open = async () => ({ a: arm('ours', rate), b: arm('rival', 100, 0.9), reported: [] });
  return { id, title: `title of ${id}`, unit: 'items/s', gate: 3, goal: 8, open, ...more };
}

const failing = benchmark('P2', 0, { open: () => Promise.reject(new Error('no server')) });
const survey: Survey = {
  ...{ id: 'P10', title: 'a survey' },
  survey: async () => ({ text: 'a table', figures: {}, violations: ['a unit was sold twice'] }),
};

async function run(chosen: (Benchmark | Survey)[]) {
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-bench-'));
  const life = new Lifecycle(createLogger('bench', 'silent'));
  const events: string[] = [];
  const shared = {
    mesh: () => Promise.reject(new Error('nobody asks')),
    ledgerCopies: () => Promise.reject(new Error('nobody asks')),
    stopMesh: async () => void events.push('stop mesh'),
    stopLargeMesh: async () => undefined,
  };
  try {
    const ran = await runBenchmarks(chosen, {
      ...{ facts, pairs: 2, directory, life, shared },
      progress: { next: () => {}, say: () => {}, clear: () => {} },
      onEnded: ({ id }) => void events.push(id),
    });
    return { ...ran, events };
  } finally {
    await life.close();
    rmSync(directory, { recursive: true });
  }
}

test('one that throws is a line that failed, and the others run', async () => {
  const { lines } = await run([benchmark('P1', 400), failing, benchmark('P3', 900)]);
  assert.equal(
    lines.map(({ id, gates_met, invariants_ok }) => [id, gates_met, invariants_ok]),
    [
      ['P1', true, true],
      ['P2', false, false],
      ['P3', true, true],
    ],
  );
  assert.match(String((lines[1] as { error?: string } | undefined)?.error), 'no server');
  assert.is(lines[0]?.commit, 'abc-dirty');
});

test('the shared mesh is stopped after the last who uses it, and after a broken law', async () => {
  const sharing = (id: string): Benchmark => benchmark(id, 400, { sharesMesh: true });
  const { events } = await run([sharing('P1'), benchmark('P2', 400), sharing('P3')]);
  assert.equal(events, ['P1', 'P2', 'P3', 'stop mesh']);
  const broken = await run([survey, sharing('P3')]);
  assert.equal(broken.events, ['P10', 'stop mesh', 'P3', 'stop mesh']);
});

test('the last line says whether all gates are met and all laws held', async () => {
  const good = await run([benchmark('P1', 400)]);
  const { gates_met: met, invariants_ok: ok, benchmarks } = summaryLine(good.lines, facts, 1);
  assert.equal([met, ok, benchmarks], [true, true, 1]);
  const missed = summaryLine((await run([benchmark('P1', 400), benchmark('P9', 200)])).lines, facts, 1);
  assert.equal([missed.gates_met, missed.invariants_ok, missed.failing], [false, true, ['P9']]);
  const broken = summaryLine((await run([survey])).lines, facts, 1);
  assert.equal([broken.gates_met, broken.invariants_ok], [false, false]);
});

test('a person reads a row for each figure, in the order of the ids, and when the driver was the bottleneck', async () => {
  const { reports } = await run([survey, failing, benchmark('P1', 400)]);
  const rows = describeSummary(reports).split('\n');
  assert.equal(
    rows.map((row) => row.split(/ {2,}/).slice(0, 3)),
    [
      ['id', 'figure', 'is'],
      ['P1', 'ratio to rival', '4 (4 to 4)'],
      ['P2', 'VOID', 'it failed: no server'],
      ['P10', 'VOID', 'a unit was sold twice'],
    ],
  );
  const page = summaryPage(reports, facts, 'npm run bench -- all --quick');
  assert.match(page, '`npm run bench -- all --quick` at abc-dirty, on 2 cores (a cpu)');
  assert.match(page, /\| P1 +\| ratio to rival \| 4 \(4 to 4\) +\| >= 3 met \| >= 8 open, at 50 % of it \|/);
  assert.match(page, '- P1: the load generator was busy nearly all the time in B alone');
});

test.run();
