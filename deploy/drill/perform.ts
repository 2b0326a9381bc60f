import { setTimeout as pause } from 'node:timers/promises';
import type { LedgerFacts } from '../rush/ledger-facts.js';
import { LedgerReader } from '../rush/ledger-reader.js';
import type { Reading } from '../rush/readings.js';
import { judge, type Verdict } from '../rush/verdict.js';
import { atRest, type Backlog, type Drained, drained } from './backlog.js';
import type { Drill, Twin } from './drill.js';
import { readings } from './findings.js';
import { gateBack } from './gate-back.js';
import { p99, type Times } from './measures.js';
import type { Sale } from './sale.js';
import type { SalePlan } from './sale-plan.js';
import type { Stage } from './stage.js';

/** A mesh that just began is slow; a fault before anybody was told yes would prove nothing. */
const FIRST_HELD_TIMEOUT_MS = 30_000;
/** So long what waited at healing, and then all that is left, is given to be done: more than the objective. */
const BACKLOG_PATIENCE_MS = 45_000;
const GATE_PATIENCE_MS = 20_000;
const REST_PATIENCE_MS = 30_000;
const LOOK_EVERY_MS = 20;

export interface Performance {
  drill: Drill;
  stage: Stage;
  sale: Sale;
  plan: SalePlan;
  /** Where the drill's unsafe twin is run. */
  twin?: Twin | undefined;
  /** Hears what is being done, in words. */
  report(line: string): void;
}

/** What became of a sale with a fault in its middle. */
export interface Run {
  times: Times;
  /** Just before the fault. */
  before: Reading[];
  drained: Drained;
  gateBackMs: number | null;
  left: Backlog | undefined;
  verdict: Verdict;
  p99AfterActMs: number | null;
}

/** Waits until the sale flows, breaks it, mends it, lets it end, waits until all is at rest, and judges. */
export async function perform({ drill, stage, sale, plan, twin, report }: Performance): Promise<Run> {
  await firstHeld(sale);
  await twin?.weaken?.(stage);
  await pauseUntil(sale.startsAt + plan.beforeMs);
  const before = await readings(stage);
  const faultAt = Date.now();
  report(`fault: ${drill.about}`);
  stage.story.note(`the fault: ${drill.about}`);
  await drill.fault(stage, plan);
  let actedAt: number | undefined;
  if (drill.act) {
    await pauseUntil(faultAt + plan.actAfterMs);
    await drill.act(stage);
    actedAt = Date.now();
  }
  await pauseUntil(faultAt + plan.faultMs);
  if (drill.heal) stage.story.note(`healing: ${drill.recovery}`);
  await drill.heal?.(stage);
  const healedAt = Date.now();
  stage.story.note(drill.heal ? 'healed' : 'the fault has lasted; nobody heals it');
  report('healed');
  const draining = drained(stage, healedAt, BACKLOG_PATIENCE_MS);
  const returning = gateBack(stage, healedAt, GATE_PATIENCE_MS);
  await pauseUntil(healedAt + plan.afterMs);
  const outcomes = await sale.end();
  const endedAt = Date.now();
  report('waiting until everything is at rest');
  const took = await draining;
  const left = await atRest(stage, REST_PATIENCE_MS);
  const facts = await factsOf(stage, sale);
  return {
    times: { saleAt: sale.startsAt, faultAt, healedAt, endedAt },
    before,
    drained: took,
    gateBackMs: await returning,
    left,
    verdict: judge({ scenario: sale.scenario, outcomes, ledger: facts, undecided: left?.journal.length ?? 0 }),
    p99AfterActMs: actedAt === undefined ? null : p99AfterAct(sale.sights, actedAt, healedAt),
  };
}

/** A busy machine may need a second try. */
async function factsOf({ servers }: Stage, { scenario }: Sale): Promise<LedgerFacts> {
  const ledger = new LedgerReader(servers.postgres.url);
  const skuIds = scenario.skus.map(({ skuId }) => skuId);
  const giveUpAt = Date.now() + REST_PATIENCE_MS;
  for (;;) {
    try {
      return await ledger.facts(skuIds, await ledger.clockAheadMs());
    } catch (error) {
      if (Date.now() >= giveUpAt) throw error;
    }
  }
}

/** Of those who were let in when what the operator did had had half of its time to show. */
function p99AfterAct(sights: Sale['sights'], actedAt: number, healedAt: number): number {
  const from = (actedAt + healedAt) / 2;
  const letIn = sights.filter(({ kind, method }) => method === 'POST' && (kind === 'HELD' || kind === 'PENDING'));
  return p99(letIn.filter(({ sentAt }) => sentAt >= from && sentAt < healedAt));
}

async function firstHeld(sale: Sale): Promise<void> {
  const giveUpAt = Date.now() + FIRST_HELD_TIMEOUT_MS;
  while (!sale.sights.some(({ kind }) => kind === 'HELD')) {
    if (Date.now() >= giveUpAt) throw new Error('nobody was told yes before the fault');
    await pause(LOOK_EVERY_MS);
  }
}

async function pauseUntil(at: number): Promise<void> {
  const ms = at - Date.now();
  if (ms > 0) await pause(ms);
}
