import { setTimeout as sleep } from 'node:timers/promises';
import type { Ledger } from '#libs/ledger/ledger.js';
import { jittered, toWholeSecond } from '../domain/next-run.js';
import type { Job, JobRun } from './jobs.js';

/** How long a job rests whose run was not given, or failed; it is looked at again a little earlier. */
const lookAgainMs = 1_000;
/** Shorter rests end when they were told to. */
const wholeSecondsFromMs = 1_000;
/** What becomes due or ends so soon after the first is told to the ledger with it. */
const gatherMs = 20;

/** What all schedulers share. */
export type Agenda = Pick<Ledger, 'jobsClaim' | 'jobsFinish' | 'jobsRead' | 'jobSetPaused'>;

export interface RunnerPorts {
  readonly agenda: Pick<Agenda, 'jobsClaim' | 'jobsFinish'>;
  /** How a run ended that this scheduler was given. A look that failed has failed, too. */
  readonly failed: (job: Job, error: unknown) => void;
  readonly went: (job: Job) => void;
}

interface EndedRun extends JobRun {
  readonly job: Job;
  readonly error?: unknown;
}

/**
 * Runs jobs again and again: each whenever it is due and this scheduler is given the run. The next look at a job begins
 * after its last run ended, so runs never pile up; meanwhile the others go on. If it dies in a run, the job is due again
 * after its `overdueAfterMs`; what was done twice then has no second effect.
 */
export class JobRunner {
  readonly #ports: RunnerPorts;
  readonly #closing: AbortSignal;
  /** When each job that does not run is looked at next, in ms, monotonic. */
  readonly #lookAt: Map<Job, number>;
  readonly #running = new Set<Promise<void>>();
  #ended: EndedRun[] = [];
  #noting: Promise<void> | undefined;
  #resting = new AbortController();

  constructor(ports: RunnerPorts, jobs: readonly Job[], closing: AbortSignal) {
    this.#ports = ports;
    this.#closing = closing;
    this.#lookAt = new Map(jobs.map((job) => [job, 0]));
  }

  /** Resolves after `closing` when all runs have ended and are noted. */
  async run(): Promise<void> {
    this.#closing.addEventListener('abort', () => this.#resting.abort(), { once: true });
    while (!this.#closing.aborted) {
      await this.#look();
      await this.#rest();
    }
    await Promise.all(this.#running);
  }

  async #look(): Promise<void> {
    const due = [...this.#lookAt].filter(([, at]) => at <= performance.now()).map(([job]) => job);
    if (due.length === 0) return;
    const asked = due.map(({ name, overdueAfterMs }) => ({ name, periodMs: overdueAfterMs }));
    try {
      const given = new Set((await this.#ports.agenda.jobsClaim(asked)).map(({ name }) => name));
      const againMs = jittered(lookAgainMs, Math.random());
      for (const job of due) {
        if (given.has(job.name)) this.#start(job);
        else this.#restFor(job, againMs);
      }
    } catch (error) {
      this.#failedAll(due, error);
    }
  }

  #start(job: Job): void {
    this.#lookAt.delete(job);
    const run = this.#runOnce(job).finally(() => this.#running.delete(run));
    this.#running.add(run);
  }

  async #runOnce(job: Job): Promise<void> {
    this.#ended.push({ job, ...(await runOf(job, this.#closing)) });
    this.#noting ??= this.#note();
    await this.#noting;
  }

  /** Notes what has ended, with what ends soon after. */
  async #note(): Promise<void> {
    await pause(gatherMs, this.#closing);
    this.#noting = undefined;
    const now = performance.now();
    const ends = this.#ended.splice(0).map((end) => {
      const nextInMs = end.nextInMs < wholeSecondsFromMs ? end.nextInMs : toWholeSecond(end.nextInMs, now);
      return { ...end, name: end.job.name, nextInMs };
    });
    try {
      await this.#ports.agenda.jobsFinish(ends);
      for (const { job, error, nextInMs } of ends) {
        if (error === undefined) this.#ports.went(job);
        else this.#ports.failed(job, error);
        this.#restFor(job, nextInMs);
      }
    } catch (error) {
      this.#failedAll(
        ends.map(({ job }) => job),
        error,
      );
    }
    this.#resting.abort();
  }

  #failedAll(jobs: readonly Job[], error: unknown): void {
    const againMs = jittered(lookAgainMs, Math.random());
    for (const job of jobs) {
      this.#ports.failed(job, error);
      this.#restFor(job, againMs);
    }
  }

  #restFor(job: Job, ms: number): void {
    this.#lookAt.set(job, performance.now() + ms);
  }

  /** Until the next look, with what becomes due soon after; a run that ends meanwhile may make it earlier. */
  async #rest(): Promise<void> {
    const nextAt = Math.min(...this.#lookAt.values(), performance.now() + lookAgainMs);
    await pause(nextAt - performance.now() + gatherMs, this.#resting.signal);
    if (this.#resting.signal.aborted) this.#resting = new AbortController();
  }
}

/** Runs a job whose run was given, and notes how it ended. */
export async function runAndNote(
  agenda: Pick<Agenda, 'jobsFinish'>,
  job: Job,
  closing: AbortSignal,
): Promise<JobRun & { error?: unknown }> {
  const run = await runOf(job, closing);
  await agenda.jobsFinish([{ name: job.name, result: run.result, nextInMs: run.nextInMs }]);
  return run;
}

function runOf(job: Job, closing: AbortSignal): Promise<JobRun & { error?: unknown }> {
  return job.run(closing).catch((error: unknown) => ({
    result: `failed: ${error instanceof Error ? error.message : String(error)}`,
    nextInMs: jittered(lookAgainMs, Math.random()),
    error,
  }));
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
