import { type Statement, sqlFile } from '#libs/postgres/statement.js';
import { Fault } from '#libs/refusal/fault.js';
import { functionCall, type LedgerPool } from './ledger-pool.js';

const claim = functionCall('job_claim', 3);
const finish = functionCall('job_finish', 3);
const setPaused = functionCall('job_set_paused', 2);
const readAll = sqlFile(new URL('./sql/jobs_read.sql', import.meta.url));

/** One thing that is done again and again, by one scheduler at a time. */
export interface Job {
  name: string;
  paused: boolean;
  pauseReason?: string;
  nextRunAt: Date;
  lastRunAt?: Date;
  /** What the last run did or its error, in words. */
  lastResult?: string;
}

interface JobRow {
  name: string;
  paused: boolean;
  pause_reason: string | null;
  next_run_at: Date;
  last_run_at: Date | null;
  last_result: string | null;
}

/** The calls by which schedulers share their work. */
export function jobCalls(pool: LedgerPool) {
  async function one(statement: Statement, values: readonly unknown[]): Promise<Job | undefined> {
    const [row] = await pool.query<JobRow>(statement, values);
    return row && toJob(row);
  }

  return {
    /**
     * Takes the run of a job that is due, and makes it due again in `periodMs`: for exactly one of all schedulers. A job
     * that was never seen is due. `forced` takes a run that is not due, also of a paused job. Undefined: not yours.
     */
    jobClaim: (name: string, periodMs: number, { forced = false } = {}): Promise<Job | undefined> =>
      one(claim, [name, Math.round(periodMs), forced]),

    /** Notes how a run ended, and when the job is due again if that is known better now. */
    async jobFinish(name: string, result: string, { nextInMs }: { nextInMs?: number } = {}): Promise<void> {
      await one(finish, [name, result, nextInMs === undefined ? null : Math.round(nextInMs)]);
    },

    /** Every job that was ever claimed, by name. */
    async jobsRead(): Promise<Job[]> {
      return (await pool.query<JobRow>(readAll)).map(toJob);
    },

    /** Keeps a job from running on every scheduler, or lets it run again. Fault JOB_NOT_FOUND. */
    async jobSetPaused(name: string, paused: boolean, reason = ''): Promise<Job> {
      const job = await one(setPaused, [name, paused ? reason : null]);
      if (!job) throw new Fault('JOB_NOT_FOUND', 'there is no such job', { metadata: { job: name } });
      return job;
    },
  };
}

function toJob(row: JobRow): Job {
  return {
    name: row.name,
    paused: row.paused,
    ...(row.pause_reason !== null && { pauseReason: row.pause_reason }),
    nextRunAt: row.next_run_at,
    ...(row.last_run_at && { lastRunAt: row.last_run_at }),
    ...(row.last_result !== null && { lastResult: row.last_result }),
  };
}
