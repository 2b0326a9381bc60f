import { assumptions, bugs, type Planted, type Rule, sloppiness } from './planted.js';
import type { Found, Job } from './search.js';

export interface Plan {
  readonly schedules: number;
  readonly seed: number;
  /** A bug is looked for in so many schedules at most. */
  readonly mostForABug: number;
  /** Only this rule is left out, in all schedules. */
  readonly without?: Rule | undefined;
}

/** What became of one thing that was planted. */
export interface Hunted {
  readonly planted: Planted;
  readonly kind: 'bug' | 'assumption' | 'sloppiness';
  readonly checked: number;
  readonly broken?: Found['broken'];
}

export interface Result {
  readonly checked: number;
  readonly violations: NonNullable<Found['broken']>[];
  readonly hunted: Hunted[];
}

export type Search = (job: Job) => Promise<Found>;

/** Schedules of one job: long enough to be worth a message, short enough to show progress. */
const JOB = 500;
/** After so many violations the rest would tell nothing new. */
const ENOUGH = 5;

/** Runs the schedules, and looks for everything that is planted; `progress` hears after each job. */
export async function simulate(plan: Plan, search: Search, progress: (text: string) => void): Promise<Result> {
  const { without } = plan;
  const { checked, violations } = await runAll(plan, without ? [without] : [], search, progress);
  const hunted: Hunted[] = [];
  if (without) return { checked, violations, hunted };
  const hunts = [
    ...bugs.map((planted) => ({ planted, kind: 'bug' as const })),
    ...assumptions.map((planted) => ({ planted, kind: 'assumption' as const })),
    ...sloppiness.map((planted) => ({ planted, kind: 'sloppiness' as const })),
  ];
  await Promise.all(
    hunts.map(async (hunt) => {
      hunted.push({ ...hunt, ...(await find(hunt.planted.name, hunt.kind, plan, search)) });
      progress(`planted ${hunted.length} of ${hunts.length}`);
    }),
  );
  hunted.sort(
    (a, b) =>
      hunts.findIndex(({ planted }) => planted === a.planted) - hunts.findIndex(({ planted }) => planted === b.planted),
  );
  return { checked, violations, hunted };
}

async function runAll(
  { schedules, seed }: Plan,
  rules: readonly Rule[],
  search: Search,
  progress: (text: string) => void,
): Promise<Pick<Result, 'checked' | 'violations'>> {
  let checked = 0;
  const violations: Result['violations'] = [];
  const jobs = Array.from({ length: Math.ceil(schedules / JOB) }, (_, i) => seed + i * JOB);
  await Promise.all(
    jobs.map(async (first) => {
      const end = Math.min(first + JOB, seed + schedules);
      for (let from = first; from < end && violations.length < ENOUGH; ) {
        const found = await search({ from, count: end - from, rules });
        checked += found.checked;
        from += found.checked;
        if (found.broken) violations.push(found.broken);
        progress(`${checked} of ${schedules} schedules, ${violations.length} violations`);
      }
    }),
  );
  return { checked, violations: violations.sort((a, b) => a.seed - b.seed) };
}

/** Looks for a broken law from the seed on, in order, so that what is found first is always the same. */
async function find(name: Rule, kind: Hunted['kind'], { seed, mostForABug }: Plan, search: Search): Promise<Found> {
  const most = kind === 'sloppiness' ? Math.min(mostForABug, SLOPPY) : mostForABug;
  let checked = 0;
  while (checked < most) {
    const found = await search({ from: seed + checked, count: Math.min(JOB, most - checked), rules: [name] });
    checked += found.checked;
    if (found.broken) return { checked, broken: found.broken };
  }
  return { checked };
}

/** Schedules in which sloppiness must break nothing. */
const SLOPPY = 5_000;
