import {
  type Job as JobMessage,
  SchedulerServiceDefinition,
} from '#libs/contracts/gen/holdfast/scheduler/v1/scheduler_service.js';
import type { Job as JobRow } from '#libs/ledger/jobs.js';
import { Fault } from '#libs/refusal/fault.js';
import { implement, type ServiceImplementation } from '#libs/rpc/service.js';
import type { Job } from '../app/jobs.js';
import { type Agenda, runAndNote } from '../app/run-jobs.js';

/** No control character: it is shown on a line. */
const reasonForm = /^[^\p{Cc}]{1,500}$/u;

/** The SchedulerService on the wire. */
export function schedulerService(agenda: Agenda, jobs: readonly Job[], closing: AbortSignal): ServiceImplementation {
  function jobNamed(name: string): Job {
    const job = jobs.find((candidate) => candidate.name === name);
    if (!job) throw new Fault('JOB_NOT_FOUND', 'there is no such job', { metadata: { job: name.slice(0, 128) } });
    return job;
  }

  async function rowOf({ name }: Job): Promise<JobRow | undefined> {
    return (await agenda.jobsRead()).find((row) => row.name === name);
  }

  return implement(SchedulerServiceDefinition, {
    async listJobs() {
      const rows = new Map((await agenda.jobsRead()).map((row) => [row.name, row]));
      const byName = [...jobs].sort((a, b) => (a.name < b.name ? -1 : 1));
      return { jobs: byName.map((job) => toJobMessage(job, rows.get(job.name))) };
    },

    async runJob({ name }) {
      const job = jobNamed(name);
      await agenda.jobsClaim([{ name, periodMs: job.overdueAfterMs }], { forced: true });
      const { error } = await runAndNote(agenda, job, closing);
      if (error !== undefined) throw error;
      return { job: toJobMessage(job, await rowOf(job)) };
    },

    async pauseJob({ name, reason }) {
      const job = jobNamed(name);
      if (!reasonForm.test(reason)) {
        const description = 'must say why, in 1 to 500 characters, none of them a control character';
        throw new Fault('INVALID_REQUEST', `reason ${description}`, { violations: [{ field: 'reason', description }] });
      }
      return { job: toJobMessage(job, await agenda.jobSetPaused(name, true, reason)) };
    },

    async resumeJob({ name }) {
      const job = jobNamed(name);
      return { job: toJobMessage(job, await agenda.jobSetPaused(name, false)) };
    },
  });
}

function toJobMessage({ name, description }: Job, row: JobRow | undefined): JobMessage {
  return {
    name,
    description,
    paused: row?.paused ?? false,
    pauseReason: row?.pauseReason ?? '',
    lastRunAt: row?.lastRunAt,
    lastResult: row?.lastResult ?? '',
    nextRunAt: row?.paused ? undefined : row?.nextRunAt,
  };
}
