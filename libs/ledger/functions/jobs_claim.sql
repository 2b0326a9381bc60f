-- Takes the due runs of jobs, each for exactly one of those who ask; makes known what is new.
--   names       of the jobs
--   periods_ms  of each: milliseconds until it is due again
--   forced      also when it is not due or paused
-- Returns the jobs whose run is the caller's.
CREATE OR REPLACE FUNCTION ledger.jobs_claim(names text[], periods_ms int[], forced boolean) RETURNS SETOF ledger.jobs
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = ledger, pg_temp
AS $$
#variable_conflict use_column
DECLARE
  at CONSTANT timestamptz := clock();
BEGIN
  -- In the order of the names, as everywhere: two who ask for the same wait for each other at most.
  RETURN QUERY INSERT INTO jobs AS j (name, next_run_at, last_run_at)
  SELECT job, at + period_ms * interval '1 millisecond', at
  FROM unnest(names, periods_ms) AS asked (job, period_ms) ORDER BY job COLLATE "C"
  ON CONFLICT (name) DO UPDATE SET next_run_at = excluded.next_run_at, last_run_at = excluded.last_run_at
  WHERE forced OR (j.next_run_at <= at AND NOT j.paused)
  RETURNING j.*;
END $$;
