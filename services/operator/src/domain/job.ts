import { readReason } from './typed.js';

/** One thing that is done again and again. */
export interface Job {
  name: string;
  description: string;
  paused: boolean;
  pauseReason: string;
  lastRunAt?: Date | undefined;
  lastResult: string;
  nextRunAt?: Date | undefined;
}

type Read<Value> = Value | { problems: string[] };

/** The name of a job, or what is wrong with it. */
export function readJobName(typed: string): Read<{ name: string }> {
  if (/^[a-z][a-z0-9-]{0,63}$/.test(typed)) return { name: typed };
  return { problems: [`JOB ${JSON.stringify(typed)}: give a name such as expire; holdfast jobs list has them all`] };
}

/** The name of a job and why it is paused, or everything that is wrong with them. */
export function readJobPause(typed: string, typedReason: string | undefined): Read<{ name: string; reason: string }> {
  const read = readJobName(typed);
  const problems = 'problems' in read ? read.problems : [];
  const reason = readReason(typedReason, problems);
  return problems.length > 0 || !('name' in read) ? { problems } : { name: read.name, reason };
}
