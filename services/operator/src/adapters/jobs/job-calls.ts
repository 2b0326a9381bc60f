import {
  type Job as JobMessage,
  SchedulerServiceDefinition,
} from '#libs/contracts/gen/holdfast/scheduler/v1/scheduler_service.js';
import { Fault } from '#libs/refusal/fault.js';
import type { Jobs } from '../../app/ports.js';
import type { Job } from '../../domain/job.js';
import type { Wire } from '../wire.js';

/** Jobs as the gateway tells them. */
export function jobCalls({ connect, options, patient }: Wire): Jobs {
  const scheduler = connect(SchedulerServiceDefinition);
  return {
    listJobs: async () => (await scheduler.listJobs({}, options)).jobs,
    runJob: async (name) => sure((await scheduler.runJob({ name }, patient)).job),
    pauseJob: async (name, reason) => sure((await scheduler.pauseJob({ name, reason }, options)).job),
    resumeJob: async (name) => sure((await scheduler.resumeJob({ name }, options)).job),
  };
}

function sure(job: JobMessage | undefined): Job {
  if (job === undefined) throw new Fault('INTERNAL', 'the gateway answered without the job');
  return job;
}
