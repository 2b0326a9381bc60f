import { sqlFile } from '#libs/postgres/statement.js';
import { Fault } from '#libs/refusal/fault.js';
import { functionCall, type LedgerPool } from './ledger-pool.js';

const claim = functionCall('jobs_claim', 3);
const finish = functionCall('jobs_finish', 3);
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

interface JobToClaim {
  name: string;
  periodMs: number;
}

/** How a run ended, in words, and when the next one is due if that is known better now. */
interface JobEnd {
  name: string;
  result: string;
  nextInMs?: number;
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
  return {
    /**
     * Takes the runs of those jobs that are due, and makes each due again in its `periodMs`: for exactly one of all
     * schedulers. A job that was never seen is due. `forced` takes runs that are not due, also of paused jobs. Resolves
     * with the jobs whose run is yours.
     */
    async jobsClaim(jobs: readonly JobToClaim[], { forced = false } = {}): Promise<Job[]> {
      const values = [jobs.map(({ name }) => name), jobs.map(({ periodMs }) => Math.round(periodMs)), forced];
      return (await pool.query<JobRow>(claim, values)).map(toJob);
    },

    /** Notes how runs ended, and when the jobs are due again where that is known better now. */
    async jobsFinish(ends: readonly JobEnd[]): Promise<void> {
      const rests = ends.map(({ nextInMs }) => (nextInMs === undefined ? null : Math.round(nextInMs)));
      await pool.query(finish, [ends.map(({ name }) => name), ends.map(({ result }) => result), rests]);
    },

    /** Every job that was ever claimed, by name. */
    async jobsRead(): Promise<Job[]> {
      return (await pool.query<JobRow>(readAll)).map(toJob);
    },

    /** Keeps a job from running on every scheduler, or lets it run again. Fault JOB_NOT_FOUND. */
    async jobSetPaused(name: string, paused: boolean, reason = ''): Promise<Job> {
      const [row] = await pool.query<JobRow>(setPaused, [name, paused ? reason : null]);
      if (!row) throw new Fault('JOB_NOT_FOUND', 'there is no such job', { metadata: { job: name } });
      return toJob(row);
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
