import { setTimeout as sleep } from 'node:timers/promises';
import type { Ledger } from '#libs/ledger/ledger.js';
import { jittered } from '../domain/next-run.js';
import type { Job, JobRun } from './jobs.js';

/** How long a scheduler rests that was not given the run, or whose run failed; it looks again a little earlier. */
const lookAgainMs = 1_000;

/** What all schedulers share. */
export type Agenda = Pick<Ledger, 'jobClaim' | 'jobFinish' | 'jobsRead' | 'jobSetPaused'>;

export interface RunnerPorts {
  readonly agenda: Agenda;
  /** How a run ended that this scheduler was given. A look that failed has failed, too. */
  readonly failed: (error: unknown) => void;
  readonly went: () => void;
}

/**
 * Runs one job again and again until `closing`: whenever it is due and this scheduler is given the run. The next look
 * begins after the last run ended, so runs never pile up. If it dies in a run, the job is due again after its
 * `overdueAfterMs`; what was done twice then has no second effect.
 */
export async function keepRunning(ports: RunnerPorts, job: Job, closing: AbortSignal): Promise<void> {
  while (!closing.aborted) {
    const restMs = await lookOnce(ports, job, closing).catch((error: unknown) => {
      ports.failed(error);
      return jittered(lookAgainMs, Math.random());
    });
    await sleep(restMs, undefined, { signal: closing }).catch(() => undefined);
  }
}

async function lookOnce(ports: RunnerPorts, job: Job, closing: AbortSignal): Promise<number> {
  const given = await ports.agenda.jobClaim(job.name, job.overdueAfterMs);
  if (!given) return jittered(lookAgainMs, Math.random());
  const { nextInMs, error } = await runAndNote(ports.agenda, job, closing);
  if (error === undefined) ports.went();
  else ports.failed(error);
  return nextInMs;
}

/** Runs a job whose run was given, and notes how it ended. */
export async function runAndNote(
  agenda: Pick<Agenda, 'jobFinish'>,
  job: Job,
  closing: AbortSignal,
): Promise<JobRun & { error?: unknown }> {
  const run = await job.run(closing).catch((error: unknown) => ({
    result: `failed: ${error instanceof Error ? error.message : String(error)}`,
    nextInMs: jittered(lookAgainMs, Math.random()),
    error,
  }));
  await agenda.jobFinish(job.name, run.result, { nextInMs: run.nextInMs });
  return run;
}
