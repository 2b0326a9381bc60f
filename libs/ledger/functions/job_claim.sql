-- Takes a due run of a job, for exactly one of those who ask; makes the job known when it is new.
--   job        its name
--   period_ms  milliseconds until it is due again
--   forced     also when it is not due or paused
-- Returns the job when the run is the caller's, else nothing.
CREATE OR REPLACE FUNCTION ledger.job_claim(job text, period_ms int, forced boolean) RETURNS SETOF ledger.jobs
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
AS $$
#variable_conflict use_column
DECLARE
  at CONSTANT timestamptz := clock();
BEGIN
  RETURN QUERY INSERT INTO jobs AS j (name, next_run_at, last_run_at)
  VALUES (job, at + period_ms * interval '1 millisecond', at)
  ON CONFLICT (name) DO UPDATE SET next_run_at = excluded.next_run_at, last_run_at = excluded.last_run_at
  WHERE forced OR (j.next_run_at <= at AND NOT j.paused)
  RETURNING j.*;
END $$;
