import type { Job } from '../../domain/job.js';
import { instantJson } from '../time-text.js';

/** A job as `jobs --json` prints it; names as in the contracts. */
export function jobJson({ name, description, paused, pauseReason, lastRunAt, lastResult, nextRunAt }: Job): object {
  return {
    name,
    description,
    paused,
    pause_reason: pauseReason,
    last_run_at: instantJson(lastRunAt),
    last_result: lastResult,
    next_run_at: instantJson(nextRunAt),
  };
}
