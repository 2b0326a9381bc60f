import type { Paint } from '#libs/terminal/paint.js';
import { type Column, renderTable } from '#libs/terminal/table.js';
import type { Job } from '../../domain/job.js';
import { instantText } from '../time-text.js';

const columns: Column[] = [
  { title: 'job' },
  { title: 'does' },
  { title: 'last run' },
  { title: 'next run' },
  { title: 'last result' },
];

/** Jobs, a line each. */
export function jobsTable(jobs: readonly Job[], paint: Paint): string {
  if (jobs.length === 0) return 'there is no job';
  return renderTable(
    columns,
    jobs.map(({ name, description, paused, pauseReason, lastRunAt, lastResult, nextRunAt }) => [
      name,
      description,
      instantText(lastRunAt),
      paused ? paint('yellow', `paused: ${pauseReason}`) : instantText(nextRunAt),
      lastResult || '-',
    ]),
  );
}
