import type { Drained } from './backlog.js';
import type { Drill } from './drill.js';
import { ledgerFailures, leftOver, longestWaits, readings } from './findings.js';
import { crowdMeasures, type Times } from './measures.js';
import { type Attainment, attainments, missed, type Objectives } from './objectives.js';
import { perform, type Run } from './perform.js';
import { type DrillRow, rowOf, withFailures } from './row.js';
import { Sale } from './sale.js';
import { type SalePlan, usualPlan } from './sale-plan.js';
import { type Stage, withStage } from './stage.js';

export interface DrillOptions {
  /** Runs the unsafe twin instead. */
  control?: boolean;
  /** What is different from the drill's own plan. */
  plan?: Partial<SalePlan>;
  /** Absent: the laws alone are judged. */
  objectives?: Objectives | undefined;
  /** Hears what is being done, in words. */
  report(line: string): void;
}

/** Everything that is known of a drill when it is over. */
export interface DrillResult {
  drill: Drill;
  row: DrillRow;
  times: Times;
  attainments: Attainment[];
  drained: Drained;
  /** The longest wait of each process for a connection to Postgres, in ms, the longest first. */
  poolWaits: [process: string, ms: number][];
  story: ReturnType<Stage['story']['between']>;
  sights: Sale['sights'];
}

/** Runs a drill on a mesh of its own. Rejects when it cannot be run to its end. */
export function runDrill(drill: Drill, options: DrillOptions): Promise<DrillResult> {
  const beganAt = Date.now();
  const plan = { ...usualPlan, ...drill.plan, ...options.plan };
  const twin = options.control ? drill.twin : undefined;
  const { scale = {}, envOf } = drill;
  return withStage({ scale, env: { ...drill.env, ...twin?.env }, envOf, report: options.report }, async (stage) => {
    await drill.prepare?.(stage);
    await twin?.prepare?.(stage);
    options.report('selling');
    const sale = await Sale.open(stage, plan);
    try {
      const run = await perform({ drill, stage, sale, plan, twin, report: options.report });
      const broken = (await drill.check?.(stage)) ?? [];
      return await conclude({ ...run, drill, options, stage, sale, beganAt, broken });
    } finally {
      sale.close();
    }
  });
}

interface Conclusion extends Run {
  drill: Drill;
  options: DrillOptions;
  stage: Stage;
  sale: Sale;
  beganAt: number;
  /** What the drill's own check found. */
  broken: string[];
}

async function conclude(run: Conclusion): Promise<DrillResult> {
  const { drill, options, stage, sale, times, verdict, p99AfterActMs } = run;
  const poolWaits = longestWaits(stage, run.before, await readings(stage));
  const row = rowOf({
    drill: drill.name,
    control: options.control ?? false,
    crowd: crowdMeasures(sale.sights, times),
    verdict,
    drained: run.drained,
    gateBackMs: run.gateBackMs,
    longestPoolWaitMs: poolWaits[0]?.[1] ?? 0,
    p99AfterActMs,
    died: stage.died(),
    durationMs: Date.now() - run.beganAt,
    failures: [...leftOver(run.left), ...(await ledgerFailures(stage)), ...run.broken],
  });
  const attained = options.objectives === undefined ? [] : attainments(options.objectives, row);
  return {
    drill,
    row: withFailures(row, missed(attained)),
    times,
    attainments: attained,
    drained: run.drained,
    poolWaits,
    story: stage.story.between(times.faultAt - 100, Date.now()),
    sights: sale.sights,
  };
}
