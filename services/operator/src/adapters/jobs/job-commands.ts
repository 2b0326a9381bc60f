import type { Command } from 'commander';
import type { Job } from '../../domain/job.js';
import { readJobName, readJobPause } from '../../domain/job.js';
import type { Session } from '../session.js';
import { UsageError } from '../usage-error.js';
import { jobJson } from './job-json.js';
import { jobsTable } from './job-table.js';

const listExamples = `
Examples:
  holdfast jobs list
  holdfast jobs list --json | jq -r '.jobs[] | select(.paused).name'`;

const runExamples = `
Example:
  holdfast jobs run reconcile                   now, also when it is paused; waits until it has run`;

const pauseExamples = `
Example:
  holdfast jobs pause expire --reason "the payment provider is down, nobody shall lose a hold"

No instance runs it until it is resumed. Holds that are past their time can still be taken by others.`;

const resumeExamples = `
Example:
  holdfast jobs resume expire`;

/** `holdfast jobs …`: what is done again and again. */
export function addJobCommands(program: Command, session: Session): void {
  const group = program.command('jobs').description('what the scheduler does again and again');
  group
    .command('list')
    .description('every job with its last run and its next')
    .addHelpText('after', listExamples)
    .action(() => list(session));
  group
    .command('run')
    .description('runs a job now')
    .argument('<job>', 'its name')
    .addHelpText('after', runExamples)
    .action((name: string) => change(session, name, (known) => session.gateway().jobs.runJob(known)));
  group
    .command('pause')
    .description('keeps a job from running')
    .argument('<job>', 'its name')
    .option('--reason <why>', 'why; needed')
    .addHelpText('after', pauseExamples)
    .action((name: string, { reason }: { reason?: string }) => pause(session, name, reason));
  group
    .command('resume')
    .description('lets it run again')
    .argument('<job>', 'its name')
    .addHelpText('after', resumeExamples)
    .action((name: string) => change(session, name, (known) => session.gateway().jobs.resumeJob(known)));
}

async function list(session: Session): Promise<void> {
  const jobs = await session.gateway().jobs.listJobs();
  session.show({ jobs: jobs.map(jobJson) }, (paint) => jobsTable(jobs, paint));
}

async function change(session: Session, typed: string, deed: (name: string) => Promise<Job>): Promise<void> {
  const read = readJobName(typed);
  if ('problems' in read) throw new UsageError(read.problems);
  show(session, await deed(read.name));
}

async function pause(session: Session, typed: string, typedReason: string | undefined): Promise<void> {
  const read = readJobPause(typed, typedReason);
  if ('problems' in read) throw new UsageError(read.problems);
  show(session, await session.gateway().jobs.pauseJob(read.name, read.reason));
}

function show(session: Session, job: Job): void {
  session.show({ job: jobJson(job) }, (paint) => jobsTable([job], paint));
}
