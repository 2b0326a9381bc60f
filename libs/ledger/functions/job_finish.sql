-- Notes how a run ended.
--   job  its name    result  what it did or its error, in words
--   next_in_ms  milliseconds until it is due again, when that is known better now; null: as claimed
-- Returns the job, or nothing when there is none of that name.
CREATE OR REPLACE FUNCTION ledger.job_finish(job text, result text, next_in_ms int) RETURNS SETOF ledger.jobs
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY UPDATE jobs SET last_result = result,
    next_run_at = coalesce(clock() + next_in_ms * interval '1 millisecond', next_run_at)
  WHERE name = job RETURNING *;
END $$;
